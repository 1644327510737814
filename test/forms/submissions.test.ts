import { join } from "node:path";
import { deleteSubmission } from "../../src/forms/keeping/submission-deletion.ts";
import { describe, expect, test } from "bun:test";
import { createForm, deleteForm } from "../../src/forms/forms.ts";
import { sweep } from "../../src/forms/keeping/removal.ts";
import { UNKNOWN_OUTCOME } from "../../src/forms/intake/insertion.ts";
import { getSubmission, openFile, readSubmission, storeSubmission } from "../../src/forms/submissions.ts";
import { AppError } from "../../src/base/errors.ts";
import { eachSubmission, listSubmissions } from "../../src/forms/inbox/submission-list.ts";
import { stageText } from "../contracts/blobs.ts";
import { type TestApp, openTestApp } from "../support/app.ts";
import { OPERATOR } from "../support/records/caller.ts";
import { codeOf } from "../support/refusals.ts";
import { openNotes } from "../support/notes.ts";
import { uploadsOf } from "../support/uploads.ts";

const app = openTestApp();
let forms = 0;
const openForm = (to: TestApp = app) =>
  createForm(to, OPERATOR, { slug: `form-${(forms += 1)}`, uploads: true });
const { kept, staged, draftFiles } = uploadsOf(app);
/** The bytes of a file, as text. */
const fileOf = async (id: string, file: string) => openFile(app, await readSubmission(app, id), file);
const textOf = async (id: string, file: string) => new Response((await fileOf(id, file)).bytes).text();
describe("a submission", () => {
  test("is stored with its files, in order", async () => {
    const form = await openForm();
    const { id } = await storeSubmission(app, form, {
      data: '{"a":1}',
      files: await draftFiles("x.txt", "y.txt"),
    });
    expect(await getSubmission(app, OPERATOR, id)).toEqual({
      id,
      project: "default",
      form: form.slug,
      data: { a: 1 },
      files: ["x.txt", "y.txt"].map((name) => ({
        field: "file",
        name,
        type: "text/plain",
        size: 5,
        sha256: new Bun.CryptoHasher("sha256").update(name).digest("hex"),
      })),
      createdAt: new Date(app.now()).toISOString(),
      state: "inbox",
      spam: null,
      read: false,
      meta: null,
      flags: null,
      unchecked: null,
      assignee: null,
      labels: [],
      confirmedAt: null,
      unsubscribedAt: null,
      consent: null,
    });
    expect(staged()).toEqual([]);
  });

  test("leaves no file when its row cannot be stored", async () => {
    const form = await openForm();
    const before = kept();
    const files = await draftFiles("x.txt", "y.txt");
    await deleteForm(app, OPERATOR, form.slug);
    expect(await codeOf(storeSubmission(app, form, { data: "{}", files }))).toBe("not_found");
    expect(kept()).toEqual(before);
    expect(staged()).toEqual([]);
  });

  test("leaves no row when one of its files cannot be kept", async () => {
    const form = await openForm();
    const before = kept();
    const files = await draftFiles("x.txt", "y.txt");
    await files[1]!.blob.discard();
    const storing = storeSubmission(app, form, { data: "{}", files });
    expect(await storing.catch(String)).toContain("kept or discarded before");
    expect(await app.store.submissions.count(form.key)).toBe(0);
    for (const { blob } of files) await blob.discard();
    expect(kept()).toEqual(before);
    expect(staged()).toEqual([]);
  });

  test("is gone with its files once deleted", async () => {
    const form = await openForm();
    const before = kept();
    const { id } = await storeSubmission(app, form, {
      data: "{}",
      files: await draftFiles("x.txt", "y.txt"),
    });
    expect(kept()).toHaveLength(before.length + 2);
    await deleteSubmission(app, OPERATOR, id);
    expect(await codeOf(getSubmission(app, OPERATOR, id))).toBe("not_found");
    expect(await codeOf(deleteSubmission(app, OPERATOR, id))).toBe("not_found");
    expect(kept()).toEqual(before);
  });

  test("is gone with its files once its form is deleted", async () => {
    const form = await openForm();
    const before = kept();
    const { id } = await storeSubmission(app, form, { data: "{}", files: await draftFiles("x.txt") });
    await deleteForm(app, OPERATOR, form.key);
    expect(await codeOf(getSubmission(app, OPERATOR, id))).toBe("not_found");
    expect(kept()).toEqual(before);
  });
});

