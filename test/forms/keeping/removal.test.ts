import { mkdirSync, rmSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { AppError } from "../../../src/base/errors.ts";
import { openDiskBlobs } from "../../../src/blobs/disk.ts";
import { createForm, createFormFinder, deleteForm, getForm } from "../../../src/forms/forms.ts";
import { clearDeletedForms, expiryJob, removalJob, sweep } from "../../../src/forms/keeping/removal.ts";
import { storeSubmission } from "../../../src/forms/submissions.ts";
import { deleteSubmission } from "../../../src/forms/keeping/submission-deletion.ts";
import { openSqliteStore } from "../../../src/store/sqlite/store.ts";
import { openTestApp } from "../../support/app.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { openNotes } from "../../support/notes.ts";
import { fileKept, submissionTo } from "../../support/records/records.ts";
import { codeOf } from "../../support/refusals.ts";
import { uploadsOf } from "../../support/uploads.ts";

/** An app with a form that takes files. */
async function openInbox(writing: "thread" | "inline" = "inline") {
  const app = openTestApp(writing);
  const form = await createForm(app, OPERATOR, { slug: "contact", uploads: true });
  const uploads = uploadsOf(app);
  const send = async (...names: string[]) =>
    (await storeSubmission(app, form, { data: "{}", files: await uploads.draftFiles(...names) })).id;
  /** How many files the database has of submissions, also of forms that are deleted. */
  const rows = async () => (await app.store.submissions.files("", 10_000)).length;
  const garbage = async () => (await app.notes.claim(app.now(), 10_000)).garbage;
  return { app, form, ...uploads, send, rows, garbage };
}

describe("a deleted form", () => {
  test("is gone at once; its submissions go in steps, those that one deletion leaves with the job", async () => {
    const { app, form, kept, send, rows, garbage } = await openInbox("thread");
    const id = await send("a.txt");
    const records = Array.from({ length: 1000 }, (_, index) =>
      submissionTo(form.key, { id: app.nextId(), files: [fileKept(`k-${index}`)] }),
    );
    await Promise.all(records.map((each) => app.store.submissions.insert(each)));
    const find = createFormFinder(app);
    expect(await find(form.key)).toBeDefined();
    // Each look at this clock is after every deadline: one step at a time.
    const hurried = { ...app, now: () => (app.clock.now += 10_000) };
    await deleteForm(hurried, OPERATOR, "contact");

    expect(await find(form.key)).toBeUndefined();
    expect(await codeOf(getForm(app, OPERATOR, "contact"))).toBe("not_found");
    expect(await app.store.submissions.find(id)).toBeUndefined();
    expect([await rows(), await garbage(), kept()]).toEqual([501, [], []]);

    const job = removalJob(hurried);
    const left: number[] = [];
    do {
      await job.run();
      left.push(await rows());
    } while ((await job.next!()) !== null);
    expect(left).toEqual([1, 0, 0]);
    expect(await garbage()).toEqual([]);
  });

  test("and the files that another process left are removed by the next call, whoever deleted it", async () => {
    const { app, form, kept, send, rows, garbage } = await openInbox();
    await send("a.txt", "b.txt");
    const { project, slug, key } = form;
    // A process that ended right after its transaction.
    const drop = { change: "deleteForm" as const, project, slug, key, onlyEmpty: false };
    await app.store.apply([drop], (await app.store.readVersion()).version, { who: "ann", at: 0 });
    expect([await rows(), kept().length]).toEqual([2, 2]);
    expect(await clearDeletedForms(app)).toBe(true);
    expect([await rows(), await garbage(), kept()]).toEqual([0, [], []]);
  });
});

describe("the files of a deleted submission", () => {
  test("that cannot be removed are removed by the next call", async () => {
    const { app, send, kept, pathOf, garbage } = await openInbox();
    const id = await send("a.txt", "b.txt");
    const path = pathOf(`${id}.1`);
    rmSync(path);
    mkdirSync(path);
    expect(await deleteSubmission(app, OPERATOR, id).catch(() => "failed")).toBe("failed");
    expect(await app.store.submissions.find(id)).toBeUndefined();
    expect(await garbage()).toContain(`${id}.1`);
    rmdirSync(path);
    await sweep(app);
    expect([kept(), await garbage()]).toEqual([[], []]);
  });

  test("are removed without an error where a file of another cannot be removed", async () => {
    const { app, send, kept, pathOf, garbage } = await openInbox();
    const [earlier, one] = [await send("a.txt"), await send("b.txt"), await send("c.txt")];
    const path = pathOf(`${earlier}.1`);
    rmSync(path);
    mkdirSync(path);
    expect(await deleteSubmission(app, OPERATOR, earlier).catch(() => "failed")).toBe("failed");
    await deleteSubmission(app, OPERATOR, one);
    expect(kept()).not.toContain(`${one}.1`);
    await deleteForm(app, OPERATOR, "contact");
    expect(kept()).toEqual([]);
    expect(await garbage()).toEqual([`${earlier}.1`]);
    expect(
      await removalJob(app)
        .run()
        .catch(() => "failed"),
    ).toBe("failed");
  });

  test("that cannot be removed are an error of the deletion of their form", async () => {
    const { app, send, pathOf } = await openInbox();
    const path = pathOf(`${await send("a.txt")}.1`);
    rmSync(path);
    mkdirSync(path);
    expect(await deleteForm(app, OPERATOR, "contact").catch(() => "failed")).toBe("failed");
  });

  test("that cannot be removed do not keep others, however many they are", async () => {
    const { app, form, send, kept, garbage } = await openInbox();
    const stuckId = app.nextId();
    const stuck = Array.from({ length: 600 }, (_, index) => `${stuckId}.${index + 1}`);
    const files = stuck.map((key) => fileKept(key));
    await app.store.submissions.insert(submissionTo(form.key, { id: stuckId, files }));
    const id = await send("a.txt");
    await app.store.apply(
      [{ change: "deleteForm", project: "default", slug: form.slug, key: form.key, onlyEmpty: false }],
      (await app.store.readVersion()).version,
      { who: "ann", at: 0 },
    );
    const refusing = {
      ...app.blobs,
      async delete(keys: string[]) {
        await app.blobs.delete(keys.filter((key) => !stuck.includes(key)));
        const error = new AppError("forbidden", "retained");
        return keys.filter((key) => stuck.includes(key)).map((key) => ({ key, error }));
      },
    };
    const job = removalJob({ ...app, blobs: refusing });
    for (let run = 0; run < 2; run += 1) expect(await codeOf(job.run())).toBe("forbidden");
    expect(kept()).not.toContain(`${id}.1`);
    expect((await garbage()).toSorted()).toEqual(stuck.toSorted());
    await removalJob(app).run();
    expect(await garbage()).toEqual([]);
  });

  test("are removed after a crash between the transaction and them, with no other file", async () => {
    const { app, send, kept, staged } = await openInbox();
    const [lost, other] = [await send("a.txt", "b.txt"), await send("c.txt")];
    await app.store.submissions.delete([lost]);
    const store = openSqliteStore(join(app.directory, "formflag.db"), "inline");
    afterAll(() => store.close());
    const uploads = join(app.directory, "uploads");
    const restarted = {
      ...app,
      store,
      blobs: openDiskBlobs(uploads),
      notes: openNotes(store, uploads, true),
    };
    expect(kept()).toHaveLength(3);
    await removalJob(restarted).run();
    expect([kept(), staged()]).toEqual([[`${other}.1`], []]);
    expect(await store.garbage.list(10)).toEqual([]);
  });

  test("of 60 that four callers each delete at once leave no file, no record of one and no note", async () => {
    const { app, send, kept, staged, rows, garbage } = await openInbox("thread");
    const ids = await Promise.all(Array.from({ length: 60 }, (_, index) => send(`${index}.txt`)));
    const asked = ids.flatMap((id) => [id, id, id, id]);
    const codes = await Promise.all(asked.map((id) => codeOf(deleteSubmission(app, OPERATOR, id))));
    expect(codes.filter((code) => code === "none")).toHaveLength(60);
    expect(codes.filter((code) => code === "not_found")).toHaveLength(180);
    expect([kept(), staged(), await rows(), await garbage()]).toEqual([[], [], 0, []]);
  });
});

test("idempotency keys that have expired are removed in the background", async () => {
  const app = openTestApp();
  const form = await createForm(app, OPERATOR, { slug: "contact" });
  const hash = "ab".repeat(32);
  const key = { hash, content: hash, expiresAt: app.now() + 1000 };
  const conditions = {
    key,
    spam: null,
    recent: null,
    challenge: null,
    keepsSpam: true,
    maxSubmissions: null,
  };
  await storeSubmission(app, form, { data: "{}", files: [] }, { conditions });
  using db = new Database(join(app.directory, "formflag.db"));
  const count = () => db.query("SELECT count(*) FROM idempotency_keys").values()[0]![0];
  await expiryJob(app).run();
  expect(count()).toBe(1);
  app.clock.now += 1000;
  await expiryJob(app).run();
  expect(count()).toBe(0);
});

test("the expiry removes deliveries some time after they ended", async () => {
  const app = openTestApp();
  const form = await createForm(app, OPERATOR, { slug: "contact" });
  const deliveries = [{ id: app.nextId(), kind: "webhook" as const, target: "aaaa-bbbb-cccc" }];
  await storeSubmission(app, form, { data: "{}", files: [] }, { deliveries });
  await app.store.deliveries.cancelTargetless(app.clock.now + 1000, 1);
  const { id } = deliveries[0]!;
  await expiryJob(app).run();
  expect(await app.store.deliveries.find(id)).toMatchObject({ status: "cancelled" });
  app.clock.now += 1000;
  await expiryJob(app).run();
  expect(await app.store.deliveries.find(id)).toBeUndefined();
});
