import { dirname, join } from "node:path";
import { Glob } from "bun";
import { bundleRare } from "./rare.ts";

/** The build of an executable, shared by `npm run build` and `npm run release`. */

/** The public key of the releases in PEM, and the address of their files; empty for none. */
export type Published = { key: string; download: string; platform: string };

/** Another machine than this one: its name in Bun, and the file of the Bun that goes into the executable. */
type Target = { name: Bun.Build.CompileTarget; runtime: string };

const ROOT = join(import.meta.dir, "..");

/** The functions that starts use, written by `npm run profile`. */
export const PROFILE = join(import.meta.dir, "bytecode.order");

/** Builds the executable for this machine, or for `target`; `published` for a release. */
export async function buildExecutable(
  outfile: string,
  { target, published }: { target?: Target; published?: Published } = {},
): Promise<void> {
  using libraries = await bundleRare();
  await Bun.build({
    entrypoints: [
      "cli/main.ts",
      "cli/serve/threads/serve-thread.ts",
      "src/store/sqlite/writer-thread.ts",
      "src/access/hash-thread.ts",
    ].map((file) => join(ROOT, file)),
    compile: {
      outfile,
      ...(target && { target: target.name, executablePath: target.runtime }),
      // Otherwise the executable would read a .env or bunfig.toml in the current directory.
      autoloadDotenv: false,
      autoloadBunfig: false,
      // Code that runs once at the start is not worth compiling; a server sets the policy back once it listens.
      jitPolicy: 8,
      bytecodeOrder: PROFILE,
      assets: libraries.files,
    },
    format: "esm",
    minify: true,
    sourcemap: "linked",
    bytecode: true,
    // Functions that are nested deeper are compiled when they are first called; all of them are a third of a megabyte.
    bytecodeDepth: 3,
    // A command loads only what it imports.
    splitting: true,
    // The file of the thread is beside the module that starts it, as in the source.
    naming: { entry: "[name].[ext]" },
    // Executables for Windows take import.meta.main for false: https://github.com/oven-sh/bun/issues/30084
    define: {
      FORMFLAG_COMMIT: JSON.stringify(shortCommit()),
      ...(published && { FORMFLAG_RELEASE: JSON.stringify(published) }),
      "import.meta.main": "true",
    },
    plugins: [libraries.plugin],
  });

  // Source maps are also embedded in the executable.
  const folder = dirname(outfile);
  for (const map of new Glob("*.map").scanSync(folder)) await Bun.file(join(folder, map)).delete();
}

/** `unknown` outside a clone or without git. */
function shortCommit(): string {
  if (!Bun.which("git")) return "unknown";
  const git = ["git", "rev-parse", "--short", "HEAD"];
  const { success, stdout } = Bun.spawnSync(git, { cwd: ROOT, stderr: "ignore" });
  return success ? stdout.toString().trim() : "unknown";
}