describe("the submissions of a form", () => {
  test("come newest first, by slug and by key", async () => {
    const form = await openForm();
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1) {
      ids.unshift((await storeSubmission(app, form, { data: "{}", files: [] })).id);
    }
    const { submissions: page } = await listSubmissions(app, form, { limit: 3, before: null });
    expect(page.map((each) => each.id)).toEqual(ids.slice(0, 3));
    const { submissions: rest } = await listSubmissions(app, form, { limit: 3, before: ids[2]! });
    expect(rest.map((each) => each.id)).toEqual(ids.slice(3));
    const nobody = listSubmissions(app, { key: "nobody" }, { limit: 1, before: null });
    expect(await codeOf(nobody)).toBe("not_found");
  });

  test("are all walked through, each once, also those of many pages", async () => {
    const form = await openForm();
    const stored = await Promise.all(
      Array.from({ length: 1001 }, () => storeSubmission(app, form, { data: "{}", files: [] })),
    );
    const ids = stored.map(({ id }) => id);
    const walked: string[] = [];
    for await (const page of eachSubmission(app, form, { states: ["inbox"] }))
      walked.push(...page.map((each) => each.id));
    expect(walked).toEqual(ids.toReversed());
  });
});

describe("a file of a submission", () => {
  test("is opened by its number, from 1, or by its name", async () => {
    const files = await draftFiles("x.txt", "y.txt");
    const { id } = await storeSubmission(app, await openForm(), { data: "{}", files });
    expect(await textOf(id, "1")).toBe("x.txt");
    expect(await textOf(id, "2")).toBe("y.txt");
    expect(await textOf(id, "y.txt")).toBe("y.txt");
    expect((await fileOf(id, "2")).file).toMatchObject({ name: "y.txt", size: 5 });
  });

  test("that is not there is not found", async () => {
    const { id } = await storeSubmission(app, await openForm(), {
      data: "{}",
      files: await draftFiles("x.txt"),
    });
    for (const file of ["0", "2", "-1", "1.0", "01", "z.txt", "", "../x.txt"]) {
      expect([file, await codeOf(fileOf(id, file))]).toEqual([file, "not_found"]);
    }
    expect(await codeOf(fileOf("nothing", "1"))).toBe("not_found");
  });

  test("whose name is another's too conflicts by name and is opened by number", async () => {
    const files = await draftFiles("same.txt", "same.txt");
    const { id } = await storeSubmission(app, await openForm(), { data: "{}", files });
    const error = await fileOf(id, "same.txt").catch((error: unknown) => error);
    expect(error).toMatchObject({ code: "conflict", hint: expect.stringContaining("1, 2") });
    expect(await textOf(id, "2")).toBe("same.txt");
  });

  test("that is named like another's number gives way to the number", async () => {
    const files = await draftFiles("2", "7");
    const { id } = await storeSubmission(app, await openForm(), { data: "{}", files });
    expect(await textOf(id, "2")).toBe("7");
    expect(await textOf(id, "7")).toBe("7");
  });
});

