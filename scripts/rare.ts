import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BunPlugin } from "bun";

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
  "@noble/ciphers/chacha.js": "{ chacha20poly1305 }",
  "@noble/curves/ed25519.js": "{ ed25519, x25519 }",
  "@peculiar/x509":
    "{ AuthorityKeyIdentifierExtension, SubjectAlternativeNameExtension, X509Certificate, X509CertificateGenerator }",
  "@simplewebauthn/server": "*",
  "@simplewebauthn/server/helpers": "*",
  "acme-client": "{ default }",
  "age-encryption": "{ Decrypter, Encrypter, Stanza }",
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

/**
 * The bundles of these libraries, in the order of their names, and the plugin that imports them in the executable, where
 * they are beside its other files.
 */
export async function bundleRare(): Promise<{ files: string[]; plugin: BunPlugin } & Disposable> {
  const folder = mkdtempSync(join(tmpdir(), "formflag-build-"));
  const fileOf = (name: string) => `library-${name.replaceAll("/", "-")}.js`;
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
    naming: { entry: "[name].[ext]", chunk: "library-[hash].[ext]" },
  });
  return {
    // A folder has another order on another file system.
    files: readdirSync(folder)
      .toSorted()
      .map((name) => join(folder, name)),
    plugin: {
      name: "rare",
      setup(build) {
        for (const [name] of names)
          build.onResolve({ filter: new RegExp(`^${name}$`) }, () => ({
            path: `./${fileOf(name)}`,
            external: true,
          }));
      },
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  };
}
