import { describe, expect, test } from "bun:test";
import type { Caller } from "../../src/access/caller.ts";
import { readGuards } from "../../src/experiments/guards/guarding.ts";
import { readGuardsOf } from "../../src/experiments/guards/readings.ts";
import { startGuardedRamp } from "../../src/experiments/guards/ramp-guards.ts";
import type { RampPlan } from "../../src/flags/ramps/ramp.ts";
import { createForm, deleteForm } from "../../src/forms/forms.ts";
import { OPERATOR, callerNamed } from "../support/records/caller.ts";
import { openRamping, sharing } from "../support/records/ramping.ts";
import { reasonOf } from "../support/refusals.ts";

const ERRORS = "event:error rises 0%";

/** A ramp with guards, and what its visitors do. */
async function openGuarded(plan: Partial<RampPlan> = {}) {
  const ramping = await openRamping();
  const { app, begin } = ramping;
  await begin({ guards: [ERRORS], ...plan });
  const live = () => app.store.measurements.live();
  return {
    ...ramping,
    live,
    /** Counts 2,000 visitors of each variant, of whom so many of a hundred have an error. */
    visit: async (errors: { off: number; on: number }) => {
      const { id, variants } = (await live())[0]!;
      const measured = Array.from({ length: 4000 }, (_, index) => {
        const variant = index % 2;
        const failing = (index >> 1) % 100 < errors[variants[variant] as "off" | "on"];
        const visitor = index.toString(16).padStart(16, "0");
        return { measurement: id, visitor, variant, metrics: failing ? 1 : 0 };
      });
      await app.store.measurements.count(measured);
    },
    /** What is reported by a look at the guards. */
    read: async () => {
      const reported: string[] = [];
      await readGuards(app, (text) => reported.push(text));
      return reported;
    },
  };
}

describe("a guard of a ramp", () => {
  test("counts the users of the variant and of the default, with another salt at each step", async () => {
    const { live, due, visit, app, at } = await openGuarded();
    const [first] = await live();
    expect(first).toMatchObject({ flag: "sale", variants: ["off", "on"], metrics: ["event:error"] });
    await visit({ off: 1, on: 1 });
    await due(1);
    const [second, ...more] = await live();
    expect(more).toEqual([]);
    expect([second!.id === first!.id, second!.salt === first!.salt]).toEqual([false, false]);
    expect(await app.store.measurements.counts(at)).toMatchObject({
      variants: { on: { visitors: 0, conversions: { "event:error": 0 } } },
    });
  });

  test("pauses it once a metric has risen, once", async () => {
    const { visit, read, ramp, state, history } = await openGuarded();
    await visit({ off: 1, on: 6 });
    expect(await read()).toEqual([`ramp of flag sale in shop/live: the guard "${ERRORS}" fired: pause`]);
    expect(await ramp()).toMatchObject({ status: "paused", reason: "guard", nextAt: null, share: 1 });
    expect(await state()).toMatchObject({ targeting: sharing(1) });
    const { length } = await history();
    expect(await read()).toEqual([]);
    expect(await history()).toHaveLength(length);
  });

  test("watches on after a step that a person makes, and ends with the last one", async () => {
    const { next, finish, visit, read, resume, ramp, live } = await openGuarded();
    await next();
    await visit({ off: 1, on: 6 });
    expect(await read()).toHaveLength(1);
    expect(await ramp()).toMatchObject({ status: "paused", reason: "guard", share: 10 });
    await resume();
    expect(await live()).toHaveLength(1);
    await finish();
    expect(await ramp()).toMatchObject({ status: "completed" });
    expect(await live()).toEqual([]);
  });

  test("is read with its numbers and its limit, those of submissions by who may read the form", async () => {
    const { app, at, due, visit, begin, abort } = await openGuarded({ guards: ["event:error rises 50%"] });
    const read = async (caller: Caller = OPERATOR) =>
      readGuardsOf(app, at, (await app.store.ramps.find(at))!.ramp, caller);
    const none = { visitors: 0, conversions: 0 };
    expect(await read()).toEqual([
      { guard: "event:error rises 50%", is: "rate", own: none, control: none, limit: null },
    ]);
    await visit({ off: 2, on: 1 });
    expect(await read()).toMatchObject([
      { own: { visitors: 2000, conversions: 20 }, control: { visitors: 2000, conversions: 40 }, limit: 0.03 },
    ]);
    await abort();
    const form = await createForm(app, OPERATOR, { slug: "contact", project: "shop" });
    await begin({ guards: ["submissions:contact falls 50% of baseline"] });
    await due(0.25);
    const [reading] = await read();
    expect(reading).toMatchObject({ is: "submissions", hours: Array.from({ length: 7 }, () => 0) });
    expect(await read(callerNamed("ann", { scopes: ["flags:read"] }))).toEqual([]);
    await deleteForm(app, OPERATOR, form.slug);
    expect(await read()).toEqual([]);
  });

  test("aborts it, and restores its flag", async () => {
    const { visit, read, ramp, state, live } = await openGuarded({ onGuard: "rollback" });
    await visit({ off: 1, on: 6 });
    expect(await read()).toEqual([`ramp of flag sale in shop/live: the guard "${ERRORS}" fired: rollback`]);
    expect(await ramp()).toMatchObject({ status: "aborted", reason: "guard", share: 0 });
    expect(await state()).toEqual({ enabled: false, plain: true });
    expect(await live()).toEqual([]);
  });

  test("goes on for a flag that was made plain while it was paused", async () => {
    const { pause, resume, set, live } = await openGuarded();
    await pause();
    await set("live", { enabled: false, variants: null });
    await resume();
    expect(await live()).toMatchObject([{ flag: "sale", variants: ["off", "on"] }]);
  });

  test("lets it run where errors are as many", async () => {
    const { visit, read, ramp } = await openGuarded();
    await visit({ off: 3, on: 3 });
    expect(await read()).toEqual([]);
    expect(await ramp()).toMatchObject({ status: "running" });
  });

  test("counts from zero after it was resumed", async () => {
    const { visit, read, ramp, resume } = await openGuarded();
    await visit({ off: 1, on: 6 });
    await read();
    await resume();
    expect(await read()).toEqual([]);
    expect(await ramp()).toMatchObject({ status: "running", reason: null });
    await visit({ off: 1, on: 6 });
    expect(await read()).toHaveLength(1);
  });

  test("counts while the ramp makes steps: not before its start, nor while it is paused, nor at its end", async () => {
    const early = await openGuarded({ start: "2100-01-01T00:00:00Z" });
    expect(await early.live()).toEqual([]);
    const { live, pause, resume, due, ramp } = await openGuarded();
    await pause();
    expect(await live()).toEqual([]);
    await resume();
    expect(await live()).toHaveLength(1);
    for (const days of [1, 2, 3]) await due(days);
    expect(await ramp()).toMatchObject({ status: "completed" });
    expect(await live()).toEqual([]);
  });
});

test("a guard of a ramp names a form that exists", async () => {
  const { app, at } = await openRamping();
  const plan = { variant: "on", to: [10], every: 60, guards: ["submissions:contact falls 20%"] };
  expect(await reasonOf(startGuardedRamp(app, OPERATOR, at, plan))).toBe("not_found form-not-found");
  await createForm(app, OPERATOR, { slug: "contact", project: "shop" });
  expect(await startGuardedRamp(app, OPERATOR, at, plan)).toMatchObject({ guards: plan.guards });
});
