import { join } from "node:path";

/** The code for browsers in one text, of a file below `src/http`. Called by the bundler, as a macro, when the executable is built or a test runs. */
export function bundleBrowserCode(file: string): string {
  // A bundler cannot run within a macro of another.
  const { success, stdout, stderr } = Bun.spawnSync([process.execPath, import.meta.path, file]);
  if (!success) throw new Error(`the code for browsers cannot be built: ${stderr.toString()}`);
  return stdout.toString();
}

/**
 * Functions of idiomorph that the pages never call, since they morph elements below a body: from where each begins to what
 * comes behind it. They are half a kilobyte of what a browser loads.
 */
const UNUSED = [
  ["function handleHeadElement(", "const createMorphContext ="],
  ["function parseContent(", "return { normalizeElement, normalizeParent };"],
] as const;

/** Idiomorph without what is not used. Throws if it is another version, which has none of it. */
async function lightened(path: string): Promise<string> {
  let text = await Bun.file(path).text();
  for (const [begin, behind] of UNUSED) {
    const [from, to] = [text.indexOf(begin), text.indexOf(behind)];
    if (from === -1 || to < from) throw new Error(`idiomorph has no "${begin}" before "${behind}" any more`);
    text = text.slice(0, from) + text.slice(to);
  }
  return text;
}

// `import.meta.main` is also true in a macro.
if (process.argv[1] === import.meta.path) {
  const { outputs } = await Bun.build({
    entrypoints: [join(import.meta.dir, "..", process.argv[2]!)],
    target: "browser",
    format: "iife",
    minify: true,
    plugins: [
      {
        name: "lighter",
        setup(build) {
          const filter = /[\\/]idiomorph\.esm\.js$/;
          build.onLoad({ filter }, async ({ path }) => ({ contents: await lightened(path), loader: "js" }));
        },
      },
    ],
  });
  process.stdout.write(await outputs[0]!.text());
}
