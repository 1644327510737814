import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { unpackTar } from "modern-tar";
import { MIGRATIONS } from "../../../src/store/sqlite/migrate.ts";
import { submissionsIn } from "../../support/records/archive.ts";
import { formflag, onData } from "../../support/commands.ts";
import { tempDirectory } from "../../support/temp.ts";

/** What `scripts/keep-schema.ts` kept of the last formflag of each schema; 7 and 8 came together. */
export const KEPT = MIGRATIONS.map((_, index) => index + 1).filter((schema) => schema !== 7);

/** Unpacks a data directory and, from schema 2 on, an archive. */
async function unpackKept(schema: number): Promise<{ data: string; archive: string }> {
  const folder = tempDirectory();
  const file = join(import.meta.dir, "schemas", `${String(schema).padStart(2, "0")}.tar.zst`);
  for (const { header, data } of await unpackTar(Bun.zstdDecompressSync(await Bun.file(file).bytes()))) {
    if (header.type !== "file") continue;
    const path = join(folder, header.name);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, data!, { mode: 0o600 });
  }
  return { data: join(folder, "data"), archive: join(folder, "backup.tar") };
}

/** Compares what a data directory holds, once a command has migrated it, with what was sent to the formflag that wrote it. */
async function expectWhole(data: string): Promise<void> {
  await onData(data).json("projects", "create", "other");
  expect(await onData(data).json("check")).toMatchObject({ files: 3, problems: [] });
  const texts = (await submissionsIn(data)).map(
    ({ data: { text }, files }) => `${String(text)}: ${files.length}`,
  );
  expect(texts.toSorted()).toEqual(["one: 1", "three: 0", "two: 2"]);
  expect(await onData(data).json("flags", "get", "search", "-p", "shop", "-e", "develop")).toMatchObject({
    enabled: true,
    payload: [1],
  });
}

function schemaOf(file: string): number {
  using db = new Database(file, { readonly: true });
  return Number(db.query("PRAGMA user_version").values()[0]![0]);
}

/**
 * What is done with archives, and with the data directories of `directories`, that a formflag of each of these schemas has
 * written. A restored archive is brought up to date as a directory is.
 */
export function keptSchemas(schemas: number[], directories: number[] = schemas): void {
  test.each(schemas.filter((schema) => schema > 1))(
    "an archive of schema %i with files is verified and restored",
    async (schema) => {
      const { archive } = await unpackKept(schema);
      const verified = await formflag(["backup", "verify", archive]);
      expect(verified).toMatchObject({ code: 0, stderr: "", stdout: expect.stringContaining("and 3 files") });
      const restored = join(tempDirectory(), "data");
      expect(await onData(restored).run("backup", "restore", archive)).toMatchObject({ code: 0, stderr: "" });
      expect(schemaOf(join(restored, "formflag.db"))).toBe(schema);
      await expectWhole(restored);
    },
    60_000,
  );

  test.each(directories)(
    "a data directory of schema %i with files is backed up as it is, and then used",
    async (schema) => {
      const { data } = await unpackKept(schema);
      const archive = join(tempDirectory(), "backup.tar");
      expect(await onData(data).run("backup", "create", "-o", archive)).toMatchObject({
        code: 0,
        stderr: "",
      });
      expect(schemaOf(join(data, "formflag.db"))).toBe(schema);
      expect(await formflag(["backup", "verify", archive])).toMatchObject({ code: 0, stderr: "" });
      await expectWhole(data);
    },
    60_000,
  );
}