describe("recovery after a crash", () => {
  const uploads = join(app.directory, "uploads");
  /** Notes a submission as a process that ends right after. */
  const note = (id: string, files: number) => openNotes(app.store, uploads).add(id, files, app.now());
  /** Sweeps as the next server does. */
  const recover = () => sweep({ ...app, notes: openNotes(app.store, uploads, true) });
  const keepNoted = async () => {
    const id = app.nextId();
    const key = `${id}.1`;
    await note(id, 1);
    await app.blobs.keep([{ key, staged: await stageText(app.blobs, "cut off") }]);
    return key;
  };

  test("removes the files of a submission that never got its row, and nothing else", async () => {
    const files = await draftFiles("x.txt", "y.txt");
    const { id } = await storeSubmission(app, await openForm(), { data: "{}", files });
    // As if the process had ended just after the commit, before it cleared its note.
    await note(id, 2);
    const unnoted = `${app.nextId()}.1`;
    await app.blobs.keep([{ key: unnoted, staged: await stageText(app.blobs, "from elsewhere") }]);
    const cutOff = await keepNoted();
    const before = kept();

    expect(await recover()).toBe(1);

    expect(kept()).toEqual(before.filter((key) => key !== cutOff));
    expect(await textOf(id, "1")).toBe("x.txt");
    expect(staged()).toEqual([]);
    expect(await recover()).toBe(0);
  });

  test("finds the files of a submission of which the database did not say whether it is stored", async () => {
    const form = await openForm();
    for (const isStored of [true, false]) {
      const before = kept();
      const insert: typeof app.store.submissions.insert = async (submission) => {
        if (isStored) await app.store.submissions.insert(submission);
        throw new AppError("unavailable", "the connection was lost", { reason: UNKNOWN_OUTCOME });
      };
      const store = { ...app.store, submissions: { ...app.store.submissions, insert } };
      const files = await draftFiles("x.txt");
      expect(await codeOf(storeSubmission({ ...app, store }, form, { data: "{}", files }))).toBe(
        "unavailable",
      );
      expect([kept().length, staged().length]).toEqual([before.length + 1, 1]);
      expect(await recover()).toBe(isStored ? 0 : 1);
      expect([kept().length, staged().length]).toEqual([before.length + (isStored ? 1 : 0), 0]);
    }
  });

  test("finds the files of a submission for which a storage that did not answer may have kept some", async () => {
    const form = await openForm();
    const before = kept();
    const keep: typeof app.blobs.keep = async (files) => {
      await app.blobs.keep(files);
      throw new AppError("unavailable", "no answer in time", { reason: "storage-unavailable" });
    };
    const files = await draftFiles("x.txt");
    const stored = storeSubmission({ ...app, blobs: { ...app.blobs, keep } }, form, { data: "{}", files });
    expect(await codeOf(stored)).toBe("unavailable");
    expect(kept()).toHaveLength(before.length + 1);
    expect(await recover()).toBe(1);
    expect(kept()).toEqual(before);
  });

  test("finds nothing to do after a submission that was stored or refused", async () => {
    const form = await openForm();
    await storeSubmission(app, form, { data: "{}", files: await draftFiles("x.txt") });
    await deleteForm(app, OPERATOR, form.slug);
    const files = await draftFiles("y.txt");
    expect(await codeOf(storeSubmission(app, form, { data: "{}", files }))).toBe("not_found");
    expect(staged()).toEqual([]);
    expect(await recover()).toBe(0);
  });

  test("finishes a deletion that was cut off between the row and its files", async () => {
    const { id } = await storeSubmission(app, await openForm(), {
      data: "{}",
      files: await draftFiles("x.txt"),
    });
    const cutOff = { ...app, blobs: { ...app.blobs, delete: () => Promise.reject(new Error("the end")) } };
    expect(await deleteSubmission(cutOff, OPERATOR, id).catch(String)).toContain("the end");
    expect(kept()).toContain(`${id}.1`);
    await sweep(app);
    expect(kept()).not.toContain(`${id}.1`);
  });

  test("leaves the files of a deletion that was cut off before the row went", async () => {
    const { id } = await storeSubmission(app, await openForm(), {
      data: "{}",
      files: await draftFiles("x.txt"),
    });
    const remove = () => Promise.reject(new Error("the end"));
    const store = { ...app.store, submissions: { ...app.store.submissions, delete: remove } };
    expect(await deleteSubmission({ ...app, store }, OPERATOR, id).catch(String)).toContain("the end");
    expect(await recover()).toBe(0);
    expect(await textOf(id, "1")).toBe("x.txt");
  });
});
