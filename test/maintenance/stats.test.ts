import { describe, expect, test } from "bun:test";
import { HOUR_MS, hourOf } from "../../src/base/days.ts";
import { READ_INTERVAL, createReads, neverRead } from "../../src/flags/reads/reads.ts";
import { tallyExpiryJob } from "../../src/flags/reads/read-tally.ts";
import { createForm, deleteForm } from "../../src/forms/forms.ts";
import { readRates, readStats } from "../../src/maintenance/stats.ts";
import { createProject } from "../../src/projects/projects.ts";
import { openTestApp } from "../support/app.ts";
import { OPERATOR, callerNamed } from "../support/records/caller.ts";
import { submissionTo } from "../support/records/records.ts";
import { codeOf } from "../support/refusals.ts";

const DAY_MS = 24 * HOUR_MS;

/** An app with two forms and a project of two environments; its clock is at 03:04 in UTC. */
async function open() {
  const app = openTestApp();
  const contact = await createForm(app, OPERATOR, { slug: "contact" });
  const orders = await createForm(app, OPERATOR, { slug: "orders" });
  const project = await createProject(app, OPERATOR, { slug: "shop", environments: ["live", "test"] });
  const submit = async (form: { key: string }, ago = 0, spam: string | null = null) => {
    const unlimited = { key: null, recent: null, challenge: null, keepsSpam: true, maxSubmissions: null };
    const conditions = { ...unlimited, spam };
    const submission = submissionTo(form.key, { id: app.nextId(), createdAt: app.now() - ago, conditions });
    await app.store.submissions.insert(submission);
    return submission.id;
  };
  const reads = createReads(app.store);
  const keyOf = (slug: string) => project.environments.find((each) => each.slug === slug)!.key;
  const read = (environment: string, flag: string | null, times: number) => {
    const readable = neverRead();
    for (let count = 0; count < times; count += 1) reads.note(readable, keyOf(environment), flag, app.now());
  };
  return { app, contact, orders, submit, read, flush: reads.flush };
}

describe("statistics of submissions", () => {
  test("count what each form holds, and what was stored each day", async () => {
    const { app, contact, orders, submit } = await open();
    await submit(contact);
    await submit(contact, DAY_MS);
    await submit(contact, DAY_MS, "links");
    await submit(contact, 3 * DAY_MS);
    const id = await submit(orders);
    await app.store.submissions.mark([id], "archived", {}, { who: "ann", at: app.now() });
    const stats = await readStats(app, OPERATOR, { days: 3 });
    expect(stats.forms).toEqual([
      {
        project: "default",
        form: "contact",
        name: "contact",
        inbox: 3,
        unread: 3,
        spam: 1,
        archived: 0,
        unconfirmed: 0,
      },
      {
        project: "default",
        form: "orders",
        name: "orders",
        inbox: 0,
        unread: 0,
        spam: 0,
        archived: 1,
        unconfirmed: 0,
      },
    ]);
    expect(stats.submissions).toEqual([
      { day: "2026-01-01", project: "default", form: "contact", inbox: 1, spam: 1 },
      { day: "2026-01-02", project: "default", form: "contact", inbox: 1, spam: 0 },
      { day: "2026-01-02", project: "default", form: "orders", inbox: 1, spam: 0 },
    ]);
    expect(stats.deliveries).toEqual({ queued: 0, failed: 0 });
  });

  test("are those of one form, by slug or key, and of the days of a time zone", async () => {
    const { app, contact, orders, submit } = await open();
    await submit(contact);
    await submit(orders);
    for (const form of ["contact", contact.key]) {
      const stats = await readStats(app, OPERATOR, { days: 1, form, timeZone: "America/New_York" });
      expect(stats.forms!.map(({ form }) => form)).toEqual(["contact"]);
      expect(stats.submissions).toEqual([
        { day: "2026-01-01", project: "default", form: "contact", inbox: 1, spam: 0 },
      ]);
    }
    expect(await codeOf(readStats(app, OPERATOR, { days: 1, form: "nothing" }))).toBe("not_found");
    expect(await codeOf(readStats(app, OPERATOR, { days: 1, timeZone: "Moon" }))).toBe("invalid");
  });

  test("leave out forms that were deleted", async () => {
    const { app, orders, submit } = await open();
    await submit(orders);
    await deleteForm(app, OPERATOR, "orders");
    const { forms, submissions } = await readStats(app, OPERATOR, { days: 1 });
    expect([forms!.map(({ form }) => form), submissions]).toEqual([["contact"], []]);
  });
});

