import { join } from "node:path";
import { afterAll, describe, expect, test } from "bun:test";
import type { FlagPatch } from "../../../src/flags/flag.ts";
import { MAX_ENVIRONMENT_BYTES } from "../../../src/flags/limits.ts";
import { applyDue } from "../../../src/flags/schedule/schedule-job.ts";
import { cancelScheduled, scheduleChange } from "../../../src/flags/schedule/schedule.ts";
import { deleteSegment } from "../../../src/flags/segments.ts";
import { openSqliteStore } from "../../../src/store/sqlite/store.ts";
import { apply, plantFlag } from "../../support/records/apply.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { errorOf, reasonOf } from "../../support/refusals.ts";
import { BOB, openShop } from "../../support/records/shop.ts";

/** A shop whose flag `sale` is there, and changes of it that bob schedules a number of milliseconds ahead. */
async function openPlanned() {
  const shop = await openShop();
  const { app, place } = shop;
  await shop.set("live", {});
  const start = app.clock.now;
  return {
    ...shop,
    start,
    plan: (patch: FlagPatch, ahead: number, environment = "live") =>
      scheduleChange(app, BOB, place(environment), { patch, at: start + ahead }),
    /** Schedules what no check lets through: an earlier version or a damaged database may hold it. */
    plant: (patch: FlagPatch, ahead: number) =>
      apply(app.store, {
        change: "insertScheduled",
        project: "shop",
        scheduled: {
          id: `planted-${ahead}`,
          environment: "live",
          flag: "sale",
          patch,
          at: start + ahead,
          who: "bob",
          why: null,
          createdAt: start,
        },
        history: null,
      }),
    /** Makes what is due then, and returns what was reported. */
    due: async (ahead: number) => {
      app.clock.now = start + ahead;
      const reported: string[] = [];
      await applyDue(app, (text) => reported.push(text));
      return reported;
    },
  };
}

