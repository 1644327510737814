import { expect, spyOn, test } from "bun:test";
import { AppError } from "../../../src/base/errors.ts";
import type { Form, NewForm } from "../../../src/forms/form.ts";
import { createForm, setForm, showForm } from "../../../src/forms/forms.ts";
import { actUndoably, undoAction, undoOfMark } from "../../../src/forms/inbox/undo.ts";
import { markSubmissions } from "../../../src/forms/inbox/submission-marks.ts";
import { purgeSubmissions } from "../../../src/forms/keeping/purge.ts";
import { learnMarked } from "../../../src/forms/spam/learning.ts";
import { explainSpam, spamKind } from "../../../src/forms/spam/spam-reason.ts";
import type { SubmissionMark } from "../../../src/forms/submission-state.ts";
import { clientAt, openServices, openTestApp } from "../../support/app.ts";
import { OPERATOR } from "../../support/records/caller.ts";

const SPAM = ["cheap pills for you", "win money now quickly", "casino bonus today", "buy many followers"];
const GOOD = ["my bicycle is broken", "when do you open", "please call me back", "thanks for your invoice"];

const MIXED = "win money now quickly with cheap pills for you";

async function open(more: Partial<NewForm> = {}) {
  const app = openTestApp();
  const { forms, reported, outgoing } = openServices(app);
  const form = await createForm(app, OPERATOR, { slug: "contact", learn: true, ...more });
  const post = async (message: string, { key }: Form = form, headers: Record<string, string> = {}) => {
    const body = JSON.stringify({ email: "ann@example.com", message });
    const init = { method: "POST", headers: { "content-type": "application/json", ...headers }, body };
    const answer = await forms.submit(new Request(`http://x/v1/s/${key}?mode=rest`, init), key, () =>
      clientAt("192.0.2.1"),
    );
    return { status: answer.status, ...((await answer.json()) as { id: string }) };
  };
  const mark = (ids: string[], mark: SubmissionMark) => markSubmissions(app, OPERATOR, ids, mark);
  /** Has people mark that many of each kind. */
  const teach = async (count: number, of: Form = form) => {
    for (const [texts, folder] of [[SPAM, "spam"] as const, [GOOD, "archived"] as const]) {
      const ids: string[] = [];
      for (let index = 0; index < count; index += 1)
        ids.push((await post(`${texts[index % 4]} ${texts[(index * 7 + 1) % 4]}`, of)).id);
      await mark(ids, folder);
    }
    await renew();
  };
  /** Has the job read what was marked. */
  const renew = () => learnMarked(app);
  const spamOf = async (id: string) => (await app.store.submissions.find(id))!.spam;
  const learned = async () => (await showForm(app, OPERATOR, "contact")).learned;
  return { app, form, post, mark, teach, renew, spamOf, learned, reported, outgoing };
}

test("A form that learns moves what is like marked spam to the spam folder, and names five words", async () => {
  const { post, teach, spamOf, learned, reported } = await open();
  expect(await spamOf((await post(MIXED)).id)).toBeNull();
  await teach(60);
  expect(await learned()).toEqual({ spam: 60, good: 60, least: 20 });
  const { status, id } = await post(MIXED);
  expect(status).toBe(200);
  const reason = (await spamOf(id))!;
  expect(spamKind(reason)).toBe("learn");
  expect(explainSpam(reason)).toMatch(/^it is like what was marked as spam: (?:[^,]+, ){4}[^,]+$/);
  expect(await spamOf((await post("when do you open, please call me back")).id)).toBeNull();
  expect(reported).toEqual([]);
});

test("The first submission after the job has learned is judged by the new filter, also where it comes at once", async () => {
  const { app, post, teach, spamOf } = await open();
  await post(MIXED);
  // The clock stands still.
  await teach(60);
  const burst = await Promise.all([post(MIXED), post(MIXED), post(MIXED)]);
  for (const { id } of burst) expect(await spamOf(id)).toStartWith("learn:");
  expect(app.clock.now).toBe(Date.parse("2026-01-02T03:04:05.678Z"));
});

