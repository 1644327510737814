import { existsSync } from "node:fs";
import { join } from "node:path";

/** The command line that starts this program: the executable, which has no files beside it, or its source. */
export function ownCommand(): string[] {
  const source = join(import.meta.dir, "../..", "main.ts");
  return existsSync(source) ? [process.execPath, source] : [process.execPath];
}
