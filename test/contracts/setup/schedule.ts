import { describe, expect, test } from "bun:test";
import type { ScheduledChange } from "../../../src/flags/schedule/scheduled-change.ts";
import { addProject, apply } from "../../support/records/apply.ts";
import { NOW } from "../../support/records/records.ts";
import { codeOf } from "../../support/refusals.ts";
import { type Driver, fresh, opener } from "../driver.ts";

/** What the product relies on for scheduled changes in every driver. */
export function scheduleContract(driver: Driver): void {
  describe(`scheduled changes, kept by ${driver.name},`, async () => {
    const open = opener(driver);

    /** A project alone in its database, with a flag and ways to schedule changes of it. */
    async function openProject() {
      const store = await open();
      const project = await addProject(store, fresh(), "develop", "live");
      await project.set("live", "sale");
      const scheduled = (id: string, at: number, more: Partial<ScheduledChange> = {}): ScheduledChange => ({
        id,
        environment: "live",
        flag: "sale",
        patch: { payload: { ä: [1, null] } },
        at,
        who: "bob",
        why: id === "early" ? "Ünder test" : null,
        createdAt: NOW,
        ...more,
      });
      const plan = (...planned: ScheduledChange[]) =>
        apply(
          store,
          ...planned.map((scheduled) => ({
            change: "insertScheduled" as const,
            project: project.slug,
            scheduled,
            history: null,
          })),
        );
      const ids = async (environment: string | null) =>
        (await store.scheduled.page(project.slug, environment, { limit: 100 })).items.map(({ id }) => id);
      return { ...project, store, scheduled, plan, ids };
    }

    test("are listed the next first, as they were stored, of every environment or of one", async () => {
      const { slug, store, scheduled, plan, ids } = await openProject();
      const early = scheduled("early", NOW + 10);
      await plan(
        scheduled("late", NOW + 20),
        early,
        scheduled("elsewhere", NOW + 15, { environment: "develop" }),
      );
      expect(await ids(null)).toEqual(["early", "elsewhere", "late"]);
      expect(await ids("live")).toEqual(["early", "late"]);
      expect((await store.scheduled.page(slug, "live", { limit: 100 })).items[0]).toEqual(early);
      expect(await codeOf(store.scheduled.page(slug, "nowhere", { limit: 100 }))).toBe("not_found");
      expect(await codeOf(store.scheduled.page("nobody", null, { limit: 100 }))).toBe("not_found");
    });

    test("are due at their time and no sooner, one after the other", async () => {
      const { slug: project, store, scheduled, plan } = await openProject();
      const [first, second] = [scheduled("first", NOW + 10), scheduled("second", NOW + 20)];
      expect(await store.scheduled.nextAt()).toBeNull();
      expect(await store.scheduled.next(null, 9)).toEqual([]);
      await plan(second, first);
      expect(await store.scheduled.nextAt()).toBe(NOW + 10);
      expect(await store.scheduled.findDue(NOW + 9)).toBeUndefined();
      expect(await store.scheduled.findDue(NOW + 10)).toEqual({ project, scheduled: first });
      expect(await store.scheduled.findDue(NOW + 99)).toEqual({ project, scheduled: first });
      const next = { project, scheduled: first };
      expect(await store.scheduled.next(null, 1)).toEqual([next]);
      expect(await store.scheduled.next([project], 9)).toEqual([next, { project, scheduled: second }]);
      expect(await store.scheduled.next(["nobody"], 9)).toEqual([]);
      await apply(store, {
        change: "deleteScheduled",
        project,
        environment: "live",
        id: "first",
        history: null,
      });
      expect(await store.scheduled.findDue(NOW + 99)).toEqual({ project, scheduled: second });
    });

    test("are gone with their environment, and with their project", async () => {
      const project = await openProject();
      const { store, scheduled, plan, ids } = project;
      await plan(scheduled("live", NOW + 10), scheduled("elsewhere", NOW + 15, { environment: "develop" }));
      await project.dropEnvironment("live");
      expect(await ids(null)).toEqual(["elsewhere"]);
      await project.delete();
      expect(await store.scheduled.nextAt()).toBeNull();
    });
  });
}
