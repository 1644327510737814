import { describe, expect, test } from "bun:test";
import type { App } from "../../src/app.ts";
import type { Blobs } from "../../src/blobs/blobs.ts";
import type { Notes } from "../../src/blobs/notes.ts";
import { createForm, deleteForm } from "../../src/forms/forms.ts";
import { storeSubmission } from "../../src/forms/submissions.ts";
import { deleteSubmission } from "../../src/forms/keeping/submission-deletion.ts";
import { checkData } from "../../src/maintenance/check.ts";
import { stageText } from "../contracts/blobs.ts";
import { openTestApp } from "../support/app.ts";
import { OPERATOR } from "../support/records/caller.ts";

/** An app with a submission of two files, and what a check finds where another process does something meanwhile. */
async function openUploads() {
  const app = openTestApp();
  const form = await createForm(app, OPERATOR, { slug: "contact", uploads: true });
  const files = await Promise.all(
    ["a.txt", "b.txt"].map(async (name) => {
      const blob = await stageText(app.blobs, name);
      return { field: "file", name, type: "text/plain", blob };
    }),
  );
  const { id } = await storeSubmission(app, form, { data: "{}", files });
  const problemsWith = async (blobs: Partial<Blobs>, notes: Partial<Notes> = {}) => {
    const beside: App = { ...app, blobs: { ...app.blobs, ...blobs }, notes: { ...app.notes, ...notes } };
    return (await checkData(beside, () => {})).problems;
  };
  return { app, id, keys: [`${id}.1`, `${id}.2`], problemsWith };
}

describe("a check beside a server says nothing of", () => {
  test("a submission that is deleted before its file is opened, or before it is read", async () => {
    for (const isOpened of [false, true]) {
      const { app, id, problemsWith } = await openUploads();
      let isDeleted = false;
      const erase = async () => {
        if (!isDeleted) await deleteSubmission(app, OPERATOR, id);
        isDeleted = true;
      };
      const open: Blobs["open"] = async (key) => {
        if (!isOpened) await erase();
        const bytes = await app.blobs.open(key);
        await erase();
        return bytes;
      };
      expect(await problemsWith({ open })).toEqual([]);
    }
  });

  test("a submission whose row is gone and whose files are about to go", async () => {
    const { app, id, keys, problemsWith } = await openUploads();
    const pending = async () => {
      await app.store.submissions.delete([id]);
      return app.notes.pending();
    };
    expect(await problemsWith({}, { pending })).toEqual([]);
    expect(await app.blobs.has(keys[0]!)).toBe(true);
  });

  test("the files of a form that go one by one", async () => {
    const { app, keys, problemsWith } = await openUploads();
    const has = async (key: string) => {
      const isPresent = await app.blobs.has(key);
      const others = await Promise.all(keys.map((each) => app.blobs.has(each)));
      // The next one goes once both were seen.
      if (key === keys[1]) await app.blobs.delete([keys[others.indexOf(true)] ?? key]);
      return isPresent;
    };
    const pending = async () => {
      await deleteForm(app, OPERATOR, "contact").catch(() => {});
      return [];
    };
    expect(await problemsWith({ has }, { pending })).toEqual([]);
  });
});

test("a file that stays although nothing refers to it is an orphan", async () => {
  const { app, id, keys, problemsWith } = await openUploads();
  await app.store.submissions.delete([id]);
  await app.notes.forget(keys);
  const problems = await problemsWith({});
  expect(problems.map(({ kind, what }) => `${kind} ${what}`).toSorted()).toEqual(
    keys.map((key) => `orphan ${key}`),
  );
});
