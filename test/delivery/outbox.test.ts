import { describe, expect, test } from "bun:test";
import { Validator } from "@cfworker/json-schema";
import { type Attempt, delivered, unanswered } from "../../src/delivery/attempt.ts";
import { createOutbox } from "../../src/delivery/outbox.ts";
import type { NewDelivery } from "../../src/delivery/delivery.ts";
import { titleOfContent } from "../../src/forms/inbox/titles.ts";
import { webhookJsonSchema } from "../../src/forms/webhook-schema.ts";
import { webhookRequest } from "../../src/send/outgoing.ts";
import { openTestApp } from "../support/app.ts";
import { addForm, apply } from "../support/records/apply.ts";
import { fakeOutgoing, webhooksOf } from "../support/peers/outgoing.ts";
import { fileKept, nextId, submissionTo, targetRecord } from "../support/records/records.ts";

const RETRY: Attempt = {
  outcome: "retry",
  code: 500,
  error: "the answer was 500",
  retryAfter: null,
  isTargetDown: false,
};
const GONE: Attempt = { ...RETRY, outcome: "gone", code: 410 };
const REFUSED: Attempt = { ...RETRY, outcome: "refused", code: 550, error: "no such user" };

type Answer = Parameters<typeof fakeOutgoing>[0];

/** An app with a form, an outbox whose connections go nowhere, and what the operator hears of it. */
async function begin(answer?: Answer, hasMail = true) {
  const app = openTestApp();
  const form = await addForm(app.store, "contact", { name: "Contact us" });
  const outgoing = fakeOutgoing(answer, hasMail);
  const heard: unknown[] = [];
  const outboxOf = (holder: string, now = app.now) =>
    createOutbox(
      { ...app, now },
      {
        holder,
        outgoing: async () => outgoing,
        titleOf: titleOfContent,
        inWords: () => null,
        files: {
          url: async (submission, position) => `/v1/files/${submission}.${position}`,
          open: async () => new Blob(["bytes"]).stream(),
        },
        retryDelays: [5, 300],
        report: {
          attempted: (kind, status) => heard.push(`${kind} ${status}`),
          error: (error) => heard.push(error),
          failed: (slug, { target }, error, isOff) => heard.push({ slug, target, error, isOff }),
        },
      },
      () => {},
    );
  const outbox = outboxOf("test");
  const addTarget = async (more: Parameters<typeof targetRecord>[1] = {}) => {
    const target = targetRecord(form.key, more);
    await apply(app.store, { change: "insertTarget", target });
    return target;
  };
  const submit = async (...recipients: Omit<NewDelivery, "id">[]) => {
    const deliveries = recipients.map((each) => ({ id: nextId(), ...each }));
    const submission = submissionTo(form.key, {
      createdAt: app.clock.now,
      data: '{"name":"Ann","n":12345678901234567890.10}',
      deliveries,
    });
    await app.store.submissions.insert(submission);
    return submission;
  };
  const all = async () => {
    const query = {
      limit: 100,
      before: null,
      formKeys: null,
      projects: null,
      submission: null,
      status: null,
    };
    return (await app.store.deliveries.page(query)).items.toReversed();
  };
  const run = () => outbox.job.run();
  return { app, form, outgoing, heard, outbox, outboxOf, addTarget, submit, all, run };
}

const toTarget = ({ id }: { id: string }) => ({ kind: "webhook" as const, target: id });
const mailTo = (target: string) => ({ kind: "notification" as const, target });

