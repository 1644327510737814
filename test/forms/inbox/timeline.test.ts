import { expect, test } from "bun:test";
import { createForm } from "../../../src/forms/forms.ts";
import { explainSpam } from "../../../src/forms/spam/spam-reason.ts";
import { markSubmissions } from "../../../src/forms/inbox/submission-marks.ts";
import { storeSubmission } from "../../../src/forms/submissions.ts";
import { sendTest } from "../../../src/forms/test-submission.ts";
import { timelineOf } from "../../../src/forms/inbox/timeline.ts";
import { openTestApp } from "../../support/app.ts";
import { OPERATOR, callerNamed } from "../../support/records/caller.ts";
import { codeOf } from "../../support/refusals.ts";

const AS_SPAM = {
  key: null,
  spam: "word:casino",
  recent: null,
  challenge: null,
  keepsSpam: true,
  maxSubmissions: null,
};

async function begin() {
  const app = openTestApp();
  const form = await createForm(app, OPERATOR, { slug: "contact", notify: ["ann@example.com"] });
  return { app, form };
}

test("a timeline has how a submission was stored, who marked it, and each attempt to send it", async () => {
  const { app, form } = await begin();
  const draft = { data: "{}", files: [] };
  const { id } = await storeSubmission(app, form, draft, { conditions: AS_SPAM });
  const stored = app.clock.now;
  app.clock.now += 1000;
  await markSubmissions(app, callerNamed("ben"), [id], "inbox");
  app.clock.now += 10;
  const now = app.clock.now;
  const clocks = { now, databaseNow: now, leaseUntil: now + 1000 };
  const due = { ...clocks, holder: "a", renewed: [], blocked: [], after: null, perLane: 1 };
  const [claimed] = await app.store.deliveries.turn({ ...due, settled: [], limit: 1 });
  const settled = [
    {
      id: claimed!.id,
      status: "delivered" as const,
      attempts: 1,
      dueAt: now + 99_000,
      code: 250,
      error: null,
      attempt: { at: now, duration: 35 },
    },
  ];
  await app.store.deliveries.turn({ ...due, settled, limit: 0 });
  await markSubmissions(app, OPERATOR, [id], "spam");
  const time = (ms: number) => new Date(ms).toISOString();
  const about = { delivery: claimed!.id, kind: "notification", target: "ann@example.com" };
  expect(await timelineOf(app, OPERATOR, id)).toEqual([
    {
      event: "stored",
      at: time(stored),
      spam: "word:casino",
      explanation: 'it matches the spam word "casino"',
    },
    { event: "marked", at: time(stored + 1000), mark: "inbox", who: "ben" },
    { event: "queued", at: time(stored + 1000), ...about, status: "delivered", nextAt: null, error: null },
    { event: "marked", at: time(now), mark: "spam", who: "ann" },
    { event: "attempted", at: time(now), ...about, duration: 35, code: 250, error: null },
  ]);
});

test("a timeline says of spam that nobody has marked why it is, and needs a submission and the right to read", async () => {
  const { app, form } = await begin();
  const { id } = await storeSubmission(app, form, { data: "{}", files: [] }, { conditions: AS_SPAM });
  expect(await timelineOf(app, OPERATOR, id)).toMatchObject([{ event: "stored", spam: "word:casino" }]);
  expect(await codeOf(timelineOf(app, OPERATOR, app.nextId()))).toBe("not_found");
  const other = callerNamed("other", { scopes: ["flags:read"] });
  expect(await codeOf(timelineOf(app, other, id))).toBe("not_found");
});

test("a reason for spam that is not known is shown as it is", () => {
  expect(["honeypot", "from the old site", "constructor"].map(explainSpam)).toEqual([
    "a field that people do not see was filled in",
    "from the old site",
    "constructor",
  ]);
});

test("a test of a form is stored and sent as any other submission, and names who sent it", async () => {
  const { app } = await begin();
  let queued = 0;
  const heard = { ...app, onQueued: () => void (queued += 1) };
  const { submission } = await sendTest(heard, OPERATOR, "contact");
  expect(submission).toMatchObject({
    form: "contact",
    data: { message: "This is a test" },
    state: "inbox",
    meta: { userAgent: "formflag test by ann" },
  });
  expect(queued).toBe(1);
  const events = await timelineOf(app, OPERATOR, submission.id);
  expect(events.map(({ event }) => event)).toEqual(["stored", "queued"]);
  expect(await codeOf(sendTest(app, OPERATOR, "nothing"))).toBe("not_found");
  const reader = callerNamed("reader", { scopes: ["forms:read"] });
  expect(await codeOf(sendTest(app, reader, "contact"))).toBe("forbidden");
});

test("a timeline says why an automatic reply of the form is not sent", async () => {
  const { app } = await begin();
  const form = await createForm(app, OPERATOR, { slug: "replying", autoreply: true });
  for (const [data, reason] of [
    ['{"your-email":"ada@example.com"}', "the field your-email holds one"],
    ['{"email":"jörg@example.com"}', "other characters than ASCII"],
    ['{"email":"ada@example.com, ben@example.com"}', null],
  ] as const) {
    const { id } = await storeSubmission(app, form, { data, files: [] });
    const skipped = (await timelineOf(app, OPERATOR, id)).find(({ event }) => event === "skipped");
    expect([data, skipped]).toEqual([
      data,
      reason === null
        ? undefined
        : {
            event: "skipped",
            at: expect.any(String),
            kind: "autoreply",
            error: expect.stringContaining(reason),
          },
    ]);
  }
});
