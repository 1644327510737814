import { describe, expect, test } from "bun:test";
import { stepDue } from "../../src/flags/ramps/stepping.ts";
import { setEnvironment } from "../../src/projects/environments.ts";
import { OPERATOR } from "../support/records/caller.ts";
import { openDocuments, shop, told } from "../support/records/documents.ts";

const DAY = 86_400_000;
const COURSE = { variant: "on", to: [1, 10, 50, 100], every: 86_400 };
const sharing = (share: number) => ({
  fractional: [
    ["on", share],
    ["off", 100 - share],
  ],
});
const VARIANTS = { variants: { on: true, off: false }, defaultVariant: "off" };

/** A project with the flag `sale`, whose ramp in production documents set. */
async function open() {
  const { app, apply, ask, shown } = await openDocuments();
  const put = (production: object) => apply(shop({ sale: { environments: { production } } }));
  const base = "/projects/shop/environments/production/flags/sale";
  const read = async (path: string) => (await (await ask(path)).json()) as Record<string, unknown>;
  return {
    apply,
    ask,
    put,
    exported: async () => {
      const { projects } = await shown();
      return projects!["shop"]!.flags!["sale"]!.environments!["production"]!;
    },
    ramp: () => read(`${base}/ramp`),
    post: (verb: string, body: object = {}) => ask(`${base}/ramp/${verb}`, body),
    flag: async () => {
      const { enabled, defaultVariant, targeting } = await read(base);
      return { enabled, defaultVariant, targeting };
    },
    history: async () =>
      ((await read("/projects/shop/history?kind=ramp"))["changes"] as { after: { status: string } }[]).map(
        ({ after }) => after.status,
      ),
    /** The steps that are due some days after the last call. */
    days: async (count: number) => {
      app.clock.now += count * DAY;
      await stepDue(app, () => {});
    },
    app,
  };
}

