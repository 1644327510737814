import { join } from "node:path";

/** The code for browsers in one text, of a file below `src/http`. Called by the bundler, as a macro, when the executable is built or a test runs. */
export function bundleBrowserCode(file: string): string {
  const entry = join(import.meta.dir, "..", file);
  const { success, stdout, stderr } = Bun.spawnSync([
    process.execPath,
    "build",
    "--minify",
    "--target=browser",
    "--format=iife",
    entry,
  ]);
  if (!success) throw new Error(`the code for browsers cannot be built: ${stderr.toString()}`);
  return stdout.toString();
}
