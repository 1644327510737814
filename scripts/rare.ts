import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BunPlugin } from "bun";
import { lighter } from "./lighter.ts";

/**
 * Libraries that few commands and requests need, with the names that formflag imports, or `*`. They are in the
 * executable as their text alone: byte code and source map would be four times as large again, to save a few
 * milliseconds where one is loaded.
 */
export const RARE: Record<string, string> = {
  "@clack/prompts": "*",
  "@modelcontextprotocol/server":
    "{ createMcpHandler, ProtocolError, ProtocolErrorCode, ResourceNotFoundError, Server }",
  "@modelcontextprotocol/server/stdio": "{ serveStdio, StdioServerTransport }",
  "@simplewebauthn/server": "*",
  "@simplewebauthn/server/helpers": "*",
  "csv-parse": "{ CsvError, parse }",
  "disposable-email-domains-js": "{ disposableEmailBlocklistSet }",
  "magic-bytes.js": "{ filetypename }",
  "modern-tar": "{ createTarDecoder, createTarPacker }",
  nodemailer: "{ createTransport }",
  "openid-client": "*",
  "prom-client": "{ Registry }",
  re2js: "{ RE2JS, RE2JSException }",
  "reflect-metadata": "*",
  xss: "{ escapeAttrValue, FilterXSS, friendlyAttrValue }",
};

const FOLDER = "libraries";

/** A folder with a bundle of each library, and the plugin that imports them from the same folder in the executable. */
export async function bundleRare(): Promise<{ folder: string; plugin: BunPlugin } & Disposable> {
  const parent = mkdtempSync(join(tmpdir(), "formflag-build-"));
  const folder = join(parent, FOLDER);
  const fileOf = (name: string) => `${name.replaceAll("/", "-")}.js`;
  const names = Object.entries(RARE);
  await Bun.build({
    entrypoints: names.map(([name]) => join(import.meta.dir, fileOf(name))),
    files: Object.fromEntries(
      names.map(([name, exported]) => [
        join(import.meta.dir, fileOf(name)),
        `export ${exported} from "${name}";`,
      ]),
    ),
    outdir: folder,
    target: "bun",
    minify: true,
    splitting: true,
    naming: { entry: "[name].[ext]" },
    plugins: [lighter],
  });
  return {
    folder,
    plugin: {
      name: "rare",
      setup(build) {
        for (const [name] of names)
          build.onResolve({ filter: new RegExp(`^${name}$`) }, () => ({
            path: `./${FOLDER}/${fileOf(name)}`,
            external: true,
          }));
      },
    },
    [Symbol.dispose]: () => rmSync(parent, { recursive: true }),
  };
}
