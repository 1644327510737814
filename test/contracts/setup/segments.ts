import { describe, expect, test } from "bun:test";
import { addProject, apply } from "../../support/records/apply.ts";
import { NOW } from "../../support/records/records.ts";
import { codeOf } from "../../support/refusals.ts";
import { type Driver, fresh, opener } from "../driver.ts";

/** What the product relies on for segments in every driver. */
export function segmentsContract(driver: Driver): void {
  describe(`segments, kept by ${driver.name},`, async () => {
    const store = await opener(driver)();

    test("are found as they were stored, at the revision of their last change, in their environment", async () => {
      const { slug, setSegment } = await addProject(store, fresh(), "a", "b");
      const place = { project: slug, environment: "a", segment: "staff" };
      await setSegment("a", "staff", { var: "ä" });
      const made = { name: "staff", rule: '{"var":"ä"}', createdAt: NOW, updatedAt: NOW };
      expect(await store.segments.find(place)).toEqual({
        ...made,
        revision: (await store.readVersion()).version,
      });
      await setSegment("a", "staff", false);
      const changed = { ...made, rule: "false", revision: (await store.readVersion()).version };
      expect(await store.segments.find(place)).toEqual(changed);
      expect(await store.segments.find({ ...place, environment: "b" })).toBeUndefined();
      expect(await store.segments.find({ ...place, segment: "nobody" })).toBeUndefined();
    });

    test("are listed by name and selected in their order, in which a new one is the last", async () => {
      const { slug, setSegment, select } = await addProject(store, fresh(), "a");
      for (const name of ["c", "a", "b"]) await setSegment("a", name, true);
      await setSegment("a", "c", false);
      const names = async () => (await (await select("a"))!.segments()).map(({ name }) => name);
      expect((await store.segments.list(slug, "a")).map(({ name }) => name)).toEqual(["a", "b", "c"]);
      expect(await names()).toEqual(["c", "a", "b"]);
      const place = { project: slug, environment: "a", history: null };
      await apply(store, { change: "orderSegments", ...place, names: ["b", "c", "a"] });
      expect(await names()).toEqual(["b", "c", "a"]);
      await setSegment("a", "new", true);
      expect(await names()).toEqual(["b", "c", "a", "new"]);
    });

    test("are gone once deleted, there and nowhere else", async () => {
      const { slug, setSegment, dropSegment } = await addProject(store, fresh(), "a", "b");
      for (const environment of ["a", "b"]) await setSegment(environment, "staff", true);
      await dropSegment("a", "staff");
      expect(await store.segments.list(slug, "a")).toEqual([]);
      expect(await store.segments.list(slug, "b")).toHaveLength(1);
    });

    test("are not found without their environment", async () => {
      const { slug } = await addProject(store, fresh(), "a");
      const place = { project: slug, environment: "nowhere", segment: "staff" };
      expect(await codeOf(store.segments.find(place))).toBe("not_found");
      expect(await codeOf(store.segments.list("nobody", "a"))).toBe("not_found");
    });
  });
}
