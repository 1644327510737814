import { describe, expect, test } from "bun:test";
import { addProject } from "../support/records/apply.ts";
import { codeOf } from "../support/refusals.ts";
import { type Driver, fresh, opener } from "./driver.ts";

/** What the product relies on for the times at which flags were read in every driver. */
export function readsContract(driver: Driver): void {
  describe(`reads of flags, kept by ${driver.name},`, async () => {
    const store = await opener(driver)();

    /** A project with flags in two environments, and the keys of those. */
    async function open() {
      const project = await addProject(store, fresh(), "a", "b");
      await project.set("a", "one", { createdAt: 1000 });
      await project.set("a", "two", { createdAt: 2000 });
      const [a = "", b = ""] = project.environments.map(({ key }) => key);
      const mark = (environmentKey: string, slug: string | null, at: number) =>
        store.flags.markRead([{ environmentKey, slug, at }]);
      const reads = async (environment: string) =>
        Object.fromEntries(await store.flags.reads(project.slug, environment));
      return { ...project, a, b, mark, reads };
    }

    test("are kept by flag and environment, or for all flags of one", async () => {
      const { a, b, mark, reads } = await open();
      expect(await reads("a")).toEqual({});
      await mark(a, "one", 5000);
      expect([await reads("a"), await reads("b")]).toEqual([{ one: 5000 }, {}]);
      await mark(b, null, 6000);
      expect([await reads("a"), await reads("b")]).toEqual([{ one: 5000 }, { one: 6000, two: 6000 }]);
    });

    test("keep the latest, whichever comes first", async () => {
      const { a, mark, reads } = await open();
      await store.flags.markRead([
        { environmentKey: a, slug: "one", at: 7000 },
        { environmentKey: a, slug: null, at: 5000 },
      ]);
      await mark(a, "two", 4000);
      expect(await reads("a")).toEqual({ one: 7000, two: 5000 });
    });

    test("leave out what is not there, and what was made later", async () => {
      const { a, mark, reads } = await open();
      await store.flags.markRead([
        { environmentKey: "nowhere", slug: "one", at: 5000 },
        { environmentKey: a, slug: "three", at: 5000 },
      ]);
      await mark(a, null, 1500);
      expect(await reads("a")).toEqual({ one: 1500 });
    });

    test("change neither the version of the setup nor a selection, and call no watcher", async () => {
      const { a, mark } = await open();
      let calls = 0;
      store.watch(() => (calls += 1));
      const before = [(await store.readVersion()).version, (await store.flags.select(a))!.revision];
      await mark(a, null, 5000);
      expect([(await store.readVersion()).version, (await store.flags.select(a))!.revision]).toEqual(before);
      expect(calls).toBe(0);
    });

    test("go with their flag, and are not found for an environment that is not there", async () => {
      const { slug, a, mark, reads, drop, set } = await open();
      await mark(a, null, 5000);
      await drop("one");
      await set("a", "one", { createdAt: 6000 });
      expect(await reads("a")).toEqual({ two: 5000 });
      expect(await codeOf(store.flags.reads(slug, "nowhere"))).toBe("not_found");
    });
  });
}
