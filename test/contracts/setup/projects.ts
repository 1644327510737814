import { describe, expect, test } from "bun:test";
import { dashedKey } from "../../../src/base/ids.ts";
import { planEnvironment, planUpdate } from "../../../src/projects/plan.ts";
import { addProject, apply } from "../../support/records/apply.ts";
import { environmentCalled, NOW, random } from "../../support/records/records.ts";
import { codeOf } from "../../support/refusals.ts";
import { type Driver, fresh, opener } from "../driver.ts";

/** What the product relies on for projects and environments in every driver. */
export function projectsContract(driver: Driver): void {
  describe(`projects, kept by ${driver.name},`, async () => {
    const store = await opener(driver)();

    test("are stored with their environments and found by slug", async () => {
      const environments = [environmentCalled("develop"), { ...environmentCalled("a"), position: 2 }];
      const project = { slug: fresh(), name: "Ein Projekt ✓", key: dashedKey(random), environments };
      const { slug, name, key } = project;
      await apply(
        store,
        { change: "insertProject", project: slug, name, key, createdAt: NOW, history: null },
        ...environments.map((each) => planEnvironment(slug, each, NOW)),
      );
      const unset = { mailFrom: null, accent: null, maxSubmissions: null, maxStorage: null };
      expect(await store.projects.find(slug)).toEqual({ ...project, ...unset });
    });

    test("are listed by slug, each with its environments in their order", async () => {
      const made = [await addProject(store, fresh(), "z", "a"), await addProject(store, fresh())];
      const listed = await store.projects.list();
      const slugs = listed.map(({ slug }) => slug);
      expect(slugs).toEqual(slugs.toSorted((a, b) => (a < b ? -1 : 1)));
      for (const { slug } of made) expect(slugs).toContain(slug);
      const first = listed.find(({ slug }) => slug === made[0]!.slug)!;
      expect(first.environments.map(({ slug }) => slug)).toEqual(["z", "a"]);
      const order = { change: "orderEnvironments", project: first.slug, environments: ["a", "z"] } as const;
      await apply(store, { ...order, history: null });
      const after = await store.environments.list(first.slug);
      expect(after.map(({ slug, position }) => [slug, position])).toEqual([
        ["a", 1],
        ["z", 2],
      ]);
    });

    test("are searched by slug and name, in any case of ASCII letters, among those that are given", async () => {
      const mark = fresh("s");
      const add = async (slug: string, name: string) => {
        await addProject(store, slug);
        await apply(store, { change: "setProject", project: slug, settings: { name }, history: null });
        return slug;
      };
      const one = await add(`${mark}-Web_1`, "Shop 100%");
      const two = await add(`${mark}-web-2`, "متجر الكتب");
      const page = async (search: string, among: readonly string[] | null = [one, two]) =>
        (await store.projects.page({ limit: 10, search }, among)).items.map(({ slug }) => slug);
      expect(await page("WEB")).toEqual([one, two]);
      expect(await page("web_")).toEqual([one]);
      expect(await page("0%")).toEqual([one]);
      expect(await page("sHOP")).toEqual([one]);
      expect(await page("الكتب")).toEqual([two]);
      expect(await page("!")).toEqual([]);
      expect(await page(mark, null)).toEqual([one, two]);
      expect(await page(mark, [two])).toEqual([two]);
      const { items, more } = await store.projects.page({ limit: 1, search: "web" }, [one, two]);
      expect([items.map(({ slug }) => slug), more]).toEqual([[one], true]);
      const next = await store.projects.page({ limit: 1, search: "web", after: one }, [one, two]);
      expect([next.items.map(({ slug }) => slug), next.more]).toEqual([[two], false]);
    });

    test("are undefined where none has the slug", async () => {
      expect(await store.projects.find("nobody")).toBeUndefined();
    });

    test("get another name", async () => {
      const { slug } = await addProject(store, fresh());
      await apply(store, { change: "setProject", project: slug, settings: { name: "Other" }, history: null });
      expect(await store.projects.find(slug)).toMatchObject({ name: "Other" });
    });

    test("take their environments, flags, segments and values with them when they are deleted", async () => {
      const project = await addProject(store, fresh(), "develop");
      const { slug } = project;
      await project.set("develop", "flag", { enabled: true });
      await project.setSegment("develop", "staff", true);
      await project.delete();
      expect(await store.projects.find(slug)).toBeUndefined();
      expect(await project.select("develop")).toBeUndefined();
      expect(await codeOf(store.environments.list(slug))).toBe("not_found");
      expect(await codeOf(store.flags.list(slug, "develop"))).toBe("not_found");
      await addProject(store, slug, "develop");
      expect(await store.flags.list(slug, "develop")).toEqual([]);
      expect(await store.segments.list(slug, "develop")).toEqual([]);
    });
  });

  describe(`environments, kept by ${driver.name},`, async () => {
    const store = await opener(driver)();

    test("are added to a project, behind the others", async () => {
      const { slug } = await addProject(store, fresh(), "m");
      const added = {
        slug: "a",
        name: "First",
        key: dashedKey(random),
        locked: false,
        color: null,
        approvals: 2,
        approveWith: null,
        position: 2,
      };
      await apply(store, planEnvironment(slug, added, NOW));
      const listed = await store.environments.list(slug);
      expect(listed.map((each) => each.slug)).toEqual(["m", "a"]);
      expect(listed[1]).toEqual(added);
    });

    test("get another name and a colour, and are locked and unlocked", async () => {
      const { slug, environments } = await addProject(store, fresh(), "live");
      const [live] = environments as [(typeof environments)[number]];
      await apply(store, planUpdate(slug, live, { name: "Live", locked: true }));
      expect(await store.environments.list(slug)).toEqual([{ ...live, name: "Live", locked: true }]);
      await apply(store, planUpdate(slug, { ...live, name: "Live" }, { locked: false }));
      expect(await store.environments.list(slug)).toEqual([{ ...live, name: "Live" }]);
      await apply(store, planUpdate(slug, { ...live, name: "Live" }, { color: "red" }));
      expect(await store.environments.list(slug)).toEqual([{ ...live, name: "Live", color: "red" }]);
      const copy = { ...environmentCalled("copy"), color: "pink", position: 2 } as const;
      await apply(store, planEnvironment(slug, copy, NOW));
      expect((await store.environments.list(slug))[1]).toEqual(copy);
    });

    test("have every flag, off, when they are new", async () => {
      const { set, find, addEnvironment } = await addProject(store, fresh(), "develop");
      await set("develop", "flag", { enabled: true, payload: "[1]", description: "Said" });
      await addEnvironment("new");
      expect(await find("new", "flag")).toMatchObject({
        enabled: false,
        payload: null,
        expiresAt: null,
        description: "Said",
      });
    });

    test("have the same slugs in another project", async () => {
      const [one, other] = [await addProject(store, fresh(), "develop"), await addProject(store, fresh())];
      await other.addEnvironment("develop");
      for (const { slug } of [one, other]) expect(await store.environments.list(slug)).toHaveLength(1);
    });

    test("are not found where the project does not exist", async () => {
      expect(await codeOf(store.environments.list("nobody"))).toBe("not_found");
    });

    test("take only their own flag values and segments with them when they are deleted", async () => {
      const { slug, set, setSegment, find, select, dropEnvironment, addEnvironment } = await addProject(
        store,
        fresh(),
        "a",
        "b",
      );
      for (const environment of ["a", "b"]) {
        await set(environment, "flag", { enabled: true });
        await setSegment(environment, "staff", true);
      }
      await dropEnvironment("a");
      expect(await select("a")).toBeUndefined();
      expect(await codeOf(find("a", "flag"))).toBe("not_found");
      expect(await find("b", "flag")).toMatchObject({ enabled: true });
      await addEnvironment("a");
      expect(await find("a", "flag")).toMatchObject({ enabled: false });
      expect(await store.segments.list(slug, "a")).toEqual([]);
      expect(await store.segments.list(slug, "b")).toHaveLength(1);
    });
  });
}
