import { describe, expect, test } from "bun:test";
import {
  pauseExperiment,
  resumeExperiment,
  startExperiment,
  stopExperiment,
} from "../../src/experiments/lifecycle.ts";
import type { GivenDesign } from "../../src/experiments/draft.ts";
import {
  createExperiment,
  deleteExperiment,
  getExperiment,
  patchExperiment,
} from "../../src/experiments/experiments.ts";
import { putExperiment } from "../../src/experiments/plan.ts";
import { readResults } from "../../src/experiments/results.ts";
import { shipExperiment } from "../../src/experiments/shipping.ts";
import { pauseChanged } from "../../src/experiments/guards/guarding.ts";
import { deleteFlag } from "../../src/flags/flags.ts";
import { getRamp, startRamp } from "../../src/flags/ramps/ramps.ts";
import { parseRules } from "../../src/flags/rules/rules.ts";
import { createForm } from "../../src/forms/forms.ts";
import { setEnvironment } from "../../src/projects/environments.ts";
import { BOB, openShop } from "../support/records/shop.ts";
import { callerNamed, OPERATOR } from "../support/records/caller.ts";
import { codeOf, reasonOf } from "../support/refusals.ts";

const STAFF = { if: [{ "==": [{ var: "plan" }, "staff"] }, "b"] };
const RULES = { variants: { a: 1, b: 2, c: 3 }, defaultVariant: "a" };

async function openLab(patch: object = RULES) {
  const shop = await openShop();
  const { app } = shop;
  await shop.set("live", patch);
  const at = { project: "shop", environment: "live", experiment: "hero" };
  const metrics = ["event:signup"];
  return {
    ...shop,
    at,
    create: (more: Partial<GivenDesign> = {}, place = at) =>
      createExperiment(app, BOB, place, { flag: "sale", metrics, ...more }),
    begin: async (more: Partial<GivenDesign> = {}) => {
      await createExperiment(app, BOB, at, { flag: "sale", metrics, ...more });
      return startExperiment(app, BOB, at);
    },
    get: () => getExperiment(app, at),
    watch: async () => {
      const reported: string[] = [];
      await pauseChanged(app, (text) => reported.push(text));
      return reported;
    },
    /** The state of the flag: its default variant and its rule. */
    state: async () => {
      const { enabled, rules } = (await shop.find("live"))!;
      if (rules === null) return { enabled };
      const { defaultVariant, targeting } = parseRules(rules);
      return { enabled, defaultVariant, ...(targeting && { targeting }) };
    },
  };
}

const splitting = (...buckets: [string, number][]) => ({ fractional: buckets });

