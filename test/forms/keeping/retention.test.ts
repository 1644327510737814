import { expect, test } from "bun:test";
import type { AppError } from "../../../src/base/errors.ts";
import { createIdSource } from "../../../src/base/ids.ts";
import type { FormPatch, NewForm } from "../../../src/forms/form.ts";
import { createForm, setForm } from "../../../src/forms/forms.ts";
import { retentionJob } from "../../../src/forms/keeping/retention.ts";
import type { Conditions } from "../../../src/forms/intake/insertion.ts";
import { storeSubmission } from "../../../src/forms/submissions.ts";
import { openTestApp } from "../../support/app.ts";
import { OPERATOR, callerNamed } from "../../support/records/caller.ts";
import { submissionTo } from "../../support/records/records.ts";
import { uploadsOf } from "../../support/uploads.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const SPAM: Conditions = {
  key: null,
  spam: "links",
  recent: null,
  challenge: null,
  keepsSpam: true,
  maxSubmissions: null,
};

async function openForm(settings: Partial<NewForm>) {
  const app = openTestApp();
  const form = await createForm(app, OPERATOR, { slug: "contact", uploads: true, ...settings });
  const uploads = uploadsOf(app);
  const send = async (conditions?: Conditions) => {
    const files = await uploads.draftFiles("a.txt");
    const draft = { data: "{}", files };
    return (await storeSubmission(app, form, draft, { conditions })).id;
  };
  const left = async () =>
    (await app.store.submissions.list(form.key, 1000, null)).submissions.map(({ id }) => id);
  return { app, form, send, left, kept: uploads.kept };
}

test("submissions and their files go once they are older than their form keeps them, spam apart", async () => {
  const { app, send, left, kept } = await openForm({ retention: 60 * 86_400 });
  const job = retentionJob(app, () => {});
  const [old, oldSpam] = [await send(), await send(SPAM)];
  app.clock.now += 30 * DAY;
  await job.run();
  expect(await left()).toEqual([oldSpam, old]);
  const young = await send();
  app.clock.now += 1;
  await job.run();
  expect(await left()).toEqual([young, old]);
  app.clock.now += 30 * DAY;
  await job.run();
  expect(await left()).toEqual([young]);
  expect(kept()).toEqual([`${young}.1`]);
});

test("nothing goes where a form keeps everything, and a change of the setting counts", async () => {
  const { app, send, left } = await openForm({ spamRetention: null });
  const lines: string[] = [];
  const job = retentionJob(app, (text) => lines.push(text));
  const all = [await send(SPAM), await send()].toReversed();
  app.clock.now += 36_500 * DAY;
  await job.run();
  expect(await left()).toEqual(all);
  await setForm(app, OPERATOR, "contact", { retention: 1 });
  await job.run();
  expect(await left()).toEqual(all.slice(1));
  expect(lines).toEqual(["deleted 1 submission of form contact, which it keeps for 1 second"]);
});

test("a change that keeps submissions for a shorter time is confirmed where it deletes some, or is below a day", async () => {
  const { app, send } = await openForm({});
  await send();
  await send(SPAM);
  app.clock.now += 10 * DAY;
  await send();
  const ci = callerNamed("ci", { hasConfirmed: () => false });
  const attempt = (patch: FormPatch) =>
    setForm(app, ci, "contact", patch).then(
      () => "done",
      (error: AppError) => error,
    );
  expect(await attempt({ retention: 9 * 86_400 })).toMatchObject({
    code: "unconfirmed",
    reason: "form-unconfirmed",
    message: "form contact would keep submissions for 9 days and delete 1 of 2",
  });
  expect(await attempt({ retention: 360, spamRetention: 60 })).toMatchObject({
    message:
      "form contact would keep submissions for 6 minutes and delete 1 of 2; " +
      "form contact would keep spam submissions for 1 minute and delete 1 of 1",
  });
  for (const patch of [{ retention: 11 * 86_400 }, { spamRetention: null }, { retention: null, name: "Us" }])
    expect(await attempt(patch)).toBe("done");
  const named = callerNamed("ci", { hasConfirmed: (slug) => slug === "contact" });
  expect((await setForm(app, named, "contact", { retention: 360 })).result).toBe("updated");
  expect(await attempt({ name: "Them", retention: 360 })).toBe("done");
  const create = createForm(app, ci, { slug: "jobs", retention: 360 });
  expect(await create.catch((error: AppError) => error.message)).toBe(
    "form jobs would keep submissions for 6 minutes",
  );
  expect((await createForm(app, ci, { slug: "jobs", retention: 86_400 })).retention).toBe(86_400);
});

test("the time at which a submission was stored counts, not the one in its id, within a day", async () => {
  const { app, form, left } = await openForm({ retention: 86_400 });
  const job = retentionJob(app, () => {});
  await job.run();
  const idAt = (time: number) => createIdSource(app.random, () => time)();
  const add = async (idTime: number, createdAt: number) => {
    const submission = submissionTo(form.key, { id: idAt(idTime), createdAt });
    await app.store.submissions.insert(submission);
    return submission.id;
  };
  const now = app.now();
  const future = await add(now + 900 * DAY, now - 2 * DAY);
  const young = await add(now - 900 * DAY, now);
  await add(now - 2 * DAY, now - 2 * DAY);
  app.clock.now += HOUR;
  await job.run();
  expect(await left()).toEqual([future, young]);
  app.clock.now += 23 * HOUR - 1;
  await job.run();
  expect(await left()).toEqual([future, young]);
  app.clock.now += 1;
  await job.run();
  expect(await left()).toEqual([young]);
});

test("a run that takes long makes way, and the next one goes on", async () => {
  const { app, form, left } = await openForm({ retention: 1 });
  await Promise.all(
    Array.from({ length: 1200 }, () =>
      app.store.submissions.insert(submissionTo(form.key, { id: app.nextId(), createdAt: app.now() })),
    ),
  );
  app.clock.now += 10_000;
  // Each look at this clock is after every deadline: one step at a time.
  const hurried = { ...app, now: () => (app.clock.now += 10_000) };
  const [job, other] = [retentionJob(hurried, () => {}), retentionJob(hurried, () => {})];
  await job.run();
  expect(await left()).toHaveLength(1000);
  expect(await job.next!()).not.toBeNull();
  // Another process may do the same.
  await other.run();
  do await job.run();
  while ((await job.next!()) !== null);
  expect(await left()).toEqual([]);
});
