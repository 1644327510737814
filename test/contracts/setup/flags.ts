import { describe, expect, test } from "bun:test";
import { addProject, apply } from "../../support/records/apply.ts";
import { NOW } from "../../support/records/records.ts";
import { codeOf } from "../../support/refusals.ts";
import { type Driver, fresh, opener } from "../driver.ts";

/** What the product relies on for flags and their selections in every driver. */
export function flagsContract(driver: Driver): void {
  describe(`flags, kept by ${driver.name},`, async () => {
    const store = await opener(driver)();
    const open = (...environments: string[]) => addProject(store, fresh(), ...environments);

    test("are found as they were stored, at the revision of their last change", async () => {
      const { set, find } = await open("develop");
      const values = {
        description: "Said ✓",
        enabled: true,
        payload: '{"b":[null],"a":1}',
        expiresAt: NOW + 1,
        rules: '{"variants":{"a":1}}',
        imported: true,
        browser: true,
        requires: "",
        isPreview: true,
        previewName: "Said ✓",
        previewContent: "# Said",
        owner: "Ünder ✓",
        tags: "a,b c",
        colours: '{"on":"#2b8a3e"}',
        permanent: true,
        archived: true,
        updatedAt: NOW,
      };
      await set("develop", "flag", values);
      const created = (await find("develop", "flag"))!;
      const revision = (await store.readVersion()).version;
      expect(created).toEqual({ slug: "flag", createdAt: NOW, revision, ...values });
      await set("develop", "flag", { enabled: false, payload: null, updatedAt: NOW + 5 });
      const changed = { enabled: false, payload: null, updatedAt: NOW + 5, revision: revision + 1 };
      expect(await find("develop", "flag")).toEqual({ ...created, ...changed });
    });

    test("exist, off, in every environment once set in one; a value there changes only that one", async () => {
      const { set, find } = await open("a", "b", "c");
      await set("a", "flag", { enabled: true, createdAt: 1000, updatedAt: 1000 });
      const off = { enabled: false, createdAt: 1000, updatedAt: 1000 };
      expect(await find("b", "flag")).toMatchObject(off);
      await set("b", "flag", { enabled: true, updatedAt: 2000 });
      expect(await find("a", "flag")).toMatchObject({ enabled: true, updatedAt: 1000 });
      expect(await find("b", "flag")).toMatchObject({ enabled: true, updatedAt: 2000 });
      expect(await find("c", "flag")).toMatchObject(off);
    });

    test("that are previews are selected with their content, which other selections leave out", async () => {
      const { set, select, find } = await open("a", "b");
      const preview = { isPreview: true, previewName: "New", previewContent: "# New" };
      await set("a", "old", { ...preview, createdAt: 1000 });
      await set("a", "new", { ...preview, enabled: true, expiresAt: 5, createdAt: 2000 });
      await set("a", "off", { ...preview, isPreview: false, createdAt: 3000 });
      const { previewName, previewContent } = preview;
      const rest = { previewName, previewContent };
      expect(await (await select("a"))!.previews()).toEqual([
        { slug: "new", enabled: true, ...rest, expiresAt: 5, createdAt: 2000 },
        { slug: "old", enabled: false, ...rest, expiresAt: null, createdAt: 1000 },
      ]);
      expect(await (await select("b"))!.previews()).toEqual([]);
      expect((await (await select("a"))!.flags())[0]).not.toContainKeys(["previewContent"]);
      await set("a", "new", { isPreview: false, previewName: "", previewContent: "" });
      expect(await find("a", "new")).toMatchObject({ isPreview: false, previewName: "", previewContent: "" });
    });

    test("are listed in the order in which they expire, as long as they are on", async () => {
      const project = await open("live");
      await project.set("live", "late", { enabled: true, expiresAt: NOW + 20 });
      await project.set("live", "soon", { enabled: true, expiresAt: NOW + 10 });
      await project.set("live", "off", { enabled: false, expiresAt: NOW + 10 });
      const expiring = async (projects: readonly string[] | null) =>
        (await store.flags.expiring({ from: NOW, to: NOW + 20 }, projects, 9)).map(({ flag, expiresAt }) => [
          flag,
          expiresAt,
        ]);
      expect(await expiring([project.slug])).toEqual([["soon", NOW + 10]]);
      expect(await expiring(["nowhere"])).toEqual([]);
    });

    test("have one description in every environment, which changes all", async () => {
      const { set, find } = await open("a", "b");
      await set("a", "flag", { description: "before", createdAt: 1000, updatedAt: 1000 });
      await set("b", "flag", { description: "after", updatedAt: 2000 });
      for (const environment of ["a", "b"])
        expect(await find(environment, "flag")).toMatchObject({ description: "after", updatedAt: 2000 });
    });

    test("are listed by slug, and selected newest first, then by slug", async () => {
      const { slug, set, select } = await open("develop");
      for (const [flag, createdAt] of Object.entries({ b: 1000, c: 1000, a: 1000, z: 2000 }))
        await set("develop", flag, { createdAt });
      const slugsOf = (flags: { slug: string }[]) => flags.map((flag) => flag.slug);
      expect(slugsOf(await store.flags.list(slug, "develop"))).toEqual(["a", "b", "c", "z"]);
      expect(slugsOf(await (await select("develop"))!.flags())).toEqual(["z", "a", "b", "c"]);
    });

    test("have a head that their environments share, in pages by slug", async () => {
      const { slug, set } = await open("a", "b");
      for (const flag of ["c", "a", "b"])
        await set("b", flag, { description: `is ${flag}`, createdAt: 1000 });
      const head = (flag: string) => ({
        slug: flag,
        description: `is ${flag}`,
        createdAt: 1000,
        owner: "",
        tags: "",
        permanent: false,
        archived: false,
        colours: "",
      });
      expect(await store.flags.heads(slug, { limit: 2 })).toEqual({
        items: [head("a"), head("b")],
        more: true,
      });
      expect(await store.flags.heads(slug, { limit: 2, after: "b" })).toEqual({
        items: [head("c")],
        more: false,
      });
      expect(await codeOf(store.flags.heads("nobody", { limit: 1 }))).toBe("not_found");
    });

    test("have a status in each environment, by slug, then by environment", async () => {
      const { slug, set } = await open("b", "a");
      const rules = '{"variants":{"targeting":1},"targeting":{"if":[true,"targeting"]}}';
      const requires = '[{"flag":"z"}]';
      await set("a", "z");
      await set("b", "y", { enabled: true, expiresAt: 5, rules, requires });
      const noRule = (slug: string) => `{"variants":{"targeting":1}${slug === "y" ? ',"targeting":{}' : ""}}`;
      await set("a", "y", { rules: noRule("y") });
      await set("a", "x", { rules: noRule("x") });
      await set("a", "z");
      const version = (await store.readVersion()).version;
      const plain = {
        enabled: false,
        expiresAt: null,
        rules: null,
        requires: "",
        payload: null,
        rule: "",
        share: "100",
        isPreview: false,
        readAt: null,
        updatedAt: expect.any(Number) as number,
      };
      expect(await store.flags.statuses(slug, ["y", "nothing", "x"])).toEqual([
        { ...plain, slug: "x", environment: "a", rules: noRule("x"), share: null, revision: version - 1 },
        { ...plain, slug: "x", environment: "b", revision: version - 1 },
        { ...plain, slug: "y", environment: "a", rules: noRule("y"), share: null, revision: version - 2 },
        {
          slug: "y",
          environment: "b",
          ...plain,
          enabled: true,
          expiresAt: 5,
          rules,
          requires,
          rule: "a rule of its own",
          share: null,
          revision: version - 3,
        },
      ]);
      expect(await store.flags.statuses(slug, [])).toEqual([]);
      expect(await codeOf(store.flags.statuses("nobody", []))).toBe("not_found");
    });

    test("are undefined where there is none, and not found without their environment", async () => {
      const { slug, find } = await open("develop");
      const elsewhere = { project: "nobody", environment: "develop", flag: "flag" };
      expect(await find("develop", "nothing")).toBeUndefined();
      expect(await codeOf(find("nowhere", "flag"))).toBe("not_found");
      expect(await codeOf(store.flags.find(elsewhere))).toBe("not_found");
      expect(await codeOf(store.flags.list(slug, "nowhere"))).toBe("not_found");
      expect(await codeOf(store.flags.selectIn(slug, "nowhere"))).toBe("not_found");
    });

    test("are gone from every environment once deleted, with their values", async () => {
      const { set, find, drop } = await open("a", "b");
      for (const environment of ["a", "b"]) await set(environment, "flag", { enabled: true });
      await drop("flag");
      expect([await find("a", "flag"), await find("b", "flag")]).toEqual([undefined, undefined]);
      await set("b", "flag");
      expect(await find("a", "flag")).toMatchObject({ enabled: false });
    });
  });

  describe(`a selection, made by ${driver.name},`, async () => {
    const store = await opener(driver)();
    const open = (...environments: string[]) => addProject(store, fresh(), ...environments);

    test("needs the key of an environment, and has that of its project", async () => {
      const [one, other] = [await open("develop"), await open("develop")];
      for (const { key, environments } of [one, other])
        expect(await store.flags.select(environments[0]!.key)).toMatchObject({ projectKey: key });
      for (const none of [one.key, ""]) expect(await store.flags.select(none)).toBeUndefined();
    });

    test("by the names is the same as by the keys", async () => {
      const { slug, set, setSegment, select } = await open("a");
      await set("a", "flag", { enabled: true });
      await setSegment("a", "staff", true);
      const metadata = '{"team":"web"}';
      await apply(store, { change: "setMetadata", project: slug, environment: "a", metadata, history: null });
      const [byKey, byName] = [(await select("a"))!, await store.flags.selectIn(slug, "a")];
      expect([byName.revision, byName.metadata]).toEqual([byKey.revision, metadata]);
      expect(await byName.flags()).toEqual(await byKey.flags());
      expect(await byName.segments()).toEqual(await byKey.segments());
    });

    test("has another revision after every change to its own flags and no other", async () => {
      const { slug, set, setSegment, dropSegment, drop, select } = await open("a", "b");
      const other = await open("a");
      const revisions = async () => [
        (await select("a"))!.revision,
        (await select("b"))!.revision,
        (await other.select("a"))!.revision,
      ];
      const changed = async (change: () => Promise<unknown>) => {
        const before = await revisions();
        await change();
        const after = await revisions();
        return after.map((revision, index) => revision !== before[index]);
      };
      const place = { project: slug, environment: "a", history: null };
      expect(await changed(() => set("a", "flag"))).toEqual([true, true, false]);
      expect(await changed(() => set("b", "flag", { enabled: true }))).toEqual([false, true, false]);
      expect(await changed(() => set("a", "flag", { description: "x" }))).toEqual([true, true, false]);
      expect(await changed(() => setSegment("a", "staff", true))).toEqual([true, false, false]);
      const order = { change: "orderSegments" as const, ...place, names: ["staff"] };
      expect(await changed(() => apply(store, order))).toEqual([true, false, false]);
      const metadata = { change: "setMetadata" as const, ...place, metadata: '{"a":1}' };
      expect(await changed(() => apply(store, metadata))).toEqual([true, false, false]);
      expect(await changed(() => dropSegment("a", "staff"))).toEqual([true, false, false]);
      expect(await changed(() => drop("flag"))).toEqual([true, true, false]);
    });

    test("never has a revision again, also after its environment was deleted and created", async () => {
      const { set, drop, select, dropEnvironment, addEnvironment } = await open("a");
      const revisions = [(await select("a"))!.revision];
      for (let round = 0; round < 3; round += 1) {
        await set("a", "flag", { payload: `${round}` });
        revisions.push((await select("a"))!.revision);
        await drop("flag");
        revisions.push((await select("a"))!.revision);
      }
      await dropEnvironment("a");
      const again = await addEnvironment("a");
      revisions.push((await store.flags.select(again.key))!.revision);
      expect(new Set(revisions).size).toBe(revisions.length);
    });
  });
}