describe("an experiment", () => {
  test("is a draft, which changes no flag, with all variants alike against the default one", async () => {
    const { create, state } = await openLab();
    const before = await state();
    expect(await create()).toMatchObject({
      status: "draft",
      control: "a",
      split: { a: 1, b: 1, c: 1 },
      minDays: 7,
      guards: [],
      onGuard: "pause",
      who: "bob",
    });
    expect(await state()).toEqual(before);
  });

  test("writes its split behind the conditions of the flag and turns it on; the control stands last", async () => {
    const { begin, state } = await openLab({ ...RULES, targeting: STAFF });
    await begin({ split: { a: 80, c: 20 } });
    const [condition, result] = STAFF.if;
    expect(await state()).toEqual({
      enabled: true,
      defaultVariant: "a",
      targeting: { if: [condition, result, splitting(["c", 20], ["a", 80])] },
    });
  });

  test("gives a plain flag the variants on and off", async () => {
    const { begin, state } = await openLab({});
    await begin();
    expect(await state()).toEqual({
      enabled: true,
      defaultVariant: "off",
      targeting: splitting(["on", 1], ["off", 1]),
    });
  });

  test("restores the flag at its end, and leaves alone what somebody else has changed", async () => {
    const { app, at, begin, state, set } = await openLab({ ...RULES, targeting: STAFF, enabled: false });
    const before = await state();
    await begin();
    expect(await stopExperiment(app, BOB, at)).toMatchObject({ status: "ended", reason: null });
    expect(await state()).toEqual(before);
    const other = await openLab();
    await other.begin();
    await other.set("live", { defaultVariant: "c" });
    const changed = await other.state();
    await stopExperiment(other.app, BOB, other.at);
    expect(await other.state()).toEqual(changed);
    expect(set).toBeFunction();
  });

  test("ends with a variant for everybody, at once", async () => {
    const { app, at, begin, state } = await openLab({ ...RULES, targeting: STAFF });
    await begin();
    await shipExperiment(app, BOB, at, { variant: "b" });
    expect(await state()).toEqual({ enabled: true, defaultVariant: "b", targeting: STAFF });
    expect(await reasonOf(stopExperiment(app, BOB, at))).toBe("conflict experiment-state");
  });

  test("ends with a variant by a ramp, which holds the flag next", async () => {
    const { app, at, place, begin, state } = await openLab();
    await begin({ split: { a: 1, b: 1 } });
    await shipExperiment(app, BOB, at, { variant: "b", to: [50, 100], every: 3600 });
    expect(await state()).toEqual({
      enabled: true,
      defaultVariant: "a",
      targeting: splitting(["b", 50], ["a", 50]),
    });
    expect(await getRamp(app, place("live"))).toMatchObject({ status: "running", share: 50, every: 3600 });
  });

  test("holds its flag: no ramp and no other experiment begins on it, until it has ended", async () => {
    const { app, at, place, begin, create } = await openLab({});
    await begin();
    const course = { variant: "on", to: [10, 20], every: 60 };
    expect(await reasonOf(startRamp(app, BOB, place("live"), course))).toBe("conflict flag-held");
    const other = { ...at, experiment: "other" };
    await create({}, other);
    expect(await reasonOf(startExperiment(app, BOB, other))).toBe("conflict flag-held");
    expect(await reasonOf(deleteExperiment(app, BOB, at))).toBe("conflict experiment-holds");
    await stopExperiment(app, BOB, at);
    await startRamp(app, BOB, place("live"), course);
    expect(await reasonOf(startExperiment(app, BOB, other))).toBe("conflict flag-held");
    await deleteExperiment(app, BOB, at);
    expect(await reasonOf(getExperiment(app, at))).toBe("not_found experiment-not-found");
  });

  test("is changed as a draft, later in its hypothesis alone", async () => {
    const { app, at, create } = await openLab();
    await create();
    const patch = { split: { a: 1, b: 3 }, minDays: 0, hypothesis: "b is better" };
    expect(await patchExperiment(app, BOB, at, patch)).toMatchObject(patch);
    await startExperiment(app, BOB, at);
    expect(await reasonOf(patchExperiment(app, BOB, at, { minDays: 1 }))).toBe("conflict experiment-started");
    expect(await patchExperiment(app, BOB, at, { hypothesis: null })).toMatchObject({
      hypothesis: null,
      status: "running",
    });
  });

  test.each<[string, object, Partial<GivenDesign>]>([
    ["a variant that the flag does not have", RULES, { split: { a: 1, x: 1 } }],
    ["a control outside the split", RULES, { control: "c", split: { a: 1, b: 1 } }],
    ["a flag with one variant", { variants: { a: 1 }, defaultVariant: "a" }, {}],
    ["a rule of another kind", { ...RULES, targeting: { var: "variant" } }, {}],
  ])("is refused for %s", async (_, patch, given) => {
    const { create } = await openLab(patch);
    expect(await codeOf(create(given))).toBe("invalid");
  });

  test("is one of at most 1,000 in its environment", async () => {
    const { app, at, create } = await openLab();
    const experiment = await create();
    const { version } = await app.store.readVersion();
    const changes = Array.from({ length: 998 }, (_, index) =>
      putExperiment("shop", undefined, { ...experiment, name: `old${index}` }),
    );
    await app.store.apply(changes, version, { who: "bob", at: app.now() });
    await create({}, { ...at, experiment: "last" });
    expect(await reasonOf(create({}, { ...at, experiment: "more" }))).toBe("conflict experiment-limit");
    await deleteExperiment(app, BOB, { ...at, experiment: "old0" });
    await create({}, { ...at, experiment: "more" });
  });

  test("counts submissions of a form that exists and that its author may read", async () => {
    const { app, at, create } = await openLab();
    expect(await reasonOf(create({ metrics: ["submissions:contact"] }))).toBe("not_found form-not-found");
    await createForm(app, OPERATOR, { slug: "contact", project: "shop" });
    const blind = callerNamed("bob", { scopes: ["flags:write"] });
    const design = { flag: "sale", metrics: ["submissions:contact"] };
    expect(await codeOf(createExperiment(app, blind, at, design))).toBe("forbidden");
    expect(await create({ metrics: ["submissions:contact"] })).toMatchObject(design);
  });
});