describe("scheduled changes", () => {
  test("are made although the clock was set back after their flag was created", async () => {
    const { app, plan, due, find, start } = await openPlanned();
    app.clock.now = start - 3_600_000;
    await plan({ enabled: true }, -1_800_000);
    expect(await due(0)).toEqual([]);
    expect(await find("live")).toMatchObject({ enabled: true });
  });

  test("are dropped where the environment would hold too much, so that later ones are made", async () => {
    const { app, plan, due, find, place } = await openPlanned();
    await plantFlag(
      app,
      { ...place("live"), flag: "large" },
      { payload: "x".repeat(MAX_ENVIRONMENT_BYTES - 100_000) },
    );
    await plan({ payload: { text: "x".repeat(200_000) } }, 10);
    await plan({ enabled: true }, 20);
    expect(await due(30)).toEqual([expect.stringContaining("of flags and segments, of at most 16 MB")]);
    expect(await find("live")).toMatchObject({ enabled: true, payload: null });
    expect(await due(40)).toEqual([]);
  });

  test("are cancelled by their id in their environment", async () => {
    const { app, plan } = await openPlanned();
    const { id } = await plan({ enabled: true }, 10);
    const cancel = (environment: string) =>
      cancelScheduled(app, OPERATOR, { project: "shop", environment }, id);
    expect(await reasonOf(cancel("develop"))).toStartWith("not_found");
    await cancel("live");
    expect((await app.store.scheduled.page("shop", null, { limit: 100 })).items).toEqual([]);
    expect(await reasonOf(cancel("live"))).toStartWith("not_found");
  });

  test("are made in order of time, as of their time, by who scheduled them, and no sooner", async () => {
    const { start, plan, due, find, history } = await openPlanned();
    await plan({ payload: 2 }, 20);
    await plan({ payload: 1, enabled: true }, 10);
    const version = (await find("live"))!.revision;
    expect(await due(9)).toEqual([]);
    expect((await find("live"))!.revision).toBe(version);
    expect(await due(10)).toEqual([]);
    expect(await find("live")).toMatchObject({ enabled: true, payload: "1", updatedAt: start + 10 });
    await plan({ payload: 3 }, 30);
    await due(1000);
    expect(await find("live")).toMatchObject({ payload: "3", updatedAt: start + 30 });
    const made = await history({ kind: "flag", limit: 3 });
    expect(made.map(({ at, who }) => [at - start, who])).toEqual([
      [30, "bob"],
      [20, "bob"],
      [10, "bob"],
    ]);
  });

  test("are made once, however many processes do so at the same time", async () => {
    const { app, plan, history } = await openPlanned();
    for (let count = 0; count < 10; count += 1) await plan({ payload: count }, 10 + count);
    app.clock.now += 1000;
    const store = openSqliteStore(join(app.directory, "formflag.db"), "inline");
    afterAll(() => store.close());
    const other = { ...app, store };
    await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        applyDue(index % 2 ? app : other, (text) => expect.unreachable(text)),
      ),
    );
    expect(await history({ kind: "flag" })).toHaveLength(11);
    expect(await app.store.scheduled.nextAt()).toBeNull();
  });

  test("that change nothing are done without a trace", async () => {
    const { app, plan, due, history } = await openPlanned();
    await plan({ enabled: false }, 10);
    const before = await history();
    expect(await due(10)).toEqual([]);
    expect(await history()).toEqual(before);
    expect(await app.store.scheduled.nextAt()).toBeNull();
  });

  test("that cannot be made are dropped, and the history says why; the others are made", async () => {
    const { start, set, plan, due, find, history } = await openPlanned();
    await plan({ enabled: true }, 10);
    const { id } = await plan({ payload: 1 }, 20);
    await set("live", { variants: { a: 1 } });
    const reported = await due(1000);
    expect(reported).toEqual([
      `dropped the scheduled change ${id} of flag sale in shop/live: ` +
        "a flag with variants other than true and false has no payload of its own: each variant is one",
    ]);
    expect(await find("live")).toMatchObject({ enabled: true });
    const [dropped] = await history({ kind: "flag", name: "sale", environment: "live" });
    expect(dropped).toMatchObject({
      kind: "scheduled",
      who: "bob",
      at: start + 20,
      after: { dropped: expect.stringContaining("payload of its own"), change: { payload: 1 } },
    });
  });

  test("of a flag that was deleted are not made on one of the same name that came later", async () => {
    const { app, set, drop, plan, due, find } = await openPlanned();
    await plan({ enabled: false }, 30);
    await drop();
    app.clock.now += 5;
    await set("live", { enabled: true });
    expect((await due(30)).join()).toContain("does not exist");
    expect(await find("live")).toMatchObject({ enabled: true });
  });

  test("that fail for a reason nobody thought of are dropped whole, and the others are made", async () => {
    const { app, plan, plant, due, find, history } = await openPlanned();
    await plant({ enabled: true, expiredAt: "no time" }, 10);
    await plan({ payload: 1 }, 20);
    expect(await due(1000)).toHaveLength(1);
    expect(await find("live")).toMatchObject({ enabled: false, expiresAt: null, payload: "1" });
    expect(await app.store.scheduled.nextAt()).toBeNull();
    const [, dropped] = await history({ kind: "flag", name: "sale", environment: "live" });
    expect(dropped).toMatchObject({ kind: "scheduled", after: { dropped: expect.any(String) } });
  });

  test("whose rule cannot be evaluated any more are dropped", async () => {
    const { app, set, segment, plan, due, find } = await openPlanned();
    await set("live", { variants: { on: true, off: false } });
    await segment("live", "staff", true);
    await plan({ targeting: { if: [{ $ref: "staff" }, "on"] } }, 10);
    await plan({ variants: { off: false }, targeting: { if: [true, "off"] } }, 20);
    await plan({ targeting: { if: [true, "on"] } }, 30);
    const place = { project: "shop", environment: "live", segment: "staff" };
    expect(await errorOf(deleteSegment(app, BOB, place))).toContain("scheduled change");
    await apply(app.store, { change: "deleteSegment", ...place, history: null });
    const reported = await due(1000);
    expect(reported).toHaveLength(2);
    expect(reported[0]).toContain('refers to "staff", which is not a segment of live');
    expect(reported[1]).toContain('"on" is not one of the variants: off');
    expect(JSON.parse((await find("live"))!.rules!)).toMatchObject({ targeting: { if: [true, "off"] } });
  });

  test("are refused for a flag that is not there, that they do not fit, or for a time that has passed", async () => {
    const { app, set, drop, plan } = await openPlanned();
    expect(await reasonOf(plan({ enabled: true }, 0))).toBe("invalid");
    await drop();
    expect(await reasonOf(plan({ enabled: true }, 10))).toStartWith("not_found");
    await set("live", { variants: { a: 1 } });
    expect(await reasonOf(plan({ payload: 1 }, 10))).toStartWith("invalid");
    expect(await reasonOf(plan({ defaultVariant: "b" }, 10))).toStartWith("invalid");
    expect(await app.store.scheduled.nextAt()).toBeNull();
  });
});
