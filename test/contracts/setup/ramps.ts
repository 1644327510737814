import { describe, expect, test } from "bun:test";
import type { FlagChange } from "../../../src/flags/change.ts";
import type { Ramp } from "../../../src/flags/ramps/ramp.ts";
import { advanceRamp, startRamp } from "../../../src/flags/ramps/ramps.ts";
import type { FlagsApp } from "../../../src/flags/store.ts";
import { putRamp } from "../../../src/flags/plan.ts";
import { planUpdate } from "../../../src/projects/plan.ts";
import { addProject, apply } from "../../support/records/apply.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { NOW, rampOf } from "../../support/records/records.ts";
import { codeOf } from "../../support/refusals.ts";
import { type Driver, fresh, opener } from "../driver.ts";

/** What the product relies on for ramps in every driver. */
export function rampsContract(driver: Driver): void {
  describe(`ramps, kept by ${driver.name},`, async () => {
    const open = opener(driver);

    /** A project alone in its database, with the flag `sale` in two environments, and ways to store ramps. */
    async function openProject() {
      const store = await open();
      const project = await addProject(store, fresh(), "develop", "live");
      await project.set("live", "sale", { enabled: true });
      const put = (...ramps: Ramp[]) =>
        apply(store, ...ramps.map((ramp) => putRamp(project.slug, undefined, ramp)));
      const find = async (environment = "live", flag = "sale") =>
        store.ramps.find({ project: project.slug, environment, flag });
      const names = async (environment: string | null, limit = 100, after?: Ramp) =>
        (await store.ramps.page(project.slug, environment, { limit, after })).items.map(
          ({ ramp }) => `${ramp.flag} ${ramp.environment}`,
        );
      return { ...project, store, put, find, names };
    }

    test("are found as they were stored, one of a flag in an environment, with what they depend on", async () => {
      const { slug: project, put, find } = await openProject();
      expect(await find()).toBeUndefined();
      const ramp = rampOf("live", "sale");
      await put(ramp, rampOf("develop", "sale", { variant: "red", why: null, startAt: NOW }));
      expect(await find()).toEqual({
        project,
        ramp,
        flag: { enabled: true, rules: null, createdAt: expect.any(Number) },
        isGuarded: false,
      });
      expect((await find("develop"))!.ramp).toMatchObject({ variant: "red", why: null, startAt: NOW });
      const paused = rampOf("live", "sale", {
        status: "paused",
        reason: "person",
        nextAt: null,
        isGuarded: true,
        guards: ["g"],
        onGuard: "rollback",
      });
      await put(paused);
      expect((await find())!.ramp).toEqual(paused);
      expect(await codeOf(find("nowhere"))).toBe("not_found");
    });

    test("are held while they run or are paused, those of the next step first", async () => {
      const { slug, store, put } = await openProject();
      const heldIn = async (projects: readonly string[] | null) =>
        (await store.ramps.held(projects, 9)).map(({ ramp }) => `${ramp.flag} ${ramp.environment}`);
      await put(
        rampOf("live", "sale", { status: "paused", reason: "person", nextAt: null }),
        rampOf("develop", "sale", { nextAt: NOW + 5 }),
        rampOf("live", "done", { status: "completed", nextAt: null }),
      );
      expect(await heldIn([slug])).toEqual(["sale develop", "sale live"]);
      expect(await heldIn(["nowhere"])).toEqual([]);
      expect(await store.ramps.held(null, 1)).toHaveLength(1);
    });

    test("with guards have a measurement, from each count on, paused and ended with them", async () => {
      const { slug, store } = await openProject();
      const put = (more: Partial<Ramp>, salt: string | null = null) => {
        const ramp = rampOf("live", "sale", { guards: ["event:error rises 0%"], ...more });
        const counting = salt === null ? null : { salt: salt.repeat(16), startedAt: NOW };
        return apply(store, { ...putRamp(slug, undefined, ramp), counting } as FlagChange);
      };
      const live = async () => (await store.measurements.live()).filter(({ project }) => project === slug);
      await put({});
      expect(await live()).toEqual([]);
      await put({}, "ab");
      const [first] = await live();
      expect(first).toMatchObject({
        flag: "sale",
        variants: ["off", "on"],
        metrics: ["event:error"],
        salt: "ab".repeat(16),
        startedAt: NOW,
      });
      await put({ status: "paused", nextAt: null });
      expect(await live()).toEqual([]);
      await put({});
      expect(await live()).toEqual([first!]);
      await put({ share: 12.5 }, "cd");
      expect(await live()).toMatchObject([{ salt: "cd".repeat(16) }]);
      await put({ status: "aborted", nextAt: null });
      expect(await live()).toEqual([]);
      expect(
        await store.measurements.counts({ project: slug, environment: "live", flag: "sale" }),
      ).toBeUndefined();
    });

    test("make their next step and their last one in one change with their flag", async () => {
      const { slug: project, store, find } = await openProject();
      const app = {
        store,
        now: () => NOW,
        random: (bytes: number) => new Uint8Array(bytes),
      } as Partial<FlagsApp> as FlagsApp;
      const place = { project, environment: "live", flag: "sale" };
      const ruleOf = async () => JSON.parse((await store.flags.find(place))!.rules!);
      await startRamp(app, OPERATOR, place, { variant: "off", to: [10, 25, 50, 100], every: 60 });
      await advanceRamp(app, OPERATOR, place, { isToEnd: false });
      expect((await find())!.ramp).toMatchObject({ status: "running", share: 25, nextAt: NOW + 60_000 });
      expect(await ruleOf()).toMatchObject({
        targeting: {
          fractional: [
            ["off", 25],
            ["on", 75],
          ],
        },
      });
      await advanceRamp(app, OPERATOR, place, { isToEnd: true });
      expect((await find())!.ramp).toMatchObject({ status: "completed", share: 100, nextAt: null });
      expect(await ruleOf()).toMatchObject({ defaultVariant: "off" });
      const { items } = await store.changes.page(project, { limit: 9, name: "sale" });
      expect(items.slice(0, 3).map(({ kind, who }) => `${kind} by ${who}`)).toEqual([
        "ramp by ann",
        "flag by ann",
        "flag by ann",
      ]);
    });

    test("are listed by flag and environment, in pages", async () => {
      const { slug, store, put, set, names } = await openProject();
      await set("live", "b", {});
      const all = [rampOf("live", "b"), rampOf("develop", "sale"), rampOf("live", "sale")];
      await put(...all.toReversed());
      expect(await names(null)).toEqual(["b live", "sale develop", "sale live"]);
      expect(await names("live")).toEqual(["b live", "sale live"]);
      expect(await names(null, 1, all[0])).toEqual(["sale develop"]);
      expect(await store.ramps.page(slug, null, { limit: 2 })).toMatchObject({ more: true });
      expect((await store.ramps.ofFlag(slug, "sale")).map(({ ramp }) => ramp.environment)).toEqual([
        "develop",
        "live",
      ]);
      expect(await codeOf(store.ramps.page(slug, "nowhere", { limit: 9 }))).toBe("not_found");
      expect(await codeOf(store.ramps.page("nobody", null, { limit: 9 }))).toBe("not_found");
    });

    test("are due at their time, and where their flag or the lock of their environment was changed", async () => {
      const { slug: project, store, put, find, set, ...shop } = await openProject();
      expect(await store.ramps.nextAt()).toBeNull();
      await put(rampOf("live", "sale"), rampOf("develop", "sale", { nextAt: NOW + 2000 }));
      const due = async (at: number) => (await store.ramps.findDue(at))?.ramp.environment ?? null;
      expect(await store.ramps.nextAt()).toBe(NOW + 1000);
      expect([await due(NOW + 999), await due(NOW + 1000), await due(NOW + 9999)]).toEqual([
        null,
        "live",
        "live",
      ]);
      await put(rampOf("live", "sale", { status: "completed", nextAt: null }));
      expect([await store.ramps.nextAt(), await due(NOW + 1999), await due(NOW + 2000)]).toEqual([
        NOW + 2000,
        null,
        "develop",
      ]);
      await set("live", "sale", { payload: "1" });
      expect(await due(NOW)).toBeNull();
      await set("develop", "sale", { payload: "1" });
      expect(await due(NOW)).toBe("develop");
      await put(rampOf("develop", "sale", { nextAt: NOW + 2000 }));
      expect(await due(NOW)).toBeNull();
      const environment = (await store.environments.list(project)).find(({ slug }) => slug === "develop")!;
      await apply(store, planUpdate(project, environment, { locked: true }));
      expect(await due(NOW)).toBe("develop");
      expect((await find("develop"))!.isGuarded).toBe(true);
      await put(rampOf("develop", "sale", { nextAt: NOW + 2000, isGuarded: true }));
      expect(await due(NOW)).toBeNull();
      await shop.drop("sale");
      expect(await due(NOW)).toBe("develop");
    });

    test("outlive their flag, unless one of its name comes later, and go with their environment and project", async () => {
      const project = await openProject();
      const { store, put, find, names, set } = project;
      await put(rampOf("live", "sale"), rampOf("develop", "sale"));
      await project.drop("sale");
      expect((await find())!.flag).toBeNull();
      await put(rampOf("live", "sale", { status: "aborted", reason: "deleted", nextAt: null }));
      expect(await names(null)).toEqual(["sale develop", "sale live"]);
      await set("live", "sale", {});
      expect(await find()).toBeUndefined();
      expect(await names(null)).toEqual(["sale develop"]);
      await project.dropEnvironment("develop");
      expect(await names(null)).toEqual([]);
      await put(rampOf("live", "sale"));
      await project.delete();
      expect(await store.ramps.nextAt()).toBeNull();
    });
  });
}