describe("a document with a ramp", () => {
  test("begins it once, and changes nothing while it runs and after it has ended", async () => {
    const { put, flag, ramp, days, history } = await open();
    const entry = { enabled: false, ramp: COURSE };
    expect(told(await put(entry))).toContain("+ projects.shop.flags.sale");
    expect(await flag()).toEqual({ enabled: true, defaultVariant: "off", targeting: sharing(1) });
    expect(await ramp()).toMatchObject({ share: 1, status: "running", who: "ann" });
    for (const share of [1, 10, 50, 100]) {
      expect(await put(entry)).toEqual([]);
      expect(await ramp()).toMatchObject({ share, status: share === 100 ? "completed" : "running" });
      await days(1);
    }
    expect(await put(entry)).toEqual([]);
    expect(await flag()).toEqual({ enabled: true, defaultVariant: "on", targeting: undefined });
    expect(await history()).toEqual(["completed", "running"]);
  });

  test("is the export of one that runs or is paused, which goes on elsewhere at the same share", async () => {
    const [here, there] = [await open(), await open()];
    await here.put({ ramp: COURSE });
    await here.days(1);
    const entry = await here.exported();
    expect(entry).toEqual({
      enabled: true,
      ...VARIANTS,
      targeting: sharing(10),
      expiredAt: null,
      ramp: COURSE,
    });
    await there.put(entry);
    expect(await there.exported()).toEqual(entry);
    expect(await there.ramp()).toMatchObject({
      share: 10,
      nextAt: new Date(there.app.now() + DAY).toISOString(),
      steps: [{ share: 1 }, { share: 10 }, { share: 50, doneAt: null }, { share: 100, doneAt: null }],
    });
    await here.days(1);
    expect(await here.put(entry)).toEqual([]);
    expect(await here.ramp()).toMatchObject({ share: 50 });
    await here.post("pause");
    expect((await here.exported()).ramp).toEqual(COURSE);
    expect(await here.put(entry)).toEqual([]);
    expect(await here.ramp()).toMatchObject({ status: "paused", reason: "person" });
    await here.post("abort");
    expect((await here.exported()).ramp).toBeUndefined();
    expect(await here.put(entry)).toEqual([]);
    expect(await here.ramp()).toMatchObject({ status: "aborted", share: 0 });
  });

  test("of a flag that is off begins at nobody, and an end gives that back", async () => {
    const { put, flag, ramp, days, post } = await open();
    const entry = { enabled: false, ...VARIANTS, defaultVariant: "on", ramp: COURSE };
    await put(entry);
    await days(1);
    expect(await put(entry)).toEqual([]);
    expect(await flag()).toEqual({ enabled: true, defaultVariant: "off", targeting: sharing(10) });
    await post("abort");
    expect(await flag()).toEqual({ enabled: false, defaultVariant: "on", targeting: undefined });
    expect(await ramp()).toMatchObject({ status: "aborted", share: 0 });
  });

  test("with another pace goes on from the share that the flag has, and null ends it there", async () => {
    const { put, flag, ramp, days, history, app } = await open();
    await put({ ramp: COURSE });
    await days(1);
    const faster = { ...COURSE, every: 3600 };
    expect(await put({ ramp: faster })).toMatchObject([
      {
        action: "update",
        path: "projects.shop.flags.sale.environments.production",
        before: { ramp: COURSE },
        after: { ramp: faster },
      },
    ]);
    expect(await flag()).toMatchObject({ targeting: sharing(10) });
    const nextAt = new Date(app.now() + 3_600_000).toISOString();
    expect(await ramp()).toMatchObject({ share: 10, every: 3600, status: "running", nextAt });
    expect(await history()).toEqual(["running", "aborted", "running"]);
    expect(await put({ ramp: faster })).toEqual([]);
    expect(told(await put({ ramp: null }))).toEqual(["~ projects.shop.flags.sale.environments.production"]);
    expect(await ramp()).toMatchObject({ status: "aborted", reason: "person", share: 10 });
    expect(await flag()).toMatchObject({ enabled: true, targeting: sharing(10) });
    expect(await put({ ramp: null })).toEqual([]);
  });

  test("puts other conditions before the share of a ramp that runs, which goes on", async () => {
    const { put, flag, ramp, days } = await open();
    await put({ enabled: false, ramp: COURSE });
    await days(1);
    const condition = { "==": [{ var: "country" }, "fi"] };
    const entry = {
      enabled: false,
      ...VARIANTS,
      targeting: { if: [condition, "on"] },
      payload: { a: 1 },
      ramp: COURSE,
    };
    expect(told(await put(entry))).toEqual(["~ projects.shop.flags.sale.environments.production"]);
    expect(await flag()).toMatchObject({ enabled: true, targeting: { if: [condition, "on", sharing(10)] } });
    expect(await put(entry)).toEqual([]);
    await days(1);
    expect(await ramp()).toMatchObject({ status: "running", share: 50 });
    expect(await flag()).toMatchObject({ targeting: { if: [condition, "on", sharing(50)] } });
    expect(await put(entry)).toEqual([]);
  });

  test("leaves a ramp alone that a person has stopped by another change, and sets the flag", async () => {
    const { put, flag, ramp, days, ask } = await open();
    const entry = { enabled: false, ramp: COURSE };
    await put(entry);
    await ask("/apply", { document: shop({ sale: { environments: { production: { enabled: false } } } }) });
    await days(0);
    expect(await ramp()).toMatchObject({ status: "paused", reason: "changed" });
    await put(entry);
    expect(await flag()).toMatchObject({ enabled: false });
    expect(await ramp()).toMatchObject({ status: "paused", reason: "changed" });
    expect(await put(entry)).toEqual([]);
  });

  test("starts later, or now if that time has passed", async () => {
    const { put, ramp, days, app, exported } = await open();
    const start = new Date(app.now() + DAY).toISOString();
    const entry = { ramp: { ...COURSE, start } };
    await put(entry);
    expect(await ramp()).toMatchObject({ status: "running", share: 0, nextAt: start });
    expect(await put(entry)).toEqual([]);
    expect((await exported()).ramp).toEqual({ ...COURSE, start });
    await days(1);
    expect(await ramp()).toMatchObject({ share: 1 });
    expect(await put(entry)).toEqual([]);
    expect((await exported()).ramp).toEqual(COURSE);
    const late = await open();
    late.app.clock.now += 2 * DAY;
    await late.put(entry);
    expect(await late.ramp()).toMatchObject({ share: 1, status: "running" });
    expect(await late.put(entry)).toEqual([]);
  });

  test("is refused with its path where the course does not fit the flag", async () => {
    const { ask } = await open();
    const faultOf = async (production: object) => {
      const document = shop({ sale: { environments: { production } } });
      const { error } = (await (await ask("/apply", { document, dryRun: true })).json()) as {
        error: { message: string };
      };
      return error.message;
    };
    const path = "projects.shop.flags.sale.environments.production.ramp";
    expect(await faultOf({ enabled: true, ramp: COURSE })).toBe(
      `${path}: "on" has 100 % of users already: a ramp raises its share`,
    );
    expect(await faultOf({ ramp: { ...COURSE, variant: "blue" } })).toBe(
      `${path}: "blue" is not a variant of the flag`,
    );
    expect(await faultOf({ ramp: { ...COURSE, to: [10, 1] } })).toContain("the shares of a ramp rise");
    expect(await faultOf({ ramp: { variant: "on" } })).toContain(`${path}.`);
  });

  test("needs the confirmation of a locked environment", async () => {
    const { app, put, apply, ramp } = await open();
    await put({ enabled: false });
    await setEnvironment(app, OPERATOR, "shop", "production", { locked: true });
    const document = shop({ sale: { environments: { production: { ramp: COURSE } } } });
    const refused = await apply(document).catch((error: Error) => error.message);
    expect(refused).toStartWith("unconfirmed: the environment production");
    await apply(document, {}, { "X-Confirm": "production" });
    expect(await ramp()).toMatchObject({ status: "running", share: 1 });
    expect(await apply(document)).toEqual([]);
  });

  test("turns a flag off that its file turns off, and ends no ramp that it does not name", async () => {
    const { put, flag, ramp, days } = await open();
    const on = { enabled: true, ...VARIANTS };
    await put({ ...on, ramp: COURSE });
    await put({ ...on, enabled: false, ramp: COURSE });
    await days(0);
    expect(await flag()).toMatchObject({ enabled: false });
    expect(await ramp()).toMatchObject({ status: "paused", reason: "changed" });
  });
});
