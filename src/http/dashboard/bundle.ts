import { join } from "node:path";

/** The code for browsers in one text, of a file below `src/http`. Called by the bundler, as a macro, when the executable is built or a test runs. */
export function bundleBrowserCode(file: string): string {
  // A bundler cannot run within a macro of another.
  const { success, stdout, stderr } = Bun.spawnSync([process.execPath, import.meta.path, file]);
  if (!success) throw new Error(`the code for browsers cannot be built: ${stderr.toString()}`);
  return stdout.toString();
}

// `import.meta.main` is also true in a macro.
if (process.argv[1] === import.meta.path) {
  const { outputs } = await Bun.build({
    entrypoints: [join(import.meta.dir, "..", process.argv[2]!)],
    target: "browser",
    format: "iife",
    minify: true,
    // Warnings of libraries are for those who develop with them.
    drop: ["console"],
  });
  process.stdout.write(await outputs[0]!.text());
}
