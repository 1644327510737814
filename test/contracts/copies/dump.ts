import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import type { Store } from "../../../src/app.ts";
import { differingTables, digestOf } from "../../../src/maintenance/digest.ts";
import type { Batch, Dump, PortableValue } from "../../../src/maintenance/store.ts";
import { TABLE_NAMES, type TableName, columnsOf } from "../../../src/maintenance/tables.ts";
import { openTestApp } from "../../support/app.ts";
import { addForm, addProject } from "../../support/records/apply.ts";
import { bringEveryTable } from "../../support/records/every-table.ts";
import { HOSTILE_TEXTS } from "../../support/pages/hostile-texts.ts";
import { fileKept, nextId, submissionTo } from "../../support/records/records.ts";
import { codeOf, reasonOf } from "../../support/refusals.ts";
import { type Driver, fresh, insertNoted, opener } from "../driver.ts";

/** What the product relies on where the rows of a store of one driver fill a store of another. */
export function dumpContract(from: Driver, to: Driver): void {
  describe(`a dump of ${from.name} in a store of ${to.name}`, async () => {
    const [openSource, openTarget] = [opener(from), opener(to)];

    test("makes an equal store, of every table", async () => {
      const [source, target] = [await openSource(), await openTarget()];
      await bringEveryTable({ ...openTestApp(), store: source });
      const digests = await digestOf(source.dump());
      expect(TABLE_NAMES.filter((table) => digests[table].rows === 0)).toEqual([]);
      await target.fill(source.dump());
      expect(differingTables(digests, await digestOf(target.dump()))).toEqual([]);
      expect(await target.check()).toEqual([]);
      expect(await target.submissions.wrongCounts()).toEqual([]);
      expect(await target.submissions.counts()).toEqual(await source.submissions.counts());
      const { version, access } = await source.readVersion();
      expect(await target.readVersion()).toMatchObject({ version, access });
      expect(await idsIn(target)).toEqual(await idsIn(source));
      expect((await target.forms.list()).length).toBeGreaterThan(0);
      expect(await target.forms.list()).toEqual(await source.forms.list());
      expect(await target.projects.list()).toEqual(await source.projects.list());
    });

    test("leaves room for what comes next, with ids of its own", async () => {
      const [source, target] = [await openSource(), await openTarget()];
      const { key } = await addForm(source, "first");
      await addProject(source, "p", "a");
      await source.submissions.insert(submissionTo(key));
      await target.fill(source.dump());
      await addForm(target, "second");
      const { set } = await addProject(target, "q", "a");
      await set("a", "f", { enabled: true });
      const sent = submissionTo(key, { files: [fileKept("later.1")] });
      await insertNoted(target, sent);
      expect((await target.submissions.list(key, 10, null)).submissions).toHaveLength(2);
      expect(await target.submissions.find(sent.id)).toMatchObject({ files: [{ name: "a.txt" }] });
      expect(await target.submissions.wrongCounts()).toEqual([]);
      expect(await target.check()).toEqual([]);
    });

    test("fills a store on which a server has only started, and takes its secrets away", async () => {
      const [source, filled, moved] = [await openSource(), await openTarget(), await openTarget()];
      await addForm(source, "form");
      const secret = await source.secrets.keep("file-links", "s".repeat(43));
      for (const store of [filled, moved])
        for (const name of ["links", "file-links", "instance"])
          await store.secrets.keep(name, "t".repeat(43));
      await filled.fill(source.dump());
      const moving = await moved.moving();
      await moving.begin();
      await moving.replace("setup", source.dump());
      await moving.release();
      for (const store of [filled, moved]) {
        const batches = await Array.fromAsync(store.dump());
        expect(batches.filter(({ table }) => table === "secrets")).toEqual([
          { table: "secrets", rows: [["file-links", secret]] },
        ]);
        expect(await reasonOf(store.fill(source.dump()))).toBe("conflict database-not-empty");
      }
    });

    test("is refused by a store that has anything", async () => {
      const [source, target] = [await openSource(), await openTarget()];
      await addForm(source, "a");
      await addForm(target, "b");
      expect(await codeOf(target.fill(source.dump()))).toBe("conflict");
      expect(await target.forms.list()).toMatchObject([{ slug: "b" }]);
    });

    test("that breaks off leaves a store that no other dump fills", async () => {
      const [source, target] = [await openSource(), await openTarget()];
      const { key } = await addForm(source, "a");
      await source.submissions.insert(submissionTo(key));
      const broken = async function* () {
        for await (const batch of source.dump()) {
          if (batch.table === "submissions") throw new Error("broken off");
          yield batch;
        }
      };
      expect(await target.fill(broken()).catch((error: Error) => error.message)).toBe("broken off");
      expect(await target.readVersion()).toMatchObject({ version: 0 });
      const again = await codeOf(target.fill(source.dump()));
      // A driver may also have undone what it began.
      expect(["conflict", "none"]).toContain(again);
    });

    test("keeps every text", async () => {
      await fc.assert(
        fc.asyncProperty(storeWithTexts(), async (rows) => {
          const [source, target] = [await from.open(fresh("database")), await to.open(fresh("database"))];
          const stores = [source, target] as const;
          await stores[0].fill(asDump(rows));
          await stores[1].fill(stores[0].dump());
          expect(await rowsOf(stores[1].dump())).toEqual(rows);
          await Promise.all(stores.map((store) => store.close()));
        }),
        { numRuns: 2 },
      );
    });
  });
}

