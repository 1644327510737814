import { join } from "node:path";
import { Database } from "bun:sqlite";
import { afterEach, describe, expect, test } from "bun:test";
import { setClock } from "../../src/base/clock.ts";
import type { SetupChange } from "../../src/documents/setup.ts";
import { IN_INBOX } from "../../src/forms/intake/insertion.ts";
import { WRITER_HEALTHY_MS, WRITER_READY_MS } from "../../src/store/limits.ts";
import { eventually } from "../support/eventually.ts";
import { errorOf } from "../support/refusals.ts";
import { openMigrated } from "../support/database.ts";
import type { Measurement } from "../../src/experiments/measurement.ts";
import { putExperiment } from "../../src/experiments/plan.ts";
import { addForm, addProject, ANN, apply } from "../support/records/apply.ts";
import { experimentOf } from "../support/records/experiments.ts";
import { formRecord, NOW, submissionTo } from "../support/records/records.ts";
import { tempDirectory } from "../support/temp.ts";

/** A store that commits on its own thread, with a function that returns how many commits it has made. */
async function openStore() {
  const file = join(tempDirectory(), "formflag.db");
  const store = openMigrated(file, "thread");
  const { key } = await addForm(store, "contact");
  const insert = () => store.submissions.insert(submissionTo(key));
  const commits = async () =>
    (await store.stats()).commitWrites.counts.reduce((sum, count) => sum + count, 0);
  return { store, file, key, insert, commits };
}

test("writes that come together are one commit, also after the queue was empty", async () => {
  const { store, insert, commits } = await openStore();
  for (let round = 0; round < 3; round += 1) {
    await insert();
    const before = await commits();
    await Promise.all(Array.from({ length: 50 }, insert));
    expect((await commits()) - before).toBe(1);
  }
  await store.close();
});

test("a write that rewrites the file is a commit of its own, and the others stay together around it", async () => {
  const { store, insert, commits } = await openStore();
  const before = await commits();
  const first = Array.from({ length: 10 }, insert);
  const rewritten = store.submissions.rewrite();
  const second = Array.from({ length: 10 }, insert);
  await Promise.all([...first, rewritten, ...second]);
  expect((await commits()) - before).toBe(3);
  await Promise.all(Array.from({ length: 10 }, insert));
  expect((await commits()) - before).toBe(4);
  await store.close();
});

test("visitors who come before the end of their experiment, in the same commit, count, and later ones do not", async () => {
  const { store, commits } = await openStore();
  const { slug: project, set } = await addProject(store, "shop", "live");
  await set("live", "sale", { enabled: true });
  const running = experimentOf("live", "sale", { status: "running", startedAt: NOW });
  await apply(store, putExperiment(project, undefined, running, [], "ab".repeat(16)));
  const [{ id }] = (await store.measurements.live()) as [Measurement];
  const count = (visitor: string) =>
    store.measurements.count([{ measurement: id, visitor, variant: 0, metrics: 0 }]);
  const { version } = await store.readVersion();
  const before = await commits();
  const ended = { ...running, status: "ended" as const, endedAt: NOW + 5 };
  const end = putExperiment(project, undefined, ended, [], null);
  await Promise.all([count("0".repeat(16)), store.apply([end], version, ANN), count("1".repeat(16))]);
  expect((await commits()) - before).toBe(1);
  const place = { project, environment: "live", experiment: "hero" };
  expect((await store.experiments.find(place))!.experiment.counts).toMatchObject({
    variants: { off: { visitors: 1 }, on: { visitors: 0 } },
  });
  await store.close();
});

/** A form that cannot be sent to another thread, as one with a function cannot. */
const unsendable = (slug: string): SetupChange => {
  const form = formRecord(slug, { name: (() => slug) as unknown as string });
  return { change: "insertForm", project: form.project, form };
};

test("a write that cannot be sent to the thread is refused, and those beside and behind it are stored", async () => {
  const { store, insert } = await openStore();
  const { version } = await store.readVersion();
  const refused = () => store.apply([unsendable("broken")], version, ANN).catch(String);
  expect(await refused()).toContain("DataCloneError");
  for (let round = 0; round < 3; round += 1) {
    const beside = [insert(), refused(), insert(), refused(), insert()];
    const text = expect.stringContaining("DataCloneError");
    expect(await Promise.all(beside)).toEqual([IN_INBOX, text, IN_INBOX, text, IN_INBOX]);
  }
  // One that waits behind a commit is sent when that is answered.
  const first = insert();
  await eventually("a commit", async () => (await store.stats()).queued === 1);
  const behind = [insert(), refused(), store.submissions.rewrite(), insert()];
  expect(await first).toEqual(IN_INBOX);
  expect((await Promise.all(behind)).at(-1)).toEqual(IN_INBOX);
  expect(await store.stats()).toMatchObject({ queued: 0, queuedBytes: 0 });
  await store.close();
});

test("a sender whose state cannot be read loses its own write alone", async () => {
  const { store, key, insert } = await openStore();
  const broken = (): boolean => {
    throw new Error("no state");
  };
  const lost = store.submissions.insert(submissionTo(key), broken).catch(String);
  expect(await Promise.all([insert(), lost, insert()])).toEqual([IN_INBOX, "Error: no state", IN_INBOX]);
  expect(await store.stats()).toMatchObject({ queued: 0, queuedBytes: 0 });
  await store.close();
});

/** Sends what the writer has deferred. */
const turn = () => new Promise((resolve) => void setImmediate(resolve));

describe("a writer that does not advance", () => {
  afterEach(() => setClock());

  test("is neither healthy nor ready once its oldest write waits too long, and both again after it", async () => {
    const { store, file, insert } = await openStore();
    const passed = (ms: number) => setClock({ steady: () => performance.now() + ms });
    // Time alone is none: nothing waits.
    passed(3_600_000);
    await Promise.all([store.ping(), store.ready()]);
    setClock();
    const lock = new Database(file);
    lock.run("BEGIN IMMEDIATE");
    const stored = insert();
    await turn();
    passed(WRITER_READY_MS + 1);
    expect(await errorOf(store.ready())).toContain("unavailable: the database has stored nothing for 10 s");
    // Slow as a card in a small computer may be, but alive.
    await store.ping();
    passed(WRITER_HEALTHY_MS + 1);
    expect(await errorOf(store.ping())).toContain("unavailable: the database has stored nothing for 30 s");
    lock.close();
    expect(await stored).toEqual(IN_INBOX);
    await Promise.all([store.ping(), store.ready()]);
    await store.close();
  });

  test("is one that rewrites the file for as long as that takes", async () => {
    const { store, file } = await openStore();
    const lock = new Database(file);
    lock.run("BEGIN IMMEDIATE");
    const rewritten = store.submissions.rewrite().catch(() => {});
    await turn();
    setClock({ steady: () => performance.now() + 3_600_000 });
    await store.ping();
    lock.close();
    await rewritten;
    await store.close();
  });
});