describe("statistics of reads", () => {
  test("count reads of a flag and of all by hour and environment", async () => {
    const { app, read, flush } = await open();
    read("live", "sale", 2);
    read("live", "other", 1);
    read("live", null, 4);
    await flush();
    app.clock.now += HOUR_MS;
    read("test", "sale", 1);
    await flush();
    const { reads } = await readStats(app, OPERATOR, { days: 1 });
    expect(reads).toEqual([
      { hour: "2026-01-02T03:00:00.000Z", project: "shop", environment: "live", one: 3, all: 4 },
      { hour: "2026-01-02T04:00:00.000Z", project: "shop", environment: "test", one: 1, all: 0 },
    ]);
    expect((await readStats(app, OPERATOR, { days: 1, hours: 1 })).reads).toHaveLength(1);
  });

  test("count a read of a list once for its environment, however many flags it has", async () => {
    const { app, read, flush } = await open();
    read("live", null, 1000);
    await flush();
    const from = hourOf(app.now());
    expect(await app.store.tallies.read({ kind: "flagReads", from, to: from + 1 })).toEqual([]);
    expect((await readStats(app, OPERATOR, { days: 1 })).reads).toMatchObject([{ one: 0, all: 1000 }]);
  });

  test("keep what could not be stored for the next time, and lose no read meanwhile", async () => {
    const { app } = await open();
    let isFull = true;
    const add: typeof app.store.tallies.add = (tallies) =>
      isFull ? Promise.reject(new Error("full")) : app.store.tallies.add(tallies);
    const reads = createReads({ ...app.store, tallies: { ...app.store.tallies, add } });
    const readable = neverRead();
    reads.note(readable, "aaaa-bbbb-cccc", "f", app.now());
    expect(await reads.flush().catch(String)).toContain("full");
    reads.note(readable, "aaaa-bbbb-cccc", "f", app.now());
    isFull = false;
    await reads.flush();
    await reads.flush();
    const hour = hourOf(app.now());
    const span = { from: hour, to: hour + 1 };
    expect(await app.store.tallies.sum({ kind: "flagReads", ...span })).toMatchObject([{ count: 2 }]);
    expect(await app.store.tallies.sum({ kind: "reads", ...span })).toMatchObject([
      { variant: "one", count: 2 },
    ]);
  });

  test("count every read of more flags than are noted at once", async () => {
    const { app, read, flush } = await open();
    for (let flag = 0; flag < 10_500; flag += 1) read("live", `flag-${flag % 600}`, 2);
    await flush();
    const { flags } = await readRates(app, OPERATOR, { project: "shop", environment: "live" });
    expect(flags.size).toBe(600);
    expect([...flags.values()].reduce((sum, count) => sum + count)).toBe(21_000);
  });

  test("are removed after their days", async () => {
    const { app, read, flush } = await open();
    const { run } = tallyExpiryJob(app);
    read("live", "sale", 1);
    await flush();
    const start = hourOf(app.now());
    const span = { from: start, to: start + 1 };
    const left = () =>
      Promise.all(
        (["reads", "flagReads"] as const).map(
          async (kind) => (await app.store.tallies.sum({ kind, ...span })).length,
        ),
      );
    app.clock.now += 7 * DAY_MS;
    await run();
    expect(await left()).toEqual([1, 1]);
    app.clock.now += HOUR_MS;
    await run();
    expect(await left()).toEqual([1, 0]);
    app.clock.now += 174 * DAY_MS;
    await run();
    expect(await left()).toEqual([0, 0]);
  });
});

describe("the reads of the last hour", () => {
  const live = { project: "shop", environment: "live" };

  test("are those of this hour and a share of the hour before", async () => {
    const { app, read, flush } = await open();
    app.clock.now = Date.parse("2026-01-02T03:59:00Z");
    read("live", "sale", 80);
    read("live", null, 8);
    read("test", "sale", 5);
    await flush();
    app.clock.now = Date.parse("2026-01-02T04:15:00Z");
    read("live", "sale", 10);
    read("live", "new", 1);
    await flush();
    const { flags, all } = await readRates(app, OPERATOR, live);
    expect([Object.fromEntries(flags), all]).toEqual([{ sale: 70, new: 1 }, 6]);
    const some = await readRates(app, OPERATOR, live, { first: "nex", last: "sale" });
    expect([Object.fromEntries(some.flags), some.all]).toEqual([{ sale: 70 }, 6]);
    const one = await readRates(app, OPERATOR, live, { first: "new", last: "new" });
    expect(Object.fromEntries(one.flags)).toEqual({ new: 1 });
  });

  test("need the right to read the environment, which has to exist", async () => {
    const { app } = await open();
    const elsewhere = callerNamed("bob", { scopes: ["flags:read"], project: "other" });
    expect(await codeOf(readRates(app, elsewhere, live))).toBe("forbidden");
    expect(await codeOf(readRates(app, OPERATOR, { ...live, environment: "nowhere" }))).toBe("not_found");
  });
});

describe("a caller gets the statistics that it may read", () => {
  test("of forms, of flags, or of neither", async () => {
    const { app, submit, contact, read, flush } = await open();
    await submit(contact);
    read("live", "sale", 1);
    read("test", "sale", 1);
    await flush();
    const of = async (rights: Parameters<typeof callerNamed>[1]) =>
      readStats(app, callerNamed("bob", rights), { days: 1 });
    expect(Object.keys(await of({ scopes: ["forms:write"] }))).toEqual([
      "forms",
      "submissions",
      "deliveries",
    ]);
    expect((await of({ scopes: ["flags:read"] })).reads).toHaveLength(2);
    const placed = await of({ scopes: ["flags:read"], project: "shop", environment: "test" });
    expect(placed).toEqual({ reads: [expect.objectContaining({ environment: "test", one: 1 })] });
    expect((await of({ scopes: ["flags:read"], project: "other" })).reads).toEqual([]);
    expect(Object.keys(await of({ scopes: ["read"] }))).toContain("commits");
    expect(await codeOf(of({ scopes: ["flags:refs"], project: "shop" }))).toBe("forbidden");
  });
});

test("a read counts after a flush of the last hour, whether or not its time is recorded again", async () => {
  const { app, read, flush } = await open();
  read("live", "sale", 1);
  await flush();
  app.clock.now += READ_INTERVAL / 100;
  read("live", "sale", 2);
  await flush();
  const { flags } = await readRates(app, OPERATOR, { project: "shop", environment: "live" });
  expect(flags.get("sale")).toBe(3);
});
