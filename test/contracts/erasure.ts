import { describe, expect, test } from "bun:test";
import type { Conditions } from "../../src/forms/intake/insertion.ts";
import { addForm, apply, deleteFormChange } from "../support/records/apply.ts";
import { NOW, fileKept, submissionTo } from "../support/records/records.ts";
import { type Driver, fresh, garbageOf, insertNoted, opener } from "./driver.ts";

const HASH = "ab".repeat(32);
const NONE: Conditions = {
  key: null,
  spam: null,
  recent: null,
  challenge: null,
  keepsSpam: true,
  maxSubmissions: null,
};

/** What the product relies on in every driver for submissions that are no longer kept. */
export function erasureContract(driver: Driver): void {
  describe(`submissions that are no longer kept, by ${driver.name},`, async () => {
    const open = opener(driver);
    const store = await open();

    test("are those of a state from before a time, found step by step", async () => {
      const { key } = await addForm(store, fresh());
      const add = async (createdAt: number, spam: string | null = null) => {
        const submission = submissionTo(key, { createdAt, conditions: { ...NONE, spam } });
        await store.submissions.insert(submission);
        return submission.id;
      };
      const ids = [await add(NOW - 3), await add(NOW), await add(NOW - 1), await add(NOW - 2)];
      const spam = await add(NOW - 3, "links");
      const aged = { formKey: key, state: "inbox", createdBefore: NOW } as const;
      const step = (after: string | null, limit: number, below: string | null = null) =>
        store.submissions.aged({ ...aged, after, below, limit });
      expect(await step(null, 2)).toEqual({ ids: [ids[0]!], next: ids[1]! });
      expect(await step(ids[1]!, 3)).toEqual({ ids: [ids[2]!, ids[3]!], next: null });
      expect(await step(null, 10, ids[3])).toEqual({ ids: [ids[0]!, ids[2]!], next: null });
      expect(
        (await store.submissions.aged({ ...aged, state: "spam", after: null, below: null, limit: 9 })).ids,
      ).toEqual([spam]);

      // Meanwhile one may have moved to another state, and the time may be another one.
      const older = { ...aged, createdBefore: NOW - 1 };
      expect(await store.submissions.deleteAged(older, [...ids, spam])).toBe(2);
      const { submissions } = await store.submissions.list(key, 10, null);
      expect(submissions.map(({ id }) => id)).toEqual([spam, ids[2]!, ids[1]!]);
    });

    test("are searched in the order in which they were stored, without those of deleted forms", async () => {
      const store = await open();
      const [one, two, gone] = [
        await addForm(store, "one"),
        await addForm(store, "two"),
        await addForm(store, "gone"),
      ];
      const all = [one, gone, two, one].map(({ key }, index) =>
        submissionTo(key, { files: index === 0 ? [fileKept("e.1"), fileKept("e.2")] : [] }),
      );
      for (const each of all.toReversed()) await insertNoted(store, each);
      await apply(store, deleteFormChange(gone));
      const found = [];
      for (let after: number | null = 0; after !== null;) {
        const { items, next }: Awaited<ReturnType<typeof store.submissions.scanAll>> =
          await store.submissions.scanAll(after, 1);
        expect(items.length).toBeLessThan(2);
        found.push(...items);
        after = next;
      }
      expect(found.map(({ place: _place, ...rest }) => rest)).toEqual([
        { id: all[3]!.id, project: "default", form: "one", formKey: one.key, data: all[3]!.data, files: 0 },
        { id: all[2]!.id, project: "default", form: "two", formKey: two.key, data: all[2]!.data, files: 0 },
        { id: all[0]!.id, project: "default", form: "one", formKey: one.key, data: all[0]!.data, files: 2 },
      ]);
    });

    test("are purged with their keys and the marks of automatic replies, each once", async () => {
      const store = await open();
      const { key } = await addForm(store, "form");
      const conditions = { ...NONE, key: { hash: HASH, content: HASH, expiresAt: NOW + 1000 } };
      const limit = { hash: HASH, expiresAt: NOW + 1000, since: NOW - 1000, most: 10 };
      const reply = (id: string) => ({ id, kind: "autoreply" as const, target: "ada@example.com", limit });
      const [submission, other] = [submissionTo(key, { files: [fileKept("p.1")] }), submissionTo(key)];
      await insertNoted(store, { ...submission, conditions, deliveries: [reply(submission.id)] });
      await store.submissions.insert(other);
      expect((await store.submissions.predict(key, NOW, conditions)).kind).toBe("replayed");
      const { place } = (await store.submissions.scanAll(0, 1)).items[0]!;

      // A place where another submission is now.
      expect(await store.submissions.purge([{ place, id: other.id }], [])).toEqual([]);
      expect(await store.submissions.purge([{ place, id: submission.id }], [HASH])).toEqual([submission.id]);
      expect(await store.submissions.purge([{ place, id: submission.id }], [HASH])).toEqual([]);
      expect(await store.submissions.count(key)).toBe(1);
      expect(await garbageOf(store)).toEqual(["p.1"]);
      expect(await store.deliveries.find(submission.id)).toBeUndefined();
      expect(await store.submissions.predict(key, NOW, conditions)).toEqual({ kind: "stored", spam: null });
      // The address gets a reply again.
      await store.submissions.insert(submissionTo(key, { deliveries: [reply(other.id)] }));
      expect(await store.deliveries.find(other.id)).toBeDefined();
    });

    test("leave the others as they were when the database is rewritten while many are stored", async () => {
      const store = await open();
      const { key } = await addForm(store, "form");
      const insert = () => store.submissions.insert(submissionTo(key));
      const work = Array.from({ length: 60 }, (_, index) =>
        index % 20 === 10 ? store.submissions.rewrite() : insert(),
      );
      await Promise.all([store.submissions.rewrite(), ...work]);
      expect(await store.submissions.count(key)).toBe(57);
      expect(await store.check()).toEqual([]);
    });
  });
}
