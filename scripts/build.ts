/** Builds `dist/formflag`, the executable for this machine. */
import { join } from "node:path";
import { buildExecutable } from "./executable.ts";

await buildExecutable(join(import.meta.dir, "..", "dist", "formflag"));
