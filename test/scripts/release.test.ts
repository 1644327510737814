import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import { unzipSync } from "fflate";
import { unpackTar } from "modern-tar";
import manifest from "../../package.json";
import { tarGz, zip } from "../../scripts/archive.ts";
import { formatOf } from "../../scripts/format.ts";
import { openFeaturePackage } from "../../scripts/publishing/openfeature.ts";
import { type Lock, sbom } from "../../scripts/sbom.ts";
import { EXECUTABLE } from "../support/executable.ts";

const DATE = new Date("2026-03-29T01:30:00Z");
const bytes = (text: string) => new TextEncoder().encode(text);
const ENTRIES = [
  { name: "a/run", bytes: bytes("#!/bin/sh\n"), executable: true },
  { name: "a/README.md", bytes: bytes("read me\n") },
];

describe("an archive", () => {
  test.each([
    ["tar.gz", tarGz],
    ["zip", zip],
  ])(
    "as .%s is the same bytes in whichever order its files come, and others with another date",
    async (_, make) => {
      const first = await make(ENTRIES, DATE);
      expect(await make(ENTRIES.toReversed(), new Date(DATE))).toEqual(first);
      expect(await make(ENTRIES, new Date("2026-03-30T01:30:00Z"))).not.toEqual(first);
    },
  );

  test("as .tar.gz holds the files by name, with their modes, of nobody in particular", async () => {
    const entries = await unpackTar(Bun.gunzipSync((await tarGz(ENTRIES, DATE)) as Uint8Array<ArrayBuffer>));
    expect(
      entries.map(({ header, data }) => [header.name, header.mode, header.uid, header.mtime, data?.length]),
    ).toEqual([
      ["a/README.md", 0o644, 0, DATE, 8],
      ["a/run", 0o755, 0, DATE, 10],
    ]);
  });

  test("as .zip holds the files by name", () => {
    const files = unzipSync(zip(ENTRIES, DATE));
    expect(Object.keys(files)).toEqual(["a/README.md", "a/run"]);
    expect(new TextDecoder().decode(files["a/run"])).toBe("#!/bin/sh\n");
  });
});

test("the package of the providers is the same bytes each time, compiles no code, and needs only the SDKs", async () => {
  const about = { version: "1.2.3", description: "", license: "MIT", date: DATE };
  const { name, bytes } = await openFeaturePackage(about);
  expect(name).toBe("formflag-openfeature-1.2.3.tgz");
  expect(await openFeaturePackage(about)).toEqual({ name, bytes });
  const entries = await unpackTar(Bun.gunzipSync(bytes as Uint8Array<ArrayBuffer>));
  const files = new Map(
    entries.map(({ header, data }) => [header.name.slice("package/".length), new TextDecoder().decode(data)]),
  );
  type Package = { exports: Record<string, { types: string; default: string }>; dependencies?: object };
  const { exports, dependencies } = JSON.parse(files.get("package.json")!) as Package;
  expect(dependencies).toBeUndefined();
  const named = Object.values(exports).flatMap((each) =>
    typeof each === "string" ? [] : Object.values(each),
  );
  expect(named.filter((path) => !files.has(path.slice(2)))).toEqual([]);
  for (const [path, text] of files) {
    if (!/\.(js|d\.ts)$/.test(path)) continue;
    expect([path, text.match(/\beval\(|new Function|\bprocess\.\w|\bBun\./g)]).toEqual([path, null]);
    const imported = [...text.matchAll(/(?:from|import\() ?"([^."][^"]*)"/g)].map(([, from]) => from!);
    expect(imported.filter((from) => !/^@openfeature\/(?:server|web)-sdk$/.test(from))).toEqual([]);
  }
});

describe("the bill of materials", () => {
  const runtimes = ["@oven/bun-linux-x64", "@oven/bun-windows-x64"];
  const readLock = async () =>
    (await Bun.file(join(import.meta.dir, "../../package-lock.json")).json()) as Lock;

  test("names every direct dependency and Bun, each with version, license and hash", async () => {
    const { components, metadata } = sbom(await readLock(), { manifest, date: DATE, runtimes });
    const names = components.map(({ name, version }) => `${name} ${version}`);
    const direct = Object.entries({ ...manifest.dependencies, bun: manifest.devDependencies.bun });
    expect(names).toEqual(expect.arrayContaining(direct.map((pair) => pair.join(" "))));
    expect(components.map(({ name }) => name)).not.toContain("typescript");
    expect(metadata).toMatchObject({
      timestamp: DATE.toISOString(),
      component: { version: manifest.version },
    });
    const builds = components.flatMap((component) => ("components" in component ? component.components : []));
    expect(builds.map(({ name }) => name)).toEqual(runtimes);
    for (const { purl, version, hashes, licenses } of [...components, ...builds]) {
      expect(purl).toMatch(/^pkg:npm\/(%40[^/@]+\/)?[^/@]+@\d/);
      expect(purl).toEndWith(`@${version}`);
      expect(hashes[0]!.content).toMatch(/^[0-9a-f]{128}$/);
      expect(licenses).toHaveLength(1);
    }
  });

  test("says what depends on what, and every reference leads somewhere", async () => {
    const { components, dependencies, metadata } = sbom(await readLock(), { manifest, date: DATE, runtimes });
    const known = new Set([metadata.component["bom-ref"], ...components.map((each) => each["bom-ref"])]);
    for (const { ref, dependsOn } of dependencies) {
      for (const each of [ref, ...dependsOn]) expect(known).toContain(each);
    }
    const reached = new Set(dependencies.flatMap(({ dependsOn }) => dependsOn));
    expect(reached.size).toBe(components.length);
  });

  test("is the same for the same commit, and another for another", async () => {
    const lock = await readLock();
    const made = (date: Date) => sbom(lock, { manifest, date, runtimes });
    expect(made(DATE)).toEqual(made(DATE));
    expect(made(new Date()).serialNumber).not.toBe(made(DATE).serialNumber);
    expect(made(DATE).serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  });

  test("is refused where the lock lacks a hash", async () => {
    const lock = await readLock();
    delete lock.packages["node_modules/zod"]!.integrity;
    expect(() => sbom(lock, { manifest, date: DATE, runtimes })).toThrow("node_modules/zod");
  });
});

describe("the format of an executable", () => {
  test.if(process.platform === "linux")("says processor and loader", async () => {
    const head = await Bun.file(EXECUTABLE).slice(0, 4096).bytes();
    expect(formatOf(head)).toMatch(new RegExp(`^ELF ${process.arch} /lib(64)?/ld-`));
  });

  test("is told from the first bytes alone", () => {
    const mach = new Uint8Array(64);
    mach.set([0xcf, 0xfa, 0xed, 0xfe, 0x0c, 0, 0, 1]);
    expect(formatOf(mach)).toBe("Mach-O arm64");
    const pe = new Uint8Array(128);
    pe.set([0x4d, 0x5a]);
    pe.set([0x40], 0x3c);
    pe.set([0x50, 0x45, 0, 0, 0x64, 0x86], 0x40);
    expect(formatOf(pe)).toBe("PE x64");
    expect(formatOf(bytes("#!/bin/sh\n".padEnd(64)))).toBe("no executable");
  });
});
