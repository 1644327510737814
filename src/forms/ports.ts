import type { MeasuringPort } from "./intake/measured.ts";
import type { FlagPort } from "./intake/open-when.ts";
import type { AssignmentPort } from "./seen-flags.ts";

/** The ports of forms that other areas fill, by `connectAreas`. */
export type FormPorts = { flags: FlagPort; assignments: AssignmentPort; measuring: MeasuringPort };
