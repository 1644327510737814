import { KEPT, keptSchemas } from "./kept-schemas.ts";

// The oldest, the oldest with archives, and the newest.
keptSchemas([...KEPT.slice(0, 2), KEPT.at(-1)!]);
