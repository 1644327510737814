import { describe, expect, test } from "bun:test";
import { setFlag } from "../../../src/flags/flags.ts";
import { setSegment } from "../../../src/flags/segments.ts";
import { setEnvironment } from "../../../src/projects/environments.ts";
import { callerNamed, OPERATOR } from "../../support/records/caller.ts";
import { openRamping, sharing } from "../../support/records/ramping.ts";
import { brief } from "../../support/records/shop.ts";
import { errorOf, reasonOf } from "../../support/refusals.ts";

const DAY = 86_400_000;

const PAST = { enabled: true, defaultVariant: "off" };

describe("a ramp of a flag", () => {
  test("begins with its first step, which turns a plain flag on for that share", async () => {
    const { begin, state, ramp, start } = await openRamping();
    await begin();
    expect(await state()).toEqual({ ...PAST, targeting: sharing(1) });
    const at = new Date(start).toISOString();
    expect(await ramp()).toEqual({
      flag: "sale",
      environment: "live",
      variant: "on",
      share: 1,
      status: "running",
      nextAt: new Date(start + DAY).toISOString(),
      every: 86_400,
      steps: [
        { share: 1, doneAt: at },
        { share: 10, doneAt: null },
        { share: 50, doneAt: null },
        { share: 100, doneAt: null },
      ],
      reason: null,
      guards: [],
      onGuard: "pause",
      who: "bob",
      why: null,
      createdAt: at,
    });
  });

  test("makes a step after each span, and with the last one the variant is the default", async () => {
    const { begin, due, state, ramp, start } = await openRamping();
    await begin();
    await due(0.999);
    expect(await state()).toEqual({ ...PAST, targeting: sharing(1) });
    await due(1);
    expect(await state()).toEqual({ ...PAST, targeting: sharing(10) });
    await due(2);
    expect(await state()).toEqual({ ...PAST, targeting: sharing(50) });
    await due(3);
    expect(await state()).toEqual({ enabled: true, defaultVariant: "on" });
    expect(await ramp()).toMatchObject({ status: "completed", share: 100, nextAt: null, reason: null });
    expect((await ramp()).steps.at(-1)!.doneAt).toBe(new Date(start + 3 * DAY).toISOString());
    await due(9);
    expect(await state()).toEqual({ enabled: true, defaultVariant: "on" });
  });

  test("within a segment is for its users alone, and with its first step alone, for everyone from the second on", async () => {
    const { app, at, begin, due, state, ramp } = await openRamping();
    await setSegment(app, OPERATOR, { ...at, segment: "staff" }, true);
    const within = { $ref: "staff" };
    await begin({ within, to: [25, 100] });
    const outside = [{ "!": [within] }, "off"];
    expect(await state()).toEqual({ ...PAST, targeting: { if: [...outside, sharing(25)] } });
    await due(1);
    expect(await state()).toEqual({ ...PAST, targeting: { if: [within, "on"] } });
    expect(await ramp()).toMatchObject({ status: "completed", steps: [{ within }, { within }] });
    await setFlag(app, OPERATOR, at, { enabled: false, targeting: null, defaultVariant: "on" });
    await begin({ within, to: [25, 50, 100], thenEveryone: true });
    expect(await state()).toEqual({ ...PAST, targeting: { if: [...outside, sharing(25)] } });
    await due(2);
    expect(await state()).toEqual({ ...PAST, targeting: sharing(50) });
    await due(3);
    expect(await state()).toEqual({ enabled: true, defaultVariant: "on" });
  });

  test("makes one step after a long time, and the next a whole span later", async () => {
    const { begin, due, ramp } = await openRamping();
    await begin();
    await due(30);
    expect(await ramp()).toMatchObject({ share: 10, status: "running" });
    await due(30.9);
    expect(await ramp()).toMatchObject({ share: 10 });
    await due(31);
    expect(await ramp()).toMatchObject({ share: 50 });
  });

  test("makes its next step at once when a person says so, by that person, and the one after it a whole span later", async () => {
    const { begin, due, next, state, ramp, history } = await openRamping();
    await begin();
    await due(0.5);
    await next(callerNamed("ann", { why: "it looks well" }));
    expect(await state()).toEqual({ ...PAST, targeting: sharing(10) });
    const [entry] = await history({ kind: "flag" });
    expect(entry).toMatchObject({ who: "ann", why: expect.stringContaining("it looks well") });
    await due(1.4);
    expect(await ramp()).toMatchObject({ share: 10, status: "running" });
    await due(1.5);
    expect(await ramp()).toMatchObject({ share: 50, status: "running" });
  });

  test("goes to its last step at once, which completes it, also within a segment", async () => {
    const { app, at, begin, finish, next, state, ramp, start } = await openRamping();
    await begin();
    await finish();
    expect(await state()).toEqual({ enabled: true, defaultVariant: "on" });
    const done = new Date(start).toISOString();
    expect(await ramp()).toMatchObject({ status: "completed", share: 100, nextAt: null });
    expect((await ramp()).steps.map(({ doneAt }) => doneAt)).toEqual([done, done, done, done]);
    expect(await errorOf(finish())).toBe("conflict: this ramp was completed");

    await setSegment(app, OPERATOR, { ...at, segment: "staff" }, true);
    const within = { $ref: "staff" };
    await setFlag(app, OPERATOR, at, { enabled: false, targeting: null, defaultVariant: "off" });
    await begin({ within, to: [25, 50, 75], thenEveryone: true });
    await finish();
    expect(await state()).toEqual({ ...PAST, targeting: sharing(75) });

    await begin({ to: [80, 100] });
    await next();
    expect(await ramp()).toMatchObject({ status: "completed", share: 100 });
  });

  test("makes the first step at once where it waits for its start", async () => {
    const { begin, next, state, start } = await openRamping();
    await begin({ start: new Date(start + 2 * DAY).toISOString() });
    await next();
    expect(await state()).toEqual({ ...PAST, targeting: sharing(1) });
  });

  test("makes no step by hand while it is paused, or once the flag was changed", async () => {
    const { begin, next, finish, pause, resume, set, state } = await openRamping();
    await begin();
    await pause();
    expect(await errorOf(next())).toBe("conflict: this ramp is paused: resume it first");
    await resume();
    await set("live", { enabled: false });
    const now = await state();
    for (const act of [next, finish])
      expect(await errorOf(act())).toBe("conflict: this ramp is paused: resume it first");
    expect(await state()).toEqual(now);
  });

  test("waits for its start, and leaves the flag as it is until then", async () => {
    const { begin, due, state, ramp, start } = await openRamping();
    const starts = new Date(start + 2 * DAY).toISOString();
    await begin({ start: starts });
    expect(await state()).toEqual({ enabled: false, plain: true });
    expect(await ramp()).toMatchObject({ share: 0, status: "running", nextAt: starts });
    await due(1.9);
    expect(await state()).toEqual({ enabled: false, plain: true });
    await due(2);
    expect(await state()).toEqual({ ...PAST, targeting: sharing(1) });
  });

  test("ends with its only step, at a share that is not everyone", async () => {
    const { begin, state, ramp } = await openRamping();
    await begin({ to: [12.5] });
    expect(await ramp()).toMatchObject({ status: "completed", share: 12.5, nextAt: null });
    expect((await state())["targeting"]).toEqual({
      fractional: [
        ["on", 125],
        ["off", 875],
      ],
    });
  });

  test("keeps rows, payload, expiry and metadata, and begins above the present share", async () => {
    const rows = [{ "==": [{ var: "plan" }, "staff"] }, "on"];
    const variants = { on: true, off: false };
    const { begin, due, state, find, set } = await openRamping({
      enabled: true,
      variants,
      defaultVariant: "off",
      targeting: { if: [...rows, sharing(10)] },
      metadata: { owner: "web" },
      payload: { a: 1 },
    });
    expect(await errorOf(begin())).toBe('invalid: "on" has 10 % of users already: a ramp raises its share');
    await begin({ to: [20, 30] });
    await set("live", { payload: { a: 2 }, expiredAt: "2030-01-01T00:00:00Z", description: "d" });
    await set("live", { metadata: { owner: "shop" } });
    await due(1);
    expect(await state()).toEqual({ ...PAST, targeting: { if: [...rows, sharing(30)] } });
    expect(await find("live")).toMatchObject({ payload: '{"a":2}', description: "d" });
    expect((await find("live"))!.rules).toContain('{"owner":"shop"}');
  });

  test("is refused for what it cannot raise, and in the past", async () => {
    const { app, begin, at, start } = await openRamping({ enabled: true });
    expect(await errorOf(begin())).toStartWith('invalid: "on" has 100 % of users already');
    expect(await errorOf(begin({ variant: "red" }))).toBe('invalid: "red" is not a variant of the flag');
    const past = begin({ variant: "off", start: new Date(start).toISOString() });
    expect(await errorOf(past)).toStartWith("invalid: a ramp starts later");
    expect(await app.store.ramps.find(at)).toBeUndefined();
  });

  test("holds the flag until it has ended", async () => {
    const { begin, pause, abort, due } = await openRamping();
    await begin();
    expect(await reasonOf(begin())).toBe("conflict flag-held");
    await pause();
    expect(await reasonOf(begin())).toBe("conflict flag-held");
    await abort();
    await begin();
    for (const days of [1, 2, 3]) await due(days);
    expect(await reasonOf(begin({ to: [50] }))).toBe("invalid");
    await begin({ variant: "off", to: [50] });
  });

  test("needs the right to change flags there", async () => {
    const { begin, pause, resume, abort } = await openRamping();
    const reader = callerNamed("reader", { scopes: ["flags:read"] });
    await begin();
    const asked = [
      () => begin({}, reader),
      () => pause(reader),
      () => resume(reader),
      () => abort(false, reader),
    ];
    for (const ask of asked) expect(await reasonOf((async () => ask())())).toBe("forbidden");
  });

  test("is in the history of its flag: begun, paused, resumed, ended, and each step as a change", async () => {
    const { begin, pause, resume, due, abort, history } = await openRamping();
    await begin();
    await due(1);
    await pause();
    await resume();
    await abort();
    const entries = (await history({ kind: "flag", name: "sale" })).toReversed();
    expect(entries.map(brief)).toEqual([
      "flag live sale ann - +",
      "flag live sale bob + +",
      "ramp live sale bob - +",
      "flag live sale bob + +",
      "ramp live sale bob + +",
      "ramp live sale bob + +",
      "flag live sale bob + +",
      "ramp live sale bob + +",
    ]);
    expect(entries[4]).toMatchObject({
      before: { status: "running", reason: null, share: 10, to: [1, 10, 50, 100], every: 86_400 },
      after: { status: "paused", reason: "person", share: 10 },
    });
  });
});

