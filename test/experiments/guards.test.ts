import { describe, expect, test } from "bun:test";
import { createExperiment, getExperiment } from "../../src/experiments/experiments.ts";
import { readGuards } from "../../src/experiments/guards/guarding.ts";
import { startExperiment } from "../../src/experiments/lifecycle.ts";
import { findGuardFault, parseGuard } from "../../src/flags/ramps/guard.ts";
import { OPERATOR } from "../support/records/caller.ts";
import { openShop } from "../support/records/shop.ts";

const at = { project: "shop", environment: "live", experiment: "hero" };

/** An experiment with a guard against errors, of which some percent of each variant have one, of 2,000 visitors each. */
async function openGuarded(onGuard: "pause" | "rollback", errors: { off: number; on: number }) {
  const shop = await openShop();
  const { app } = shop;
  await shop.set("live", { enabled: false });
  const design = { flag: "sale", metrics: ["event:signup"], guards: ["event:error rises 0%"], onGuard };
  await createExperiment(app, OPERATOR, at, design);
  await startExperiment(app, OPERATOR, at);
  const { id, variants, metrics } = (await app.store.measurements.live())[0]!;
  const error = 2 ** metrics.indexOf("event:error");
  const measured = Array.from({ length: 4000 }, (_, index) => {
    const variant = index % 2;
    const failing = (index >> 1) % 100 < errors[variants[variant] as "off" | "on"];
    const visitor = index.toString(16).padStart(16, "0");
    return { measurement: id, visitor, variant, metrics: failing ? error : 0 };
  });
  await app.store.measurements.count(measured);
  const reported: string[] = [];
  await readGuards(app, (text) => reported.push(text));
  return { ...shop, reported, experiment: await getExperiment(app, at) };
}

describe("a guard of an experiment", () => {
  test("pauses it once a metric has risen", async () => {
    const { experiment, reported } = await openGuarded("pause", { off: 1, on: 6 });
    expect(experiment).toMatchObject({ status: "paused", reason: "guard" });
    expect(reported).toEqual(['experiment hero in shop/live: the guard "event:error rises 0%" fired: pause']);
  });

  test("ends it, and restores its flag", async () => {
    const { experiment, find } = await openGuarded("rollback", { off: 1, on: 6 });
    expect(experiment).toMatchObject({ status: "ended", reason: "guard" });
    expect(await find("live")).toMatchObject({ enabled: false, rules: null });
  });

  test("lets it run where errors are as many", async () => {
    const { experiment, reported } = await openGuarded("pause", { off: 3, on: 3 });
    expect(experiment).toMatchObject({ status: "running" });
    expect(reported).toEqual([]);
  });
});

test.each([
  ["event:error rises 1001%", "rises by 0 to 1000 %"],
  ["submissions:contact falls 100%", "falls by 0 to 99 %"],
  ["error rises 0%", "is not a metric"],
  ["event:error grows 5%", "is not a guard"],
  ["event:error rises 40% of baseline", "a baseline is for submissions that fall"],
  ["event:signup falls 40% of baseline", "a baseline is for submissions that fall"],
  ["submissions:contact falls 0% of baseline", "a baseline is for submissions that fall"],
])("%s is not a guard", (text, fault) => expect(findGuardFault(text)).toContain(fault));

test("a guard has a metric and a limit", () => {
  expect(findGuardFault("event:error rises 0%")).toBeUndefined();
  expect(parseGuard("submissions:shop:contact falls 20.5 %")).toEqual({
    metric: "submissions:shop:contact",
    direction: "falls",
    percent: 20.5,
    isOfBaseline: false,
  });
});