test("The first submission five seconds after another process has learned, or marks were taken back, is judged by the new filter", async () => {
  const { app, post, teach, mark, spamOf } = await open();
  const other = { ...app, store: { ...app.store } };
  await post(MIXED);
  await teach(19);
  expect(await spamOf((await post(MIXED)).id)).toBeNull();
  const ids: string[] = [];
  for (const text of [...SPAM, ...GOOD]) ids.push((await post(text)).id);
  await mark(ids.slice(0, 4), "spam");
  await mark(ids.slice(4), "archived");
  await learnMarked(other);
  app.clock.now += 5000;
  expect(await spamOf((await post(MIXED)).id)).toStartWith("learn:");
  await mark(ids, "inbox");
  app.clock.now += 5000;
  expect(await spamOf((await post(MIXED)).id)).toBeNull();
});

test("A filter reads its counts once in five seconds, however many submissions come", async () => {
  const { app, post, teach } = await open();
  await teach(20);
  const counts = spyOn(app.store.learning, "counts");
  await Promise.all(Array.from({ length: 20 }, () => post(MIXED)));
  expect(counts).toHaveBeenCalledTimes(1);
  app.clock.now += 4999;
  await post(MIXED);
  expect(counts).toHaveBeenCalledTimes(1);
  app.clock.now += 1;
  await Promise.all([post(MIXED), post(MIXED)]);
  expect(counts).toHaveBeenCalledTimes(2);
});

test("A submission is judged by what is known while the database cannot say what was learned", async () => {
  const { app, post, teach, spamOf, reported } = await open();
  await teach(60);
  expect(await spamOf((await post(MIXED)).id)).toStartWith("learn:");
  const counts = spyOn(app.store.learning, "counts");
  for (const error of [new AppError("unavailable", "the database is busy"), new Error("a bug")]) {
    counts.mockRejectedValueOnce(error);
    app.clock.now += 5000;
    expect(await spamOf((await post(MIXED)).id)).toStartWith("learn:");
  }
  expect(reported.map(String)).toEqual(["Error: a bug"]);
});

test("The filter decides nothing below twenty of each kind, and another form has none", async () => {
  const { app, post, teach, spamOf } = await open();
  await teach(19);
  expect(await spamOf((await post(MIXED)).id)).toBeNull();
  const other = await createForm(app, OPERATOR, { slug: "other" });
  await teach(60);
  expect(await spamOf((await post(MIXED, other)).id)).toBeNull();
  const third = await createForm(app, OPERATOR, { slug: "third", learn: true });
  expect(await spamOf((await post(MIXED, third)).id)).toStartWith("learn:");
});

test("A form that refuses spam keeps what only its filter found, and refuses what another check found", async () => {
  const { post, teach, spamOf } = await open({ spam: "reject", spamWords: ["forbidden"] });
  await teach(60);
  const { status, id } = await post(MIXED);
  expect([status, await spamOf(id)]).toEqual([200, expect.stringMatching(/^learn:/)]);
  expect((await post(`${MIXED} forbidden`)).status).toBe(403);
});

test("External checks come before the filter, which then files what they let pass", async () => {
  const { app, post, teach, spamOf, outgoing } = await open();
  await teach(60);
  let asked = 0;
  const say = (answer: object) => {
    outgoing.ask = async () => {
      asked += 1;
      return { answer: JSON.stringify(answer) };
    };
  };
  const checks = ["https://check.example/"];
  const { form } = await setForm(app, OPERATOR, "contact", { checks, spam: "reject" });
  say({ verdict: "ok" });
  expect(await spamOf((await post(MIXED, form)).id)).toStartWith("learn:");
  say({ verdict: "spam" });
  expect((await post(MIXED, form)).status).toBe(403);
  expect(asked).toBe(2);
});

const PARTS = {
  learning: { learn: true },
  confirmation: { optIn: "email" },
  checks: { checks: ["https://check.example/"] },
} satisfies Record<string, Partial<NewForm>>;

