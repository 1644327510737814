import { describe, expect, test } from "bun:test";
import { blobKey } from "../../src/blobs/key.ts";
import { addForm } from "../support/records/apply.ts";
import { NOW, fileKept, submissionTo } from "../support/records/records.ts";
import { codeOf } from "../support/refusals.ts";
import { type Driver, type OpenStore, fresh, insertNoted, opener } from "./driver.ts";

const HOUR = 3_600_000;

const [A, B, C] = ["ab", "cd", "ef"].map((end) => `00000000-0000-7000-8000-0000000000${end}`) as [
  string,
  string,
  string,
];

/** What the product relies on in every driver of the `Notes` port, beside its store. */
export function notesContract(driver: Driver): void {
  describe(`the notes contract, kept by ${driver.name}`, async () => {
    const open = opener(driver);
    /** A submission to a form of its own, with one file, and the note of it. */
    const noted = async (store: OpenStore) => {
      const { key } = await addForm(store, fresh("form"));
      const submission = submissionTo(key);
      const file = blobKey(submission.id, 1);
      await store.notes.add(submission.id, 1, NOW + HOUR);
      return { submission: { ...submission, files: [fileKept(file)] }, file };
    };

    test("files are pending from their upload note until that is cleared, for every process", async () => {
      const database = fresh("database");
      const [store, other] = [await open(database), await open(database)];
      await store.notes.add(A, 2, NOW + HOUR);
      await store.notes.add(B, 1, NOW + HOUR);
      for (const { notes } of [store, other])
        expect((await notes.pending()).toSorted()).toEqual([`${A}.1`, `${A}.2`, `${B}.1`]);
      await store.notes.clear([A, "00000000-0000-7000-8000-000000000000"]);
      expect(await other.notes.pending()).toEqual([`${B}.1`]);
    });

    test("the upload notes of an ended process are claimed once due, again until they are cleared", async () => {
      const database = fresh("database");
      const before = await open(database);
      for (const id of [A, B, C]) await before.notes.add(id, 2, NOW + HOUR);
      await before.notes.clear([B]);
      await before.close();
      const { notes } = await open(database);
      for (const again of [1, 2]) {
        const { uploads, garbage } = await notes.claim(NOW + HOUR, 10);
        expect([again, uploads.toSorted((a, b) => (a.id < b.id ? -1 : 1)), garbage]).toEqual([
          again,
          [
            { id: A, files: 2 },
            { id: C, files: 2 },
          ],
          [],
        ]);
      }
      const { uploads: some } = await notes.claim(NOW + HOUR, 1);
      expect(some).toHaveLength(1);
      await notes.clear(some.map(({ id }) => id));
      const { uploads: rest } = await notes.claim(NOW + HOUR, 10);
      expect(rest).toHaveLength(1);
      await notes.clear(rest.map(({ id }) => id));
      expect(await notes.claim(NOW + HOUR, 10)).toEqual({ uploads: [], garbage: [] });
      expect(await notes.pending()).toEqual([]);
    });

    test("the upload note of a submission that is under way is not claimed before it is due", async () => {
      const database = fresh("database");
      const store = await open(database);
      const { submission } = await noted(store);
      expect((await store.notes.claim(NOW, 10)).uploads).toEqual([]);
      expect((await store.submissions.insert(submission)).kind).toBe("stored");
      if (!store.notes.clearedByInsert) await store.notes.clear([submission.id]);
      expect(await store.notes.pending()).toEqual([]);
      expect(await store.notes.claim(NOW + HOUR, 10)).toEqual({ uploads: [], garbage: [] });
    });

    test("a submission whose upload note was claimed is not stored", async () => {
      const store = await open();
      const { submission, file } = await noted(store);
      const { uploads } = await store.notes.claim(NOW + HOUR, 10);
      // A driver that can tell which processes have ended claims the notes of no other.
      if (uploads.length === 0) return;
      expect(uploads).toEqual([{ id: submission.id, files: 1 }]);
      expect(await codeOf(store.submissions.insert(submission))).toBe("unavailable");
      expect(await store.submissions.unreferenced([file])).toEqual([file]);
    });

    test("files of deleted submissions are garbage until they are forgotten", async () => {
      const store = await open();
      const { key } = await addForm(store, "form");
      const submission = submissionTo(key, { files: [fileKept("d1"), fileKept("d2")] });
      await insertNoted(store, submission);
      const garbage = async (limit = 10) => (await store.notes.claim(NOW, limit)).garbage.toSorted();
      expect(await garbage()).toEqual([]);
      await store.submissions.delete([submission.id]);
      expect(await garbage(1)).toHaveLength(1);
      expect(await garbage()).toEqual(["d1", "d2"]);
      expect(await store.submissions.unreferenced(["d1", "d2"])).toEqual([]);
      await store.notes.forget(["d1", "never garbage"]);
      expect(await store.submissions.unreferenced(["d1", "d2"])).toEqual(["d1"]);
      expect(await garbage()).toEqual(["d2"]);
    });

    test("there is no garbage for any process while one holds files, and there is once it released them", async () => {
      const database = fresh("database");
      const [store, other] = [await open(database), await open(database)];
      const { key } = await addForm(store, "form");
      const [first, second] = ["h1", "h2"].map((file) => submissionTo(key, { files: [fileKept(file)] }));
      for (const each of [first!, second!]) await insertNoted(store, each);
      await store.submissions.delete([first!.id]);
      for (const again of [1, 2]) {
        const hold = await other.notes.hold();
        await store.submissions.delete([second!.id]);
        for (const { notes } of [store, other])
          expect([again, (await notes.claim(NOW, 10)).garbage]).toEqual([again, []]);
        await hold.release();
      }
      for (const { notes } of [store, other])
        expect((await notes.claim(NOW, 10)).garbage.toSorted()).toEqual(["h1", "h2"]);
    });
  });
}
