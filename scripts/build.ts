/** Builds `dist/formflag`, the executable for this machine. */
import { join } from "node:path";
import { type BunPlugin, Glob } from "bun";

/**
 * What dependencies import and formflag has no use for; `npm run bench -- start` shows the difference. By file: the
 * text that stands there, and what takes its place.
 */
const LIGHTER: Record<string, [string, string][]> = {
  // Three modules of the runtime that take longer to load than commander itself: two for subcommands that are programs
  // of their own, which formflag has none of, and one for a function that the runtime also has as a built-in.
  "commander/lib/command.js": [
    ["import childProcess from 'node:child_process';", "const childProcess = undefined;"],
    ["import fs from 'node:fs';", "const fs = undefined;"],
    [
      "import { stripVTControlCharacters } from 'node:util';",
      "const { stripANSI: stripVTControlCharacters } = Bun;",
    ],
  ],
  "commander/lib/help.js": [
    [
      "import { stripVTControlCharacters } from 'node:util';",
      "const { stripANSI: stripVTControlCharacters } = Bun;",
    ],
  ],
  // All of zod with its texts in every language, where one function is meant.
  "@standard-community/standard-json/dist/zod-Bwrt9trS.js": [
    ["await import('zod/v4/core')", "{ toJSONSchema }"],
    ["import 'quansync';", "import { toJSONSchema } from 'zod/v4/core';"],
  ],
};

const lightened = new Set<string>();
const lighter: BunPlugin = {
  name: "lighter",
  setup(build) {
    for (const [file, replacements] of Object.entries(LIGHTER)) {
      const filter = new RegExp(`node_modules/${file.replaceAll(".", "\\.")}$`);
      build.onLoad({ filter }, async ({ path }) => {
        let contents = await Bun.file(path).text();
        for (const [from, to] of replacements) {
          // Another version of the dependency: look again whether this is still needed.
          if (!contents.includes(from)) throw new Error(`${path} no longer contains ${from}`);
          contents = contents.replace(from, to);
        }
        lightened.add(file);
        return { contents, loader: "js" };
      });
    }
  },
};

const root = join(import.meta.dir, "..");
const commit = Bun.spawnSync(["git", "rev-parse", "--short", "HEAD"], { cwd: root, stderr: "ignore" });
const hash = commit.success ? commit.stdout.toString().trim() : "unknown";

await Bun.build({
  entrypoints: ["cli/main.ts", "src/store/sqlite/writer-thread.ts"].map((file) => join(root, file)),
  compile: {
    outfile: join(root, "dist", "formflag"),
    // Else the executable would run what a .env or bunfig.toml of the current directory says.
    autoloadDotenv: false,
    autoloadBunfig: false,
  },
  format: "esm",
  minify: true,
  sourcemap: "linked",
  bytecode: true,
  // A command loads only what it imports.
  splitting: true,
  // The thread stands beside the module that starts it, as in the source.
  naming: { entry: "[name].[ext]" },
  define: { FORMFLAG_COMMIT: JSON.stringify(hash) },
  plugins: [lighter],
});

const stale = Object.keys(LIGHTER).filter((file) => !lightened.has(file));
if (stale.length > 0) throw new Error(`nothing imports ${stale.join(", ")} any more`);

// The executable holds them too.
for (const map of new Glob("dist/*.map").scanSync(root)) await Bun.file(join(root, map)).delete();