describe("changes of others", () => {
  test("pause a running experiment, which goes on with its split", async () => {
    const { app, at, begin, get, set, watch, state, history } = await openLab();
    await begin({ split: { a: 1, b: 1 } });
    await set("live", { defaultVariant: "c" });
    expect(await get()).toMatchObject({ status: "paused", reason: "changed" });
    expect(await watch()).toEqual(["paused experiment hero in shop/live: its flag was changed"]);
    expect(await watch()).toEqual([]);
    expect(await resumeExperiment(app, BOB, at)).toMatchObject({ status: "running", reason: null });
    expect(await state()).toMatchObject({ targeting: splitting(["b", 1], ["a", 1]) });
    const kinds = (await history({ kind: "experiment" })).map(
      ({ after }) => (after as { status: string }).status,
    );
    expect(kinds).toEqual(["running", "paused", "running", "draft"]);
  });

  test("that do not concern the split let it go on", async () => {
    const { begin, get, set, watch } = await openLab();
    await begin();
    await set("live", { description: "new" });
    expect(await watch()).toEqual([]);
    expect(await get()).toMatchObject({ status: "running" });
  });

  test("that lock the environment pause it, and a flag that is gone ends it", async () => {
    const { app, begin, get, watch } = await openLab();
    await begin();
    await setEnvironment(app, OPERATOR, "shop", "live", { locked: true });
    expect(await watch()).toEqual(["paused experiment hero in shop/live: its environment was locked"]);
    await setEnvironment(app, OPERATOR, "shop", "live", { locked: false });
    await deleteFlag(app, OPERATOR, { project: "shop", flag: "sale" }, null);
    expect(await get()).toMatchObject({ status: "ended", reason: "deleted" });
    expect(await watch()).toEqual(["paused experiment hero in shop/live: its flag was deleted"]);
    expect(await app.store.measurements.live()).toEqual([]);
  });

  test("in a locked environment need a confirmation", async () => {
    const { app, at, create } = await openLab();
    await create();
    await setEnvironment(app, OPERATOR, "shop", "live", { locked: true });
    const hasty = callerNamed("bob", { hasConfirmed: () => false });
    expect(await codeOf(startExperiment(app, hasty, at))).toBe("unconfirmed");
    await startExperiment(app, BOB, at);
    expect(await codeOf(pauseExperiment(app, hasty, at))).toBe("unconfirmed");
  });
});

test("results have each variant against the control, and say what one waits for", async () => {
  const { app, at, begin } = await openLab({});
  await begin({ minDays: 1 });
  const { id } = (await app.store.measurements.live())[0]!;
  const measured = Array.from({ length: 2000 }, (_, index) => ({
    measurement: id,
    visitor: index.toString(16).padStart(16, "0"),
    variant: index % 2,
    metrics: index % 2 === 0 ? Number(index % 20 === 0) : Number(index % 20 < 6),
  }));
  await app.store.measurements.count(measured);
  const results = await readResults(app, at);
  expect(results).toMatchObject({ winner: null, waiting: "min-days", days: 0, mixed: 0, full: false });
  app.clock.now += 86_400_000;
  const later = await readResults(app, at);
  expect(later).toMatchObject({ winner: "on", waiting: null, days: 1, level: 0.95 });
  await stopExperiment(app, BOB, at);
  expect((await readResults(app, at)).metrics).toEqual(later.metrics);
});
