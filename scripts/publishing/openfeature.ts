import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AppError } from "../../src/base/errors.ts";
import type { Entry } from "../archive.ts";
import { type About, type Packed, fileOf, jsonFile, pack } from "./npm.ts";

/** The package `@formflag/openfeature`: providers for applications, without a dependency but the SDKs that they use. */

const ROOT = join(import.meta.dir, "../..");
const NAME = "@formflag/openfeature";

/** The exports and their files. */
const EXPORTS = { ".": "server", "./edge": "edge", "./web": "web", "./ssr": "ssr" } as const;

/** The SDKs that an application installs where it uses a provider for them. */
const PEERS = { "@openfeature/server-sdk": "^1.20.0", "@openfeature/web-sdk": "^1.9.0" };

export async function openFeaturePackage({ version, license, date }: About): Promise<Packed> {
  const exported = Object.entries(EXPORTS).map(([path, name]) => [
    path,
    { types: `./types/provider/${name}.d.ts`, default: `./dist/${name}.js` },
  ]);
  const manifest = {
    name: NAME,
    version,
    description: "Flags of formflag for OpenFeature: evaluated in the process, at the edge and in pages",
    license,
    keywords: ["feature flags", "openfeature", "openfeature-provider", "edge", "ssr"],
    type: "module",
    sideEffects: false,
    exports: Object.fromEntries([...exported, ["./package.json", "./package.json"]]),
    // For tools that do not read exports.
    types: "./types/provider/server.d.ts",
    files: ["dist", "types"],
    engines: { node: ">=20.3" },
    peerDependencies: PEERS,
    peerDependenciesMeta: Object.fromEntries(Object.keys(PEERS).map((name) => [name, { optional: true }])),
  };
  const files = [
    jsonFile(manifest),
    { name: "README.md", bytes: await Bun.file(join(import.meta.dir, "openfeature.md")).bytes() },
    { name: "LICENSE", bytes: await Bun.file(join(ROOT, "LICENSE")).bytes() },
    ...(await modules()),
    ...(await types()),
  ];
  return { name: fileOf(NAME, version), bytes: await pack(files, date) };
}

/** Each export as one module. */
async function modules(): Promise<Entry[]> {
  const { outputs } = await Bun.build({
    entrypoints: Object.values(EXPORTS).map((name) => join(ROOT, "src/provider", `${name}.ts`)),
    target: "browser",
    format: "esm",
    external: Object.keys(PEERS),
  });
  return Promise.all(
    outputs.map(async (each) => ({
      name: join("dist", each.path),
      bytes: new Uint8Array(await each.arrayBuffer()),
    })),
  );
}

/** The declarations of the source. Throws `invalid` if it does not compile. */
async function types(): Promise<Entry[]> {
  const folder = mkdtempSync(join(tmpdir(), "formflag-types-"));
  try {
    const { success, stdout } = Bun.spawnSync(
      [
        join(ROOT, "node_modules/.bin/tsc"),
        "-p",
        join(ROOT, "src/provider"),
        ..."--noEmit false --emitDeclarationOnly --declaration --incremental false".split(" "),
        "--rootDir",
        join(ROOT, "src"),
        "--outDir",
        folder,
      ],
      { cwd: ROOT },
    );
    if (!success)
      throw new AppError("invalid", `src/provider does not compile:\n${stdout.toString().trim()}`);
    const found = [...new Bun.Glob("**/*.d.ts").scanSync(folder)].toSorted();
    return await Promise.all(
      found.map(async (path) => {
        const text = await Bun.file(join(folder, path)).text();
        const named = text.replaceAll(/(from "\.[^"]*)\.ts"/g, '$1.js"');
        return { name: join("types", path), bytes: new TextEncoder().encode(named) };
      }),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}