describe("the outbox", () => {
  test("sends a webhook with the submission as it was sent, signed by every secret that counts", async () => {
    const { app, addTarget, submit, all, run, outgoing, heard } = await begin();
    const secret = (name: string, until: number | null) => ({ secret: `whsec_${name}`, until });
    const target = await addTarget({
      secrets: [secret("new", null), secret("old", app.clock.now + 1), secret("ended", app.clock.now)],
    });
    const { id } = await submit(toTarget(target));
    await run();
    const [delivery] = await all();
    expect(delivery).toMatchObject({
      status: "delivered",
      attempts: 1,
      code: 200,
      error: null,
      nextAt: null,
    });
    const createdAt = new Date(app.clock.now).toISOString();
    expect(outgoing.sent).toEqual([
      {
        webhook: {
          url: target.url,
          id: delivery!.id,
          request: null,
          type: "submission.created",
          secrets: ["whsec_new", "whsec_old"],
          createdAt,
          data: `{"id":"${id}","project":"default","form":"contact","data":{"name":"Ann","n":12345678901234567890.10},"files":[],"createdAt":"${createdAt}","state":"inbox","spam":null,"read":false,"meta":null,"flags":null,"unchecked":null,"assignee":null,"labels":[],"confirmedAt":null,"unsubscribedAt":null,"consent":null}`,
        },
      },
    ]);
    expect(heard).toEqual(["webhook delivered"]);
  });

  test("sends one value for a name that repeats in what an older version stored", async () => {
    const { app, form, addTarget, run, outgoing } = await begin();
    const deliveries = [{ id: nextId(), ...toTarget(await addTarget()) }];
    const data = '{"a":"first","b":[{"n":1,"n":2.50}],"a":"last"}';
    await app.store.submissions.insert(submissionTo(form.key, { data, deliveries }));
    await run();
    expect(outgoing.sent).toMatchObject([
      { webhook: { data: expect.stringContaining('"data":{"b":[{"n":2.50}],"a":"last"},') } },
    ]);
  });

  test("sends the same request again after a failure", async () => {
    const { app, form, addTarget, run, outgoing } = await begin();
    const request = { method: "PUT" as const, headers: [{ name: "X-A", value: "b" }], body: '"{{id}}"' };
    const target = await addTarget({ request });
    outgoing.answer = () => unanswered("no", false);
    await app.store.submissions.insert(
      submissionTo(form.key, { deliveries: [{ id: nextId(), ...toTarget(target) }] }),
    );
    await run();
    app.clock.now += 3_600_000;
    await run();
    const [first, second] = webhooksOf(outgoing);
    expect(first).toMatchObject({ request });
    expect([second]).toEqual([first]);
  });

  test("sends webhooks that match their schema, with a link to each file", async () => {
    const { app, form, addTarget, run, outgoing } = await begin();
    const target = await addTarget();
    const submission = submissionTo(form.key, {
      files: [fileKept("b.1", "cv.pdf")],
      meta: '{"address":"192.0.2.0","userAgent":null,"referrer":null,"language":"de"}',
      deliveries: [{ id: nextId(), ...toTarget(target) }],
    });
    await app.store.submissions.insert(submission);
    await run();
    const [webhook] = webhooksOf(outgoing);
    const { body } = webhookRequest({ ...webhook!, secrets: [] }, app.clock.now, "1");
    const validator = new Validator(webhookJsonSchema(), "2020-12");
    expect(validator.validate(JSON.parse(body))).toEqual({ valid: true, errors: [] });
    expect(JSON.parse(body)).toMatchObject({ data: { files: [{ url: `/v1/files/${submission.id}.1` }] } });
  });

  test("sends chat messages and mail with links to the files", async () => {
    const { app, form, addTarget, run, outgoing, all } = await begin();
    const target = await addTarget({ kind: "slack", url: "https://hooks.example/x", secrets: [] });
    const submission = submissionTo(form.key, {
      data: '{"email":"ann@example.org","text":"Hi"}',
      files: [fileKept("a.1", "cv.pdf")],
      deliveries: [
        { id: nextId(), kind: "slack", target: target.id },
        { id: nextId(), ...mailTo("shop@example.com") },
        { id: nextId(), kind: "autoreply", target: "ann@example.org" },
      ],
    });
    await app.store.submissions.insert(submission);
    await run();
    expect((await all()).map(({ status }) => status)).toEqual(["delivered", "delivered", "delivered"]);
    const link = `/v1/files/${submission.id}.1`;
    const chat = outgoing.sent.find((each) => "chat" in each);
    expect(chat).toMatchObject({
      kind: "slack",
      url: target.url,
      chat: {
        title: "Contact us: Hi",
        fields: [
          ["email", "ann@example.org"],
          ["text", "Hi"],
          ["cv.pdf", link],
        ],
        link: `Submission ${submission.id}`,
      },
    });
    const mails = outgoing.sent.flatMap((each) => ("mail" in each ? [each.mail] : []));
    const notification = mails.find(({ autoSubmitted }) => autoSubmitted === "auto-generated");
    expect(notification).toMatchObject({ to: "shop@example.com", replyTo: "ann@example.org" });
    expect(notification!.attachments.map(({ name }) => name)).toEqual(["cv.pdf"]);
    const reply = mails.find(({ autoSubmitted }) => autoSubmitted === "auto-replied");
    expect(reply).toMatchObject({ to: "ann@example.org", replyTo: null });
  });

  test("calls a submission in chat messages and mail as lists do, unless the form has a subject of its own", async () => {
    const { app, addTarget, submit, run, outgoing } = await begin();
    const target = await addTarget({ kind: "slack", url: "https://hooks.example/x", secrets: [] });
    const slack = { kind: "slack" as const, target: target.id };
    await submit(slack, mailTo("shop@example.com"));
    const own = await addForm(app.store, "own", { name: "Own", notifySubject: "From {{name}}" });
    const titled = await addForm(app.store, "orders", { name: "Orders", titleField: "n" });
    for (const { key } of [own, titled]) {
      const deliveries = [{ id: nextId(), ...mailTo("shop@example.com") }];
      await app.store.submissions.insert(submissionTo(key, { data: '{"name":"Ann","n":7}', deliveries }));
    }
    await run();
    const headings = outgoing.sent.flatMap((each) =>
      "chat" in each ? each.chat.title : "mail" in each ? each.mail.subject : [],
    );
    expect(headings.toSorted()).toEqual(["Contact us: Ann", "Contact us: Ann", "From Ann", "Orders: N: 7"]);
  });

  test("tries again after each delay and up to a tenth more, then gives up and says so", async () => {
    const { app, addTarget, submit, all, run, heard } = await begin(() => RETRY);
    const target = await addTarget();
    await submit(toTarget(target));
    const waits: number[] = [];
    for (;;) {
      await run();
      const [delivery] = await all();
      if (delivery!.nextAt === null) break;
      waits.push(Date.parse(delivery!.nextAt) - app.clock.now);
      await run();
      app.clock.now = Date.parse(delivery!.nextAt);
    }
    expect(waits).toHaveLength(2);
    expect(waits[0]).toBeWithin(5000, 5501);
    expect(waits[1]).toBeWithin(300_000, 330_001);
    expect(await all()).toMatchObject([{ status: "failed", attempts: 3, code: 500, error: RETRY.error }]);
    expect(heard).toEqual([
      "webhook queued",
      "webhook queued",
      "webhook failed",
      { slug: "form contact", target: target.id, error: RETRY.error, isOff: false },
    ]);
  });

  test("waits as long as a receiver asks", async () => {
    const { app, addTarget, submit, all, run } = await begin(() => ({ ...RETRY, retryAfter: 3600 }));
    await submit(toTarget(await addTarget()));
    await run();
    const [{ nextAt } = { nextAt: null }] = await all();
    expect(nextAt).toBe(new Date(app.clock.now + 3_600_000).toISOString());
  });

  test("holds the other deliveries of a target that is down, half a minute at most", async () => {
    let isDown = true;
    const { app, addTarget, submit, all, run, outgoing, outbox } = await begin((sent) =>
      isDown && "webhook" in sent ? unanswered("refused", true) : delivered(200),
    );
    const target = await addTarget();
    for (let count = 0; count < 20; count += 1) await submit(toTarget(target));
    await submit(mailTo("shop@example.com"));
    await run();
    const tried = outgoing.sent.filter((each) => "webhook" in each).length;
    expect(tried).toBeLessThanOrEqual(2);
    const statuses = (await all()).map(({ kind, status }) => `${kind} ${status}`);
    expect(statuses.filter((each) => each === "notification delivered")).toHaveLength(1);
    expect(statuses.filter((each) => each === "webhook queued")).toHaveLength(20);
    const next = await outbox.job.next!();
    expect(next! - app.clock.now).toBeWithin(5000, 5501);
    isDown = false;
    app.clock.now = next! + 1000;
    await run();
    expect((await all()).every(({ status }) => status === "delivered")).toBe(true);
  });

  test("sends what comes after the clock was set back to a target that was down before", async () => {
    let isDown = true;
    const { app, addTarget, submit, all, run } = await begin(() =>
      isDown ? unanswered("refused", true) : delivered(200),
    );
    const target = await addTarget();
    await submit(toTarget(target));
    await run();
    isDown = false;
    app.clock.now -= 3_600_000;
    await submit(toTarget(target));
    await run();
    expect((await all()).map(({ status }) => status)).toEqual(["queued", "delivered"]);
  });

  test("sends nothing to a target that failed while more was claimed for it", async () => {
    const { promise, resolve: fail } = Promise.withResolvers<Attempt>();
    const reached = Promise.withResolvers<void>();
    const { app, addTarget, submit, all, run, outgoing, outbox } = await begin(() => {
      reached.resolve();
      return promise;
    });
    const target = await addTarget();
    await submit(toTarget(target));
    const turn = app.store.deliveries.turn.bind(app.store.deliveries);
    const claims: number[] = [];
    app.store.deliveries.turn = async (given) => {
      const claimed = await turn(given);
      claims.push(claimed.length);
      if (claims.length === 1) {
        await submit(toTarget(target));
        outbox.wake();
      } else if (claimed.length > 0) {
        await reached.promise;
        fail(unanswered("refused", true));
        // Reading what is due takes as many turns of the event loop as recording an attempt.
        for (let count = 0; count < 5; count += 1) await app.store.deliveries.nextAt([]);
      }
      return claimed;
    };
    await run();
    expect(outgoing.sent).toHaveLength(1);
    expect((await all()).map(({ status, attempts }) => [status, attempts])).toEqual([
      ["queued", 1],
      ["queued", 0],
    ]);
  });

  test.each([-60_000, 31_000, 3_600_000])(
    "leaves what another server is sending to that, with a clock %d ms ahead of it, and rests meanwhile",
    async (ahead) => {
      const reached = Promise.withResolvers<void>();
      const { promise, resolve } = Promise.withResolvers<Attempt>();
      const { app, addTarget, submit, all, run, outgoing, outboxOf } = await begin(() => {
        reached.resolve();
        return promise;
      });
      await submit(toTarget(await addTarget()));
      const sending = run();
      await reached.promise;
      const now = () => app.clock.now + ahead;
      const other = outboxOf("other", now).job;
      await other.run();
      expect((await other.next!())! - now()).toBeGreaterThanOrEqual(2000);
      resolve(delivered(200));
      await sending;
      expect(outgoing.sent).toHaveLength(1);
      expect(await all()).toMatchObject([{ status: "delivered", attempts: 1 }]);
    },
  );

  test("records a result that the database has refused at first, and sends it once", async () => {
    const { app, addTarget, submit, all, run, outgoing } = await begin();
    await submit(toTarget(await addTarget()));
    const turn = app.store.deliveries.turn.bind(app.store.deliveries);
    let isFull = true;
    app.store.deliveries.turn = async (given) => {
      if (isFull && given.settled.length > 0) throw new Error("the disk is full");
      return turn(given);
    };
    expect(await run().catch(({ message }: Error) => message)).toBe("the disk is full");
    expect((await all())[0]).toMatchObject({ status: "queued", attempts: 0 });
    isFull = false;
    await run();
    expect((await all())[0]).toMatchObject({ status: "delivered", attempts: 1 });
    expect(outgoing.sent).toHaveLength(1);
  });

  test("switches a target off that wants nothing any more, and cancels what waits for it", async () => {
    const { app, addTarget, submit, all, run, heard } = await begin(() => GONE);
    const target = await addTarget();
    for (let count = 0; count < 5; count += 1) await submit(toTarget(target));
    await run();
    expect(await app.store.targets.find(target.id)).toMatchObject({ enabled: false });
    const statuses = (await all()).map(({ status }) => status);
    expect(statuses.filter((status) => status === "queued")).toEqual([]);
    expect(statuses.filter((status) => status === "failed").length).toBeLessThanOrEqual(2);
    expect(heard).toContainEqual({ slug: "form contact", target: target.id, error: GONE.error, isOff: true });
    const { items } = await app.store.changes.everywhere({ kind: "form", name: "contact", limit: 10 }, null);
    const ofTarget = items.filter(({ after }) => JSON.stringify(after).includes(target.id));
    expect(ofTarget.map(({ who }) => who)).toEqual(["outbox"]);
    expect(ofTarget[0]!.after).toEqual({ [`target ${target.id}`]: expect.stringMatching(/…, disabled$/) });
  });

  test("does not repeat what can never succeed", async () => {
    const { submit, all, run } = await begin(() => REFUSED);
    await submit(mailTo("nobody@example.com"));
    await run();
    expect(await all()).toMatchObject([{ status: "failed", attempts: 1, code: 550, error: "no such user" }]);
  });

  test("cancels what a disabled or deleted target leaves without a receiver", async () => {
    const { app, addTarget, submit, all, run, outgoing } = await begin();
    const target = await addTarget({ enabled: false });
    await submit(toTarget(target), toTarget({ id: "aaaa-bbbb-cccc" }));
    await run();
    expect((await all()).map(({ status }) => status)).toEqual(["cancelled", "cancelled"]);
    expect(outgoing.sent).toEqual([]);
    expect(await app.store.deliveries.nextAt([])).toBeNull();
  });

  test("lets mail wait while there is no mail server, and sends the rest", async () => {
    const { addTarget, submit, all, run, outbox } = await begin(undefined, false);
    await submit(toTarget(await addTarget()), mailTo("shop@example.com"));
    await run();
    expect((await all()).map(({ kind, status }) => `${kind} ${status}`)).toEqual([
      "webhook delivered",
      "notification queued",
    ]);
    expect(await outbox.job.next!()).toBeNull();
  });

  test("says of mail that waits for a mail server why, and when it is sent only once that is known", async () => {
    const { app, submit, all, run, outgoing } = await begin(undefined, false);
    await submit(mailTo("shop@example.com"));
    const waiting = {
      status: "queued",
      attempts: 0,
      nextAt: null,
      error: "no mail server is configured: the delivery waits for one",
    };
    await run();
    expect(await all()).toMatchObject([waiting]);
    app.clock.now += 3_600_000;
    await submit(mailTo("ben@example.com"));
    await run();
    expect(await all()).toMatchObject([waiting, waiting]);
    outgoing.mail = fakeOutgoing().mail;
    await run();
    const sent = { status: "delivered", attempts: 1, nextAt: null, error: null };
    expect(await all()).toMatchObject([sent, sent]);
  });

  test("sends at most eight at a time, and two to a target", async () => {
    const gate = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    const running = new Map<string, number>();
    const most = { all: 0, one: 0 };
    const { addTarget, submit, all, run } = await begin(async (sent) => {
      const url = "webhook" in sent ? sent.webhook.url : "";
      running.set(url, (running.get(url) ?? 0) + 1);
      const counts = [...running.values()];
      most.one = Math.max(most.one, ...counts);
      most.all = Math.max(
        most.all,
        counts.reduce((sum, count) => sum + count, 0),
      );
      if (most.all === 8) reached.resolve();
      await gate.promise;
      running.set(url, running.get(url)! - 1);
      return delivered(200);
    });
    const targets = [];
    for (const n of [1, 2, 3, 4, 5]) targets.push(await addTarget({ url: `https://${n}.example/` }));
    for (let count = 0; count < 4; count += 1) await submit(...targets.map(toTarget));
    const done = run();
    await reached.promise;
    gate.resolve();
    await done;
    expect(most).toEqual({ all: 8, one: 2 });
    expect((await all()).every(({ status }) => status === "delivered")).toBe(true);
  });

  test("ends attempts under way when it stops, which do not count, and leaves the rest queued", async () => {
    const started = Promise.withResolvers<void>();
    const { addTarget, submit, all, run, outbox } = await begin((_sent, signal) => {
      started.resolve();
      return new Promise((_resolve, reject) =>
        signal!.addEventListener("abort", () => reject(signal!.reason as Error)),
      );
    });
    const target = await addTarget();
    for (let count = 0; count < 3; count += 1) await submit(toTarget(target));
    const done = run();
    await started.promise;
    outbox.stop();
    await done;
    expect((await all()).map(({ status, attempts }) => [status, attempts])).toEqual([
      ["queued", 0],
      ["queued", 0],
      ["queued", 0],
    ]);
  });

  test("reports a bug, and tries that delivery again later", async () => {
    const bug = new TypeError("oops");
    const { addTarget, submit, all, run, heard } = await begin(() => {
      throw bug;
    });
    await submit(toTarget(await addTarget()));
    await run();
    expect(heard[0]).toBe(bug);
    const error = "internal error: the log of the server has it";
    expect(await all()).toMatchObject([{ status: "queued", attempts: 1, error }]);
  });
});
