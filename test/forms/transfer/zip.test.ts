import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "bun:test";
import { unzipSync } from "fflate";
import { type ZipEntry, zipOf } from "../../../src/forms/transfer/zip.ts";
import { tempDirectory } from "../../support/temp.ts";

const UNZIP = Bun.which("unzip");

async function archiveOf(count: number, modifiedAt = Date.parse("2026-01-02T03:04:05Z")): Promise<Buffer> {
  const bytes = async function* () {
    yield "x";
  };
  const entries = async function* (): AsyncGenerator<ZipEntry> {
    for (let index = 0; index < count; index += 1) yield { name: `f/${index}`, modifiedAt, bytes: bytes() };
  };
  return Buffer.concat(await Array.fromAsync(zipOf(entries())));
}

const many = archiveOf(70_000);

test("an archive has as many entries as it is given, also more than the 65,535 that plain zip can count", async () => {
  expect(Object.keys(unzipSync(await archiveOf(3)))).toEqual(["f/0", "f/1", "f/2"]);
  expect(Object.keys(unzipSync(await many))).toHaveLength(70_000);
});

test.skipIf(UNZIP === null)("unzip takes an archive with many entries for sound", async () => {
  const file = join(tempDirectory(), "many.zip");
  writeFileSync(file, await many);
  const { exited, stdout } = Bun.spawn([UNZIP!, "-tqq", file], { stderr: "inherit" });
  expect([await exited, await new Response(stdout).text()]).toEqual([0, ""]);
});

test("times that zip cannot hold become the nearest that it can", async () => {
  for (const [time, year] of [
    [0, 1980],
    [Date.parse("9999-01-01T00:00:00Z"), 2107],
  ] as const) {
    const archive = await archiveOf(1, time);
    expect(1980 + (archive.readUInt16LE(12) >> 9)).toBe(year);
  }
});
