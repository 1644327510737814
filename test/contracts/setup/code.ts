import { describe, expect, test } from "bun:test";
import type { CodeList } from "../../../src/flags/code/code-reference.ts";
import { addProject } from "../../support/records/apply.ts";
import { codeOf } from "../../support/refusals.ts";
import { type Driver, fresh, opener } from "../driver.ts";

const MOST = 3;

/** What the product relies on for code references in every driver. */
export function codeContract(driver: Driver): void {
  describe(`code references, kept by ${driver.name},`, async () => {
    const store = await opener(driver)();
    const list = (slug: string, text: string, part = 0): CodeList => ({
      slug,
      part,
      places: JSON.stringify([["a.ts", 1, text]]),
    });

    async function open() {
      const project = await addProject(store, fresh(), "a");
      const upload = (branch: string, uploadedAt: number, lists: CodeList[], projectName = "web") =>
        store.code.replace(
          project.slug,
          { branch, projectName, repositoryUrl: null, commit: `c${uploadedAt}`, uploadedAt },
          lists,
          MOST,
        );
      const branches = async () => (await store.code.uploads(project.slug)).map(({ branch }) => branch);
      const page = async (query: { flag?: string; branch?: string; projectName?: string } = {}) => {
        const { items } = await store.code.page(project.slug, { ...query, limit: 100 });
        return items.map(({ slug, part, branch, places }) => [branch, slug, part, places]);
      };
      const slugs = async () => {
        const [first] = await store.code.uploads(project.slug);
        return store.code.slugs(first!.id, "", 100);
      };
      return { ...project, upload, branches, page, slugs };
    }

    test("are found as they were stored, whatever stands in them", async () => {
      const { slug: project, upload, slugs } = await open();
      const odd = list("ü'\"%", "\t\n\u0000\"' é \\");
      const lists = [list("a", "one"), list("a", "two", 1), odd];
      await upload("main", 5, lists);
      const { items, more } = await store.code.page(project, { limit: 100 });
      expect(more).toBe(false);
      expect(items.map(({ slug, part, places }) => ({ slug, part, places }))).toEqual(lists);
      expect(items[0]).toMatchObject({
        branch: "main",
        projectName: "web",
        repositoryUrl: null,
        commit: "c5",
        uploadedAt: 5,
      });
      expect(await slugs()).toEqual(["a", odd.slug]);
    });

    test("are replaced for one branch and name, with what an upload leaves out", async () => {
      const { upload, page, branches } = await open();
      await upload("main", 1, [list("a", "one"), list("a", "two", 1), list("b", "b")]);
      await upload("main", 2, [list("c", "other")], "api");
      await upload("next", 3, [list("a", "next")]);
      await upload("main", 4, [list("a", "new"), list("d", "d")]);
      expect(await page({ projectName: "web" })).toEqual([
        ["main", "a", 0, list("a", "new").places],
        ["main", "d", 0, list("d", "d").places],
        ["next", "a", 0, list("a", "next").places],
      ]);
      expect(await page({ branch: "main", flag: "c" })).toEqual([
        ["main", "c", 0, list("c", "other").places],
      ]);
      await upload("main", 5, []);
      expect(await page({ branch: "main", projectName: "web" })).toEqual([]);
      expect(await branches()).toEqual(["main", "main", "next"]);
    });

    test("of the upload that is oldest make room for one too many", async () => {
      const { upload, branches, page } = await open();
      for (const [at, branch] of ["a", "b", "c"].entries()) await upload(branch, at, [list("x", branch)]);
      await upload("a", 3, []);
      expect(await branches()).toEqual(["a", "b", "c"]);
      await upload("d", 4, []);
      expect((await branches()).toSorted()).toEqual(["a", "c", "d"]);
      expect(await page({ branch: "b" })).toEqual([]);
      // Even one with a clock that was set back.
      await upload("e", 0, []);
      expect((await branches()).toSorted()).toEqual(["a", "d", "e"]);
    });

    test("come in pages, each after the cursor of the one before", async () => {
      const { slug: project, upload } = await open();
      for (const branch of ["x", "y"])
        await upload(branch, 1, [list("a", "1"), list("a", "2", 1), list("b.1", "3")]);
      const found: string[] = [];
      let after: string | undefined;
      for (;;) {
        const { items, more } = await store.code.page(project, { limit: 2, after });
        found.push(...items.map(({ branch, slug, part }) => `${branch} ${slug} ${part}`));
        if (!more) break;
        after = items.at(-1)!.cursor;
      }
      expect(found).toEqual(["x a 0", "x a 1", "x b.1 0", "y a 0", "y a 1", "y b.1 0"]);
      expect(await codeOf(store.code.page(project, { limit: 2, after: "nonsense" }))).toBe("invalid");
    });

    test("are removed for one branch and name, and go with their project", async () => {
      const project = await open();
      await project.upload("main", 1, [list("a", "a")]);
      await project.upload("main", 1, [list("a", "a")], "api");
      await store.code.remove(project.slug, { branch: "main", projectName: "api" });
      await store.code.remove(project.slug, { branch: "main", projectName: "nothing" });
      expect(await project.page()).toHaveLength(1);
      await project.delete();
      expect(await codeOf(store.code.uploads(project.slug))).toBe("not_found");
      const again = await addProject(store, project.slug, "a");
      expect(await store.code.uploads(again.slug)).toEqual([]);
    });

    test("need a project, and change neither the version of the setup nor a selection", async () => {
      const { environments, upload } = await open();
      const nowhere = { branch: "a", projectName: "b", repositoryUrl: null, commit: null, uploadedAt: 1 };
      expect(await codeOf(store.code.replace("nowhere", nowhere, [], MOST))).toBe("not_found");
      expect(await codeOf(store.code.page("nowhere", { limit: 1 }))).toBe("not_found");
      const read = async () => [
        (await store.readVersion()).version,
        (await store.flags.select(environments[0]!.key))!.revision,
      ];
      const before = await read();
      await upload("main", 1, [list("a", "a")]);
      expect(await read()).toEqual(before);
    });

    test("name what is not a flag of the project", async () => {
      const { slug: project, key, environments, set } = await open();
      await set("a", "one");
      expect(await store.flags.missing(project, ["two", "one", "One"])).toEqual(["two", "One"]);
      expect(await codeOf(store.flags.missing("nowhere", []))).toBe("not_found");
      expect(await store.flags.projectOf(key, environments[0]!.key)).toBe(project);
      expect(await store.flags.projectOf(key, key)).toBeUndefined();
    });
  });
}
