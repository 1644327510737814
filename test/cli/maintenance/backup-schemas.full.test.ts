import { KEPT, keptSchemas } from "./kept-schemas.ts";

keptSchemas(KEPT.slice(2, -1));