/** What every driver keeps about the dumps of its own stores. */
export function dumpsContract(driver: Driver): void {
  describe(`a dump of ${driver.name}`, async () => {
    const open = opener(driver);

    test("is of one moment, while others write", async () => {
      const store = await open();
      const { key } = await addForm(store, "form");
      const early = Array.from({ length: 20 }, () =>
        submissionTo(key, { files: [fileKept(`${nextId()}.1`)] }),
      );
      for (const each of early) await insertNoted(store, each);
      const seen: Batch[] = [];
      for await (const batch of store.dump()) {
        seen.push(batch);
        await insertNoted(store, submissionTo(key, { files: [fileKept(`${nextId()}.1`)] }));
        await store.submissions.delete([early.shift()!.id]);
        await addForm(store, fresh());
      }
      const rows = await rowsOf(asDump(Object.fromEntries(seen.map(({ table, rows }) => [table, rows]))));
      expect([rows.forms?.length, rows.submissions?.length, rows.files?.length]).toEqual([1, 20, 20]);
      const submissions = new Set(rows.submissions!.map(([id]) => id));
      expect(rows.files!.filter(([id]) => !submissions.has(id))).toEqual([]);
    });

    test("comes in pieces that fit in memory, and says how far it is", async () => {
      const store = await open();
      const { key } = await addForm(store, "form");
      const data = JSON.stringify({ text: "x".repeat(200_000) });
      for (let count = 0; count < 45; count += 1) await store.submissions.insert(submissionTo(key, { data }));
      for (let count = 0; count < 600; count += 1) await store.submissions.insert(submissionTo(key));
      const progress: number[] = [];
      const sizes: number[] = [];
      const dump = store.dump((done, total) => {
        expect(done).toBeLessThanOrEqual(total);
        progress.push(done);
      });
      for await (const { table, rows } of dump) if (table === "submissions") sizes.push(rows.length);
      expect(sizes.length).toBeGreaterThanOrEqual(4);
      expect([sizes.reduce((sum, size) => sum + size, 0), Math.max(...sizes) <= 500]).toEqual([645, true]);
      expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    });

    test("holds nothing once its reader turns away", async () => {
      const database = fresh("database");
      const store = await driver.open(database);
      await addForm(store, "form");
      for await (const _ of store.dump()) break;
      await store.close();
      expect(await (await open(database)).forms.list()).toHaveLength(1);
    });

    test("has another digest for any other value, number of rows or type", async () => {
      const digest = async (...rows: PortableValue[][]) =>
        (await digestOf(asDump({ alerts: rows }))).alerts.sha256;
      const digests = await Promise.all([
        digest(),
        digest(["a", 1]),
        digest(["a", 2]),
        digest(["b", 1]),
        digest(["a", "1"]),
        digest(["a", null]),
        digest([Buffer.from("a"), 1]),
        digest(["61", 1]),
        digest(["a", 1], ["a", 1]),
        digest(["a", 1], ["b", 1]),
      ]);
      expect(new Set(digests).size).toBe(digests.length);
      expect(await digest(["b", 1], ["a", 1])).toBe(digests.at(-1)!);
      expect(await digest([new Uint8Array([97]), 1])).toBe(await digest([Buffer.from("a"), 1]));
    });
  });
}

type Rows = Partial<Record<TableName, PortableValue[][]>>;

async function* asDump(rows: Rows): Dump {
  for (const table of TABLE_NAMES) if (rows[table]?.length) yield { table, rows: rows[table] };
}

async function rowsOf(dump: Dump): Promise<Rows> {
  const rows: Rows = {};
  for await (const batch of dump) (rows[batch.table] ??= []).push(...batch.rows);
  return rows;
}

async function idsIn(store: Store): Promise<PortableValue[]> {
  return (await rowsOf(store.dump())).submissions!.map(([id]) => id!);
}

/** Any text; the names of files and fields are the only ones that may hold a NUL. */
const NAMES = fc.oneof(
  fc.constantFrom(...HOSTILE_TEXTS, "\0", "a\0b"),
  fc.string({ unit: "binary", maxLength: 40 }),
);
const TEXTS = NAMES.map((value) => value.replaceAll("\0", ""));

/** A row of a table and of each that it refers to, with any text where the schema takes it. */
function storeWithTexts(): fc.Arbitrary<Rows> {
  const id = nextId();
  const given: Record<string, PortableValue> = { submission: id, target: "t" };
  const valueOf = (table: TableName, name: string): fc.Arbitrary<PortableValue> => {
    const type = columnsOf(table).find(([column]) => column === name)![1];
    if (type === "submission" || (table === "submissions" && name === "id")) return fc.constant(id);
    if (type === "uuid") return fc.constant(given[name] ?? id);
    if (type === "bytes")
      return fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes));
    if (name === "target_id" || (table === "project_targets" && name === "id")) return fc.constant("t");
    if (name === "segment" || (table === "segments" && name === "name")) return fc.constant("s");
    if (type === "text") return table === "files" && /^(field|name)$/.test(name) ? NAMES : TEXTS;
    if (/(^|_)id$/.test(name) || /^(kind|state|unread|position|number)$/.test(name)) return fc.constant(1);
    return /_at$|^(at|hour|size|count)$/.test(name) ? fc.nat() : fc.constant(1);
  };
  const tables = TABLE_NAMES.map((table) => {
    const columns = columnsOf(table).map(([name]) => valueOf(table, name));
    return fc.tuple(...columns).map((row): [TableName, PortableValue[][]] => [table, [row]]);
  });
  return fc.tuple(...tables).map((entries) => Object.fromEntries(entries) as Rows);
}