describe("a paused ramp", () => {
  test("makes no step until it is resumed, and then when that is due", async () => {
    const { begin, pause, resume, due, ramp, start } = await openRamping();
    await begin();
    await due(0.5);
    await pause();
    expect(await ramp()).toMatchObject({ status: "paused", reason: "person", nextAt: null });
    expect(await reasonOf(pause())).toBe("conflict ramp-paused");
    await resume();
    expect((await ramp()).nextAt).toBe(new Date(start + DAY).toISOString());
    expect(await reasonOf(resume())).toBe("conflict ramp-running");
    await pause();
    await due(5);
    expect(await ramp()).toMatchObject({ share: 1 });
    await resume();
    await due(5);
    expect(await ramp()).toMatchObject({ share: 10, status: "running" });
  });

  test.each([
    ["state", { enabled: false }],
    ["default", { defaultVariant: "on" }],
    ["rule", { targeting: sharing(5) }],
    ["variants", { variants: { on: true, off: false, more: true } }],
  ])("is one whose flag got another %s, with that reason", async (_, patch) => {
    const { app, at, begin, due, set, ramp, state } = await openRamping();
    await begin();
    await set("live", patch);
    const changed = await state();
    expect(await ramp()).toMatchObject({ status: "paused", reason: "changed", nextAt: null });
    await due(0.1);
    expect((await app.store.ramps.find(at))!.ramp).toMatchObject({ status: "paused", reason: "changed" });
    await due(3);
    expect(await state()).toEqual(changed);
  });

  test("goes on from the share that the flag has now, if the next step raises it", async () => {
    const { begin, due, set, resume, ramp, state } = await openRamping();
    await begin();
    await set("live", { targeting: sharing(5) });
    await due(0.5);
    await resume();
    expect(await ramp()).toMatchObject({ status: "running", share: 5 });
    await due(1);
    expect((await state())["targeting"]).toEqual(sharing(10));
    await set("live", { targeting: sharing(60) });
    expect(await errorOf(resume())).toBe(
      "conflict: this ramp would not rise: on has 60 % now, and the next step is 50 %",
    );
    await set("live", { targeting: { var: "variant" } });
    expect(await errorOf(resume())).toStartWith("conflict: this ramp cannot go on: a ramp sets the share");
  });

  test("goes on from nobody where the flag is off, whatever its default", async () => {
    const { begin, due, set, resume, ramp, state } = await openRamping();
    await begin();
    await set("live", { enabled: false, targeting: null, defaultVariant: "on" });
    await resume();
    expect(await ramp()).toMatchObject({ status: "running", share: 0 });
    await due(1);
    expect(await state()).toEqual({ ...PAST, targeting: sharing(10) });
  });

  test("is one whose environment was locked since, or needs approvals since", async () => {
    for (const patch of [{ locked: true }, { approvals: 1 }]) {
      const { app, begin, due, ramp } = await openRamping();
      await begin();
      await setEnvironment(app, OPERATOR, "shop", "live", patch);
      expect(await ramp()).toMatchObject({ status: "paused", reason: "locked" });
      await due(2);
      expect(await ramp()).toMatchObject({ status: "paused", reason: "locked", share: 1 });
    }
  });

  test("is not one that began in a locked environment; a lock after it was unlocked pauses it", async () => {
    const { app, begin, due, ramp, resume, pause } = await openRamping();
    const lock = (locked: boolean) => setEnvironment(app, OPERATOR, "shop", "live", { locked });
    await lock(true);
    const unconfirmed = callerNamed("eve", { hasConfirmed: () => false });
    expect(await reasonOf(begin({}, unconfirmed))).toBe("unconfirmed environment-locked");
    await begin();
    await due(1);
    expect(await ramp()).toMatchObject({ status: "running", share: 10 });
    expect(await reasonOf(pause(unconfirmed))).toBe("unconfirmed environment-locked");
    await lock(false);
    await due(1.1);
    await lock(true);
    await due(2);
    expect(await ramp()).toMatchObject({ status: "paused", reason: "locked", share: 10 });
    await resume();
    await due(2);
    expect(await ramp()).toMatchObject({ status: "running", share: 50 });
  });
});

