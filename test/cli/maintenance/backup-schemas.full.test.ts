import { KEPT, keptSchemas } from "./kept-schemas.ts";

const KEPT_FOR_LONG = KEPT.slice(2, -1);

// The oldest goes through every later step.
keptSchemas(
  KEPT_FOR_LONG.filter((schema) => schema % 2 === 0),
  KEPT_FOR_LONG.filter((schema) => schema % 4 === 0),
);
