import { join } from "node:path";
import { beforeAll, expect, test } from "bun:test";
import { setClock } from "../../src/base/clock.ts";
import { putFlag } from "../../src/flags/plan.ts";
import { openTestApp } from "../support/app.ts";
import { openMigrated } from "../support/database.ts";
import { ANN, addProject, apply } from "../support/records/apply.ts";
import { flagRecord } from "../support/records/records.ts";
import { turnsOf } from "../support/records/turns.ts";

const COUNT = 12_000;

const { store, directory } = openTestApp("thread");
const shop = await addProject(store, "shop", "live");

const change = (flag: string, values = {}) =>
  putFlag(shop.place("live", flag), undefined, flagRecord(flag, values));

beforeAll(async () => {
  const flags = Array.from({ length: COUNT }, (_, index) => change(`f${index}`, { createdAt: index % 7 }));
  await store.apply(flags, (await store.readVersion()).version, ANN);
});

test("other work takes turns while the flags of an environment are read", async () => {
  const reads = {
    selection: async () => (await (await shop.select("live"))!.flags()).length,
    list: async () => (await store.flags.list("shop", "live")).length,
    setup: async () => (await store.setup.read(["shop"], false)).projects[0]!.environments[0]!.flags.length,
  };
  // Each look at the clock finds that the turn is over, however fast the machine is.
  let now = 0;
  setClock({ steady: () => (now += 1000) });
  for (const [name, read] of Object.entries(reads)) {
    const { result, turns } = await turnsOf(read);
    expect([name, result, turns > 3]).toEqual([name, COUNT, true]);
  }
  setClock();
});

test("a read in turns sees one moment", async () => {
  const reading = store.flags.list("shop", "live");
  await apply(store, change("f0", { payload: "[1]" }), change(`f${COUNT - 1}`, { payload: "[1]" }));
  const isChanged = await reading.then((flags) => flags.filter(({ payload }) => payload === "[1]").length);
  expect([0, 2]).toContain(isChanged);
});

test("flags come newest first, then by slug", async () => {
  const flags = await (await shop.select("live"))!.flags();
  const sorted = flags.toSorted((a, b) => b.createdAt - a.createdAt || (a.slug < b.slug ? -1 : 1));
  expect(flags.map(({ slug }) => slug)).toEqual(sorted.map(({ slug }) => slug));
});

test("a read that fails ends alone, and the store is closed once all others have their answers", async () => {
  const closing = openMigrated(join(directory, "formflag.db"), "thread");
  const list = (environment: string) => closing.flags.list("shop", environment).catch((error) => error.code);
  const lists = ["live", "live", "other", "live", "live"].map(list);
  const [, ...results] = await Promise.all([closing.close(), ...lists]);
  expect(results.map((result) => (typeof result === "string" ? result : result.length))).toEqual([
    COUNT,
    COUNT,
    "not_found",
    COUNT,
    COUNT,
  ]);
});