describe("an aborted ramp", () => {
  test("gives a plain flag back what it was", async () => {
    const { begin, due, abort, state, ramp } = await openRamping({ payload: { a: 1 } });
    await begin();
    await due(1);
    await abort();
    expect(await state()).toEqual({ enabled: false, plain: true });
    expect(await ramp()).toMatchObject({ status: "aborted", reason: "person", share: 0, nextAt: null });
    expect(await reasonOf(abort())).toBe("conflict ramp-ended");
    await due(9);
    expect(await state()).toEqual({ enabled: false, plain: true });
  });

  test("gives back share, default and state of a flag with rules, and leaves the rest", async () => {
    const before = { variants: { on: true, off: false }, defaultVariant: "off", targeting: sharing(5) };
    const { begin, abort, set, state, find } = await openRamping({ enabled: true, ...before });
    await begin({ to: [10, 100] });
    await set("live", { metadata: { a: 1 }, payload: 5 });
    await abort();
    expect(await state()).toEqual({ ...PAST, targeting: sharing(5) });
    expect(await find("live")).toMatchObject({ payload: "5" });
    expect((await find("live"))!.rules).toContain('"metadata":{"a":1}');
  });

  test("keeps the share where that is asked for, and where the flag was changed", async () => {
    const kept = await openRamping();
    await kept.begin();
    await kept.abort(true);
    expect(await kept.state()).toEqual({ ...PAST, targeting: sharing(1) });
    const changed = await openRamping();
    await changed.begin();
    await changed.set("live", { targeting: sharing(7) });
    await changed.abort();
    expect(await changed.state()).toEqual({ ...PAST, targeting: sharing(7) });
    expect(await changed.ramp()).toMatchObject({ status: "aborted", reason: "person" });
  });

  test("is that of a flag which was deleted; a flag of that name that comes later has none", async () => {
    const { app, begin, drop, ramp, resume, set, due, state } = await openRamping();
    expect(await reasonOf(ramp())).toBe("not_found ramp-not-found");
    await begin();
    await drop();
    expect(await ramp()).toMatchObject({ status: "aborted", reason: "deleted", nextAt: null });
    expect(await reasonOf(resume())).toBe("not_found flag-not-found");
    app.clock.now += 1;
    await set("live", {});
    expect(await reasonOf(ramp())).toBe("not_found ramp-not-found");
    await due(5);
    expect(await state()).toEqual({ enabled: false, plain: true });
    await begin();
    expect(await ramp()).toMatchObject({ status: "running" });
  });
});