test.each<(keyof typeof PARTS)[]>([
  ["learning", "confirmation", "checks"],
  ["learning", "checks", "confirmation"],
  ["confirmation", "learning", "checks"],
  ["confirmation", "checks", "learning"],
  ["checks", "learning", "confirmation"],
  ["checks", "confirmation", "learning"],
])(
  "A form with %s, then %s and %s asks its checks, then its filter, then the sender",
  async (first, second, third) => {
    const { app, post, teach, renew, mark, outgoing } = await open({ learn: false });
    await teach(60);
    let verdict = "ok";
    let asked = 0;
    outgoing.ask = async () => {
      asked += 1;
      return { answer: JSON.stringify({ verdict }) };
    };
    let form!: Form;
    for (const part of [first, second, third])
      ({ form } = await setForm(app, OPERATOR, "contact", PARTS[part]));
    await renew();
    const send = async (message: string) => {
      const { id } = await post(message, form);
      const { state, spam } = (await app.store.submissions.find(id))!;
      const query = { limit: 9, before: null, formKeys: null, projects: null, submission: id, status: null };
      const { items } = await app.store.deliveries.page(query);
      return { id, state, spam: spam && spamKind(spam), deliveries: items.map(({ kind }) => kind) };
    };
    expect(await send("when do you open")).toMatchObject({
      state: "unconfirmed",
      spam: null,
      deliveries: ["confirmation"],
    });
    const { id, ...found } = await send(MIXED);
    expect(found).toEqual({ state: "spam", spam: "learn", deliveries: [] });
    expect(asked).toBe(2);
    await mark([id], "inbox");
    expect((await app.store.submissions.find(id))!.state).toBe("unconfirmed");
    verdict = "spam";
    expect(await send("when do you open")).toMatchObject({ state: "spam", spam: "check", deliveries: [] });
    expect(asked).toBe(3);
  },
);

test("What does not match the schema is refused, though it is like spam", async () => {
  const { app, post, teach } = await open();
  await teach(60);
  const schema = { type: "object", required: ["phone"] };
  const { form } = await setForm(app, OPERATOR, "contact", { schema });
  expect((await post(MIXED, form)).status).toBe(422);
});

test("A repeat with the same idempotency key gets the first answer", async () => {
  const { post, teach } = await open();
  await teach(60);
  const headers = { "idempotency-key": "k" };
  const [first, second] = [await post(MIXED, undefined, headers), await post(MIXED, undefined, headers)];
  expect(second.id).toBe(first.id);
});

test("What leaves the spam folder was no spam; an undo takes training back", async () => {
  const { app, post, teach, mark, renew, spamOf, learned } = await open();
  await teach(60);
  const { id } = await post(MIXED);
  expect(await spamOf(id)).not.toBeNull();
  await mark([id], "inbox");
  await renew();
  expect(await learned()).toMatchObject({ spam: 60, good: 61 });
  const other = await post("a question about my order");
  const { undo } = await actUndoably(
    app,
    OPERATOR,
    { ids: [other.id], undoable: true },
    () => mark([other.id], "spam"),
    (changed) => undoOfMark("spam", changed, () => "inbox"),
  );
  await renew();
  expect(await learned()).toMatchObject({ spam: 61, good: 61 });
  await undoAction(app, OPERATOR, undo!);
  await renew();
  expect(await learned()).toMatchObject({ spam: 60, good: 61 });
});

test("Deleting spam keeps what was learned; a purge of a person does not", async () => {
  const { app, post, teach, mark, renew, learned } = await open();
  await teach(30);
  const { submissions } = await app.store.submissions.list(
    (await app.store.forms.named("contact"))[0]!.key,
    100,
    null,
    ["spam"],
  );
  await app.store.submissions.delete(submissions.map(({ id }) => id));
  expect(await learned()).toMatchObject({ spam: 30, good: 30 });
  const { id } = await post("this is about me");
  await mark([id], "archived");
  await renew();
  expect(await learned()).toMatchObject({ spam: 30, good: 31 });
  await purgeSubmissions(app, OPERATOR, { email: "ann@example.com" });
  expect(await learned()).toMatchObject({ spam: 30, good: 0 });
});

test("The end of learning removes what was learned, and a form that begins knows what was marked before", async () => {
  const { app, teach, learned, renew, post, spamOf } = await open({ learn: false });
  await teach(60);
  expect(await app.store.learning.counts("default")).toMatchObject({ spam: 0, good: 0 });
  const { form } = await setForm(app, OPERATOR, "contact", { learn: true });
  await renew();
  expect(await learned()).toMatchObject({ spam: 60, good: 60 });
  expect(await spamOf((await post(MIXED, form)).id)).toStartWith("learn:");
  await setForm(app, OPERATOR, "contact", { learn: false });
  expect(await app.store.learning.counts("default")).toMatchObject({ spam: 0, good: 0 });
  expect(await spamOf((await post(MIXED)).id)).toBeNull();
});
