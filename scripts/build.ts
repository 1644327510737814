import { join } from "node:path";
import { buildExecutable } from "./executable.ts";

/** Builds `dist/formflag`, the executable for this machine. */

await buildExecutable(join(import.meta.dir, "..", "dist", "formflag"));
