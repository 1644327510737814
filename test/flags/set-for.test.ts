import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { applyPatch, type FlagPatch } from "../../src/flags/flag.ts";
import { inverseOf } from "../../src/flags/schedule/schedule.ts";
import { applyDue } from "../../src/flags/schedule/schedule-job.ts";
import { cancelScheduled, setFlagFor } from "../../src/flags/schedule/schedule.ts";
import { setEnvironment } from "../../src/projects/environments.ts";
import { callerNamed, OPERATOR } from "../support/records/caller.ts";
import { flagRecord, NOW } from "../support/records/records.ts";
import { reasonOf } from "../support/refusals.ts";
import { openShop } from "../support/records/shop.ts";

const BOB = callerNamed("bob", { why: "a test of two hours" });
const HOUR = 3_600_000;

/** A shop with the flag `sale`, and ways to change it for hours. */
async function openTimed() {
  const shop = await openShop();
  const { app, place } = shop;
  await shop.set("live", { payload: 1 });
  const start = app.now();
  return {
    ...shop,
    setFor: (patch: FlagPatch, hours: number, caller = BOB, expected: number | null = null) =>
      setFlagFor(app, caller, place("live"), patch, start + hours * HOUR, expected),
    scheduled: async () => (await app.store.scheduled.page("shop", null, { limit: 100 })).items,
    wait: async (hours: number) => {
      app.clock.now = start + hours * HOUR;
      await applyDue(app, (text) => expect.unreachable(text));
    },
  };
}

describe("a change for a while", () => {
  test("is made and undone at its time, each with who planned it and why", async () => {
    const { app, setFor, wait, find, history } = await openTimed();
    const before = await find("live");
    const { record, result, scheduled } = await setFor({ enabled: true, payload: 2 }, 2);
    expect([result, record]).toEqual(["updated", (await find("live"))!]);
    expect(scheduled).toMatchObject({ patch: { enabled: false, payload: 1 }, at: app.now() + 2 * HOUR });
    await wait(1.9);
    expect(await find("live")).toMatchObject({ enabled: true, payload: "2" });
    await wait(2);
    const { revision, updatedAt } = (await find("live"))!;
    expect(await find("live")).toEqual({ ...before!, revision, updatedAt });
    expect((await history()).slice(0, 2).map(({ who, why, at }) => [who, why, at])).toEqual([
      ["bob", BOB.why!, app.now()],
      ["bob", BOB.why!, app.now() - 2 * HOUR],
    ]);
  });

  test("leaves what others change in between, and stays where the change back is cancelled", async () => {
    const { app, set, setFor, wait, find } = await openTimed();
    await setFor({ enabled: true }, 1);
    await set("live", { payload: 3 });
    await wait(1);
    expect(await find("live")).toMatchObject({ enabled: false, payload: "3" });
    const { scheduled } = await setFor({ enabled: true }, 2);
    await cancelScheduled(app, BOB, { project: "shop", environment: "live" }, scheduled!.id);
    await wait(9);
    expect(await find("live")).toMatchObject({ enabled: true });
  });

  test("that changes nothing schedules nothing", async () => {
    const { setFor, scheduled, history } = await openTimed();
    const before = await history();
    expect(await setFor({ enabled: false }, 1)).toMatchObject({ result: "unchanged", scheduled: null });
    expect([await scheduled(), await history()]).toEqual([[], before]);
  });

  test("is refused for a time that has passed, a flag that is not there, a lock, and another revision", async () => {
    const { app, place, setFor, scheduled, find } = await openTimed();
    expect(await reasonOf(setFor({ enabled: true }, 0))).toBe("invalid");
    expect(await reasonOf(setFor({ defaultVariant: "a" }, 1))).toStartWith("invalid");
    expect(await reasonOf(setFor({ enabled: true }, 1, BOB, 999))).toStartWith("conflict");
    const nothing = setFlagFor(app, BOB, place("live", "nothing"), { enabled: true }, app.now() + 1);
    expect(await reasonOf(nothing)).toStartWith("not_found");
    const reader = callerNamed("eve", { scopes: ["flags:read"] });
    expect(await reasonOf(setFor({ enabled: true }, 1, reader))).toBe("forbidden");
    await setEnvironment(app, OPERATOR, "shop", "live", { locked: true });
    const cautious = callerNamed("carl", { hasConfirmed: () => false });
    expect(await reasonOf(setFor({ enabled: true }, 1, cautious))).toStartWith("unconfirmed");
    expect([await scheduled(), (await find("live"))!.enabled]).toEqual([[], false]);
  });
});

const VARIANTS = { variants: { on: true, off: false } };
const patch: fc.Arbitrary<FlagPatch> = fc.oneof(
  fc.record(
    {
      enabled: fc.boolean(),
      payload: fc.constantFrom<unknown>({}, null, [1], { a: "ä" }),
      expiredAt: fc.constantFrom(null, "2027-01-31T12:00:00Z"),
      description: fc.constantFrom("", "d"),
      browser: fc.boolean(),
      isPreview: fc.boolean(),
      previewName: fc.constantFrom("", "New"),
      variants: fc.constant(null),
    },
    { requiredKeys: [] },
  ),
  fc.record(
    {
      enabled: fc.boolean(),
      variants: fc.constantFrom(VARIANTS.variants, { on: 1, off: 2 }, { off: 1, on: 2 }),
      defaultVariant: fc.constantFrom("on", "off", null),
      targeting: fc.constantFrom({ if: [true, "on"] }, {}, null),
      metadata: fc.constantFrom({ team: "x" }, null),
      payload: fc.constantFrom({}, [2]),
    },
    { requiredKeys: ["variants"] },
  ),
);

test("the inverse of a change turns what is served back", () => {
  fc.assert(
    fc.property(patch, patch, (first, second) => {
      let before = flagRecord("sale");
      let after: typeof before;
      try {
        before = applyPatch("sale", before, first, NOW).record;
        after = applyPatch("sale", before, second, NOW).record;
      } catch {
        return;
      }
      const back = applyPatch("sale", after, inverseOf(before, after), NOW).record;
      // A default of null is none.
      const plain = ({ rules, ...rest }: typeof before) => ({
        ...rest,
        rules: rules?.replace(',"defaultVariant":null', "") ?? null,
      });
      expect(plain(back)).toEqual(plain(before));
      if (after.rules === before.rules) expect(inverseOf(before, after)).not.toContainKeys(["variants"]);
    }),
  );
});
