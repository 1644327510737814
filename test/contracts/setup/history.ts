import { describe, expect, test } from "bun:test";
import type { Revision } from "../../../src/projects/history.ts";
import { addProject, applyBy } from "../../support/records/apply.ts";
import { NOW } from "../../support/records/records.ts";
import { codeOf } from "../../support/refusals.ts";
import { type Driver, fresh, opener } from "../driver.ts";

/** What the product relies on for the history of a project in every driver. */
export function historyContract(driver: Driver): void {
  describe(`the history, kept by ${driver.name},`, async () => {
    const store = await opener(driver)();
    const brief = ({ kind, environment, name }: Revision) => `${kind} ${environment ?? "all"} ${name}`;

    test("has what each change recorded, at its revision, with who made it and when", async () => {
      const { slug, flagChange, segmentChange } = await addProject(store, fresh(), "live");
      const version = (await store.readVersion()).version;
      const bob = { who: "bob", at: NOW + 1000, why: "Ünder test", source: "mcp", via: "Ça va" } as const;
      const changes = [
        await flagChange("live", "sale", { payload: '{"ä":[1]}' }),
        { ...(await flagChange("live", "quiet")), history: null },
        await segmentChange("live", "staff", { var: "a" }),
      ];
      await applyBy(bob, store, ...changes);
      const shown = { environment: "live", ...bob, before: null };
      const after = { enabled: false, payload: { ä: [1] }, expiredAt: null, description: "" };
      expect((await store.changes.page(slug, { limit: 100 })).items.slice(0, 2)).toEqual([
        {
          revision: version + 3,
          kind: "segment",
          name: "staff",
          ...shown,
          review: null,
          after: { var: "a" },
        },
        { revision: version + 1, kind: "flag", name: "sale", ...shown, review: null, after },
      ]);
      expect(await store.changes.find(slug, version + 1)).toMatchObject({
        name: "sale",
        why: bob.why,
        after,
      });
      await applyBy({ who: "bob", at: NOW }, store, await flagChange("live", "sale", { enabled: true }));
      expect((await store.changes.page(slug, { limit: 1 })).items).toMatchObject([{ who: "bob", why: null }]);
      expect(await store.changes.find(slug, version + 2)).toBeUndefined();
    });

    test("is narrowed by who made a change, beside everything else", async () => {
      const { slug, flagChange } = await addProject(store, fresh(), "live");
      for (const [who, name] of [
        ["bob", "sale"],
        ["eve", "sale"],
        ["bob", "other"],
      ] as const)
        await applyBy({ who, at: NOW }, store, await flagChange("live", name, { enabled: who === "bob" }));
      const namesBy = async (query: object) =>
        (await store.changes.page(slug, { limit: 2, ...query })).items.map(({ name }) => name);
      expect(await namesBy({ who: "bob" })).toEqual(["other", "sale"]);
      expect(await namesBy({ who: "bob", name: "sale", kind: "flag", environment: "live" })).toEqual([
        "sale",
      ]);
      expect(await namesBy({ who: "nobody" })).toEqual([]);
    });

    test("is narrowed by kind, name and environment, and comes in pages", async () => {
      const { slug, set, setSegment, drop } = await addProject(store, fresh(), "develop", "live");
      for (const environment of ["develop", "live"]) await set(environment, "sale", { enabled: true });
      await set("live", "other");
      await setSegment("live", "sale", true);
      await drop("sale");
      const list = async (query: object) => (await store.changes.page(slug, { limit: 100, ...query })).items;
      const asked = { kind: "flag", name: "sale", environment: "live" } as const;
      expect((await list(asked)).map(brief)).toEqual(["flag all sale", "flag live sale"]);
      const [newest] = await list({ ...asked, limit: 1 });
      const rest = await list({ ...asked, before: newest!.revision });
      expect(rest.map(brief)).toEqual(["flag live sale"]);
      expect((await list({ kind: "environment" })).map(({ name }) => name)).toEqual(["live", "develop"]);
    });

    test("has recent changes of flags, of every project, as they turned them", async () => {
      const [shop, blog] = [
        await addProject(store, fresh(), "live"),
        await addProject(store, fresh(), "live"),
      ];
      const at = NOW + 86_400_000;
      const why = "Ünder test";
      await applyBy({ who: "bob", at, why }, store, await shop.flagChange("live", "sale", { enabled: true }));
      await applyBy({ who: "bob", at }, store, await shop.flagChange("live", "sale", { enabled: false }));
      await applyBy({ who: "bob", at }, store, await shop.segmentChange("live", "staff", true));
      await applyBy({ who: "ann", at: at + 1 }, store, await blog.flagChange("live", "sale"));
      const change = { environment: "live", flag: "sale", at, who: "bob", why: null };
      const recent = await store.changes.recent(at, 9, null);
      expect(recent).toMatchObject([
        { ...change, project: blog.slug, who: "ann", at: at + 1, wasOn: null, isOn: false },
        { ...change, project: shop.slug, wasOn: true, isOn: false },
        { ...change, project: shop.slug, why, wasOn: null, isOn: true },
      ]);
      expect(await store.changes.recent(at, 1, null)).toEqual(recent.slice(0, 1));
      expect(await store.changes.recent(at + 2, 9, null)).toEqual([]);
    });

    test("of no project has forms, and creations and deletions of projects, beside those of every project", async () => {
      const { slug, flagChange, delete: deleteProject } = await addProject(store, fresh(), "live");
      const at = NOW + 2 * 86_400_000;
      const name = `form-${slug}`;
      const form = { environment: null, kind: "form", name, before: {}, after: { uploads: true } } as const;
      const by = { who: `eve-${slug}`, at };
      await applyBy(by, store, { change: "recordForm", project: "default", history: form });
      await applyBy({ ...by, at: at + 1 }, store, await flagChange("live", "sale"));
      const list = async (query: object) =>
        (await store.changes.everywhere({ limit: 100, who: by.who, ...query }, null)).items;
      const placed = (await list({})).map((change) => [change.project, brief(change)]);
      expect(placed).toEqual([
        [slug, "flag live sale"],
        [null, `form all ${name}`],
      ]);
      expect((await list({ kind: "form", name })).map(({ after }) => after)).toEqual([form.after]);
      expect((await list({ since: at + 1 })).map(brief)).toEqual(["flag live sale"]);
      const { items, more } = await store.changes.everywhere({ limit: 1, who: by.who }, null);
      expect([items.map(brief), more]).toEqual([["flag live sale"], true]);
      expect((await list({ before: items[0]!.revision })).map(brief)).toEqual([`form all ${name}`]);
      expect((await store.changes.page(slug, { limit: 100, since: at })).items.map(brief)).toEqual([
        "flag live sale",
      ]);
      await deleteProject();
      expect((await list({})).map(brief)).toEqual([`form all ${name}`]);
    });

    test("of a flag has the scheduled changes of it that failed", async () => {
      const { slug, set } = await addProject(store, fresh(), "live");
      await set("live", "sale");
      const history = {
        environment: "live",
        kind: "scheduled",
        name: "sale",
        before: null,
        after: 1,
      } as const;
      await applyBy({ who: "bob", at: NOW }, store, {
        change: "deleteScheduled",
        project: slug,
        environment: "live",
        id: "none",
        history,
      });
      const changes = (await store.changes.page(slug, { kind: "flag", name: "sale", limit: 100 })).items;
      expect(changes.map(brief)).toEqual(["scheduled live sale", "flag live sale"]);
    });

    test("outlives an environment, and goes with its project", async () => {
      const project = await addProject(store, fresh(), "live");
      await project.set("live", "sale");
      await project.dropEnvironment("live");
      const changes = (await store.changes.page(project.slug, { limit: 100 })).items;
      expect(changes.map(brief)).toEqual([
        "environment live live",
        "flag live sale",
        "environment live live",
      ]);
      await project.delete();
      expect(await codeOf(store.changes.page(project.slug, { limit: 1 }))).toBe("not_found");
      await addProject(store, project.slug);
      expect((await store.changes.page(project.slug, { limit: 100 })).items).toEqual([]);
    });
  });
}
