import { describe, expect, test } from "bun:test";
import { type Attempt, delivered, unanswered } from "../../src/delivery/attempt.ts";
import { mailboxOf } from "../../src/delivery/address.ts";
import { createOutbox } from "../../src/delivery/outbox.ts";
import { allDeliveriesOf, listDeliveries, retryDeliveries } from "../../src/forms/deliveries.ts";
import { createForm } from "../../src/forms/forms.ts";
import { titleOfContent } from "../../src/forms/inbox/titles.ts";
import { purgeSubmissions } from "../../src/forms/keeping/purge.ts";
import { storeSubmission } from "../../src/forms/submissions.ts";
import { openTestApp } from "../support/app.ts";
import { fakeOutgoing } from "../support/peers/outgoing.ts";
import { eventually } from "../support/eventually.ts";
import { OPERATOR } from "../support/records/caller.ts";

const [SOON, MINUTE, HOUR, DAY] = [5000, 60_000, 3_600_000, 86_400_000];
const ALL = { form: null, submission: null, status: null, before: null, limit: 500 };
const REPLIED = "another automatic reply went there within 24 hours";

/** A form that replies, and an outbox whose mail server can be missing. */
async function begin() {
  const app = openTestApp();
  const form = await createForm(app, OPERATOR, { slug: "contact", autoreply: true });
  const sent: string[] = [];
  let answer: () => Attempt | Promise<Attempt> = () => delivered(250);
  const outgoing = fakeOutgoing((each) => {
    if ("mail" in each) sent.push(each.mail.to);
    return answer();
  });
  const { mail } = outgoing;
  const outboxOf = (holder: string) =>
    createOutbox(
      app,
      {
        holder,
        outgoing: async () => outgoing,
        titleOf: titleOfContent,
        inWords: () => null,
        files: { url: async () => "", open: async () => new Blob([]).stream() },
        retryDelays: [5, 300],
        report: { attempted: () => {}, error: (error) => expect(error).toBeUndefined(), failed: () => {} },
      },
      () => {},
    );
  const outbox = outboxOf("test");
  const submit = async (email: string, of = form) => {
    const deliveries = allDeliveriesOf(app, of, [], { email });
    const draft = { data: JSON.stringify({ email }), files: [] };
    return (await storeSubmission(app, of, draft, { deliveries })).id;
  };
  /** The addresses to which mail goes within some time from now, with a mail server or without. */
  const mailIn = async (ms: number, hasMail = true) => {
    app.clock.now += ms;
    outgoing.mail = hasMail ? mail : null;
    await outbox.job.run();
    return sent.splice(0);
  };
  const all = async () => (await listDeliveries(app, OPERATOR, ALL)).items.toReversed();
  const answerWith = (given: typeof answer) => void (answer = given);
  return { app, submit, mailIn, all, answerWith, outboxOf, sent };
}

