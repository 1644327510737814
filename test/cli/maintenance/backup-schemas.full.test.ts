import { KEPT, keptSchemas } from "./kept-schemas.ts";

const KEPT_FOR_LONG = KEPT.slice(2, -1);

keptSchemas(
  KEPT_FOR_LONG,
  KEPT_FOR_LONG.filter((schema) => schema % 4 === 0),
);
