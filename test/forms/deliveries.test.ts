import { describe, expect, test } from "bun:test";
import { getDelivery, listDeliveries, retryDeliveries } from "../../src/forms/deliveries.ts";
import { openServices, openTestApp, clientAt } from "../support/app.ts";
import { addForm, apply } from "../support/records/apply.ts";
import { OPERATOR, callerNamed } from "../support/records/caller.ts";
import { nextId, targetRecord } from "../support/records/records.ts";
import { codeOf } from "../support/refusals.ts";
import type { FormRecord } from "../../src/forms/form.ts";

const ALL = { form: null, submission: null, status: null, before: null, limit: 50 };

async function begin(settings: Partial<FormRecord> = {}) {
  const app = openTestApp();
  let queued = 0;
  app.onQueued = () => void (queued += 1);
  const form = await addForm(app.store, "contact", settings);
  const { forms } = openServices(app);
  const submit = async (fields: object) => {
    const request = new Request(`http://localhost/v1/s/${form.key}?mode=rest`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(fields),
    });
    const answer = await forms.submit(request, form.key, () => clientAt("192.0.2.1"));
    expect(answer.status).toBe(200);
    return ((await answer.json()) as { id: string }).id;
  };
  const recipients = async () => {
    const { items } = await listDeliveries(app, OPERATOR, ALL);
    return items.map(({ kind, target }) => `${kind} ${target}`).toSorted();
  };
  return { app, form, submit, recipients, queuedCalls: () => queued };
}

describe("a submission", () => {
  test("of a form without recipients causes no delivery", async () => {
    const { submit, recipients, queuedCalls } = await begin();
    await submit({ email: "ann@example.org" });
    expect(await recipients()).toEqual([]);
    expect(queuedCalls()).toBe(0);
  });

  test("goes to the enabled targets, the addresses to notify, and its sender", async () => {
    const { app, form, submit, recipients, queuedCalls } = await begin({
      notify: ["a@example.com", "b@example.com"],
      autoreply: true,
    });
    const [on, off] = [targetRecord(form.key), targetRecord(form.key, { enabled: false })];
    await apply(app.store, { change: "insertTarget", target: on }, { change: "insertTarget", target: off });
    const id = await submit({ email: "ann@example.org" });
    const expected = [
      "autoreply ann@example.org",
      "notification a@example.com",
      "notification b@example.com",
      `webhook ${on.id}`,
    ];
    expect(await recipients()).toEqual(expected);
    expect((await listDeliveries(app, OPERATOR, { ...ALL, submission: id })).items).toHaveLength(4);
    expect(queuedCalls()).toBe(1);
  });

  test("goes to a target from the moment it is added, and to none once it is disabled", async () => {
    const { app, form, submit, recipients } = await begin();
    await submit({ a: 1 });
    const target = targetRecord(form.key);
    await apply(app.store, { change: "insertTarget", target });
    await submit({ a: 2 });
    await apply(app.store, { change: "updateTarget", target: { ...target, enabled: false } });
    await submit({ a: 3 });
    expect(await recipients()).toEqual([`webhook ${target.id}`]);
  });

  test("that is spam goes nowhere", async () => {
    const { submit, recipients } = await begin({ notify: ["a@example.com"], autoreply: true });
    await submit({ email: "ann@example.org", _gotcha: "x" });
    expect(await recipients()).toEqual([]);
  });
});

describe("an automatic reply", () => {
  test("goes to the address in the field that the form names, or to nobody", async () => {
    const { submit, recipients } = await begin({ autoreply: true, emailField: "from" });
    await submit({ from: "ann@example.org", email: "bob@example.org" });
    await submit({ email: "bob@example.org" });
    await submit({ from: "ann@example.org, bob@example.org" });
    expect(await recipients()).toEqual(["autoreply ann@example.org"]);
  });

  test("goes to an address once in 24 hours, in whatever case it is written", async () => {
    const { app, submit, recipients } = await begin({ autoreply: true });
    await submit({ email: "ann@example.org" });
    await submit({ email: "ANN@example.ORG" });
    expect(await recipients()).toHaveLength(1);
    app.clock.now += 86_400_000;
    await submit({ email: "ann@example.org" });
    expect(await recipients()).toHaveLength(2);
  });

  test("goes to a mailbox once in 24 hours, however its address is spelled", async () => {
    const { submit, recipients } = await begin({ autoreply: true });
    for (let count = 0; count < 30; count += 1) await submit({ email: `ann+${count}@example.org` });
    await submit({ email: "Ann@example.org" });
    for (const name of ["eve.x", "e.v.ex", "evex+1"]) await submit({ email: `${name}@gmail.com` });
    await submit({ email: "ev.ex@googlemail.com" });
    await submit({ email: "a.nn@example.org" });
    expect(await recipients()).toEqual([
      "autoreply a.nn@example.org",
      "autoreply ann+0@example.org",
      "autoreply eve.x@gmail.com",
    ]);
  });

  test("goes to a hundred addresses an hour at most", async () => {
    const { app, submit, recipients } = await begin({ autoreply: true });
    for (let count = 0; count < 101; count += 1) await submit({ email: `${count}@example.org` });
    expect(await recipients()).toHaveLength(50);
    expect(await app.store.deliveries.countQueued(1000)).toBe(100);
    app.clock.now += 3_600_000;
    await submit({ email: "later@example.org" });
    expect(await app.store.deliveries.countQueued(1000)).toBe(101);
  });
});

describe("deliveries", () => {
  test("are retried by their ids or where they failed, by callers who may write forms", async () => {
    const { app, submit, queuedCalls } = await begin({ notify: ["a@example.com"] });
    await submit({ a: 1 });
    const [delivery] = (await listDeliveries(app, OPERATOR, ALL)).items;
    await app.store.deliveries.cancelTargetless(app.now(), 10);
    const before = queuedCalls();
    expect(await retryDeliveries(app, OPERATOR, { ids: [delivery!.id, delivery!.id] })).toBe(1);
    expect(await retryDeliveries(app, OPERATOR, { failed: true })).toBe(0);
    expect(queuedCalls()).toBe(before + 2);
    expect(await codeOf(retryDeliveries(app, OPERATOR, { failed: true, form: "nothing" }))).toBe("not_found");
    expect(await codeOf(retryDeliveries(app, OPERATOR, { ids: [nextId()] }))).toBe("not_found");
    const reader = callerNamed("eve", { scopes: ["forms:read"] });
    expect(await codeOf(retryDeliveries(app, reader, { failed: true }))).toBe("forbidden");
  });

  test("that do not exist are not found", async () => {
    const { app } = await begin();
    expect(await codeOf(getDelivery(app, OPERATOR, nextId()))).toBe("not_found");
    expect(await codeOf(listDeliveries(app, OPERATOR, { ...ALL, form: "nothing" }))).toBe("not_found");
  });
});