describe("automatic replies that waited for a mail server", () => {
  test("are one to a mailbox and form within a day, and the others say why they were cancelled", async () => {
    const { app, submit, mailIn, all } = await begin();
    const other = await createForm(app, OPERATOR, { slug: "other", autoreply: true });
    for (const email of ["ann@example.com", "Ann+news@example.com", "ann@example.com"]) {
      await submit(email);
      expect(await mailIn(DAY, false)).toEqual([]);
    }
    await submit("ann@example.com", other);
    await submit("ben@example.com");
    const mailboxes = [...(await mailIn(0)), ...(await mailIn(SOON))].map(mailboxOf).toSorted();
    expect(mailboxes).toEqual(["ann@example.com", "ann@example.com", "ben@example.com"]);
    // Which one goes is not said: two are sent at once.
    const results = (await all()).map(({ status, error, attempts }) => `${status} ${attempts} ${error}`);
    expect(results.slice(0, 3).toSorted()).toEqual([
      `cancelled 0 ${REPLIED}`,
      `cancelled 0 ${REPLIED}`,
      "delivered 1 null",
    ]);
    expect(results.slice(3)).toEqual(["delivered 1 null", "delivered 1 null"]);
    // Queued, as the one before was queued long ago, and cancelled, as that was sent just now.
    await submit("ann@example.com");
    expect(await mailIn(HOUR)).toEqual([]);
    await submit("ann@example.com");
    expect((await all()).filter(({ error }) => error === REPLIED)).toHaveLength(3);
    app.clock.now += DAY;
    await submit("ann@example.com");
    expect(await mailIn(0)).toEqual(["ann@example.com"]);
  });

  test("are a hundred of a form in an hour, and later ones wait", async () => {
    const { app, submit, mailIn, all } = await begin();
    for (let count = 0; count < 120; count += 1) {
      if (count === 60) app.clock.now += HOUR;
      await submit(`p${count}@example.com`);
    }
    const first = await mailIn(0);
    expect(first).toHaveLength(100);
    const waiting = (await all()).filter(({ status }) => status === "queued");
    expect(waiting).toHaveLength(20);
    const at = new Date(app.clock.now + HOUR).toISOString();
    for (const { nextAt, attempts } of waiting) expect([nextAt, attempts]).toEqual([at, 0]);
    await submit("late@example.com");
    expect(await mailIn(HOUR - 1)).toEqual([]);
    expect(new Set([...first, ...(await mailIn(1))]).size).toBe(121);
  });

  test("do not count where they were refused: the next one goes instead", async () => {
    const { app, submit, mailIn, all, answerWith } = await begin();
    await submit("ann@example.com");
    app.clock.now += DAY;
    await submit("ann@example.com");
    answerWith(() => {
      answerWith(() => delivered(250));
      return { ...unanswered("mailbox full", false), outcome: "refused" };
    });
    expect(await mailIn(0)).toEqual(["ann@example.com"]);
    // Which one goes first is not said: two are tried at once.
    expect(await mailIn(SOON)).toEqual(["ann@example.com"]);
    expect((await all()).map(({ status }) => status).toSorted()).toEqual(["delivered", "failed"]);
  });

  test.each([
    [
      "go when it was refused",
      { ...unanswered("full", false), outcome: "refused" as const },
      ["delivered", "failed"],
    ],
    ["are cancelled when it was sent", delivered(250), ["cancelled", "delivered"]],
  ])("wait for the result of one that is being sent, and %s", async (_, result, statuses) => {
    const { app, submit, mailIn, all, answerWith, sent, outboxOf } = await begin();
    await submit("ann@example.com");
    app.clock.now += DAY;
    await submit("ann@example.com");
    const answer = Promise.withResolvers<Attempt>();
    answerWith(() => answer.promise);
    const running = outboxOf("other").job.run();
    const later = new Date(app.clock.now + SOON).toISOString();
    await eventually("one waits", async () => (await all()).some(({ nextAt }) => nextAt === later));
    expect(sent.splice(0)).toEqual(["ann@example.com"]);
    answerWith(() => delivered(250));
    answer.resolve(result);
    await running;
    await mailIn(SOON);
    expect((await all()).map(({ status }): string => status).toSorted()).toEqual(statuses);
  });

  test("are sent again after a server was killed while it sent them, and by who wants that", async () => {
    const { app, submit, mailIn, all, answerWith, outboxOf, sent } = await begin();
    await submit("ann@example.com");
    const killed = Promise.withResolvers<Attempt>();
    const reached = Promise.withResolvers<void>();
    answerWith(() => {
      reached.resolve();
      return killed.promise;
    });
    const first = outboxOf("killed");
    const running = first.job.run();
    await reached.promise;
    answerWith(() => delivered(250));
    expect(sent.splice(0)).toEqual(["ann@example.com"]);
    expect(await mailIn(MINUTE)).toEqual(["ann@example.com"]);
    const { id, status } = (await all())[0]!;
    expect(status).toBe("delivered");
    await retryDeliveries(app, OPERATOR, { ids: [id] });
    expect(await mailIn(0)).toEqual(["ann@example.com"]);
    first.stop();
    killed.resolve(unanswered("killed", false));
    await running;
  });

  test("leave nothing of a mailbox that is purged", async () => {
    const { app, submit, mailIn } = await begin();
    await submit("ann@example.com");
    expect(await mailIn(0)).toHaveLength(1);
    await purgeSubmissions(app, OPERATOR, { email: "ann@example.com" });
    await submit("ann@example.com");
    expect(await mailIn(0)).toEqual(["ann@example.com"]);
  });
});
