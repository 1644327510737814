import { describe, expect, test } from "bun:test";
import type { NewFeedback } from "../../src/flags/store.ts";
import { addProject } from "../support/records/apply.ts";
import { NOW, nextId } from "../support/records/records.ts";
import { codeOf } from "../support/refusals.ts";
import { type Driver, fresh, opener } from "./driver.ts";

const ALL = { limit: 100, from: null, before: null };

/** What the product relies on for feedback about previews in every driver. */
export function feedbackContract(driver: Driver): void {
  describe(`feedback, kept by ${driver.name},`, async () => {
    const store = await opener(driver)();

    /** A project with the flag `sale` in two environments. */
    async function open() {
      const { slug: project, set } = await addProject(store, fresh(), "a", "b");
      await set("a", "sale", {});
      const { key: projectKey, environments } = (await store.projects.find(project))!;
      const keyOf = (name: string) => environments.find(({ slug }) => slug === name)!.key;
      const give = (more: Partial<NewFeedback> = {}, environment = "a", text: string = fresh("hash")) =>
        store.feedback.insert(
          {
            id: nextId(),
            projectKey,
            environmentKey: keyOf(environment),
            flag: "sale",
            mood: "HAPPY",
            rating: 4,
            description: null,
            metadata: null,
            createdAt: NOW,
            ...more,
          },
          { hash: new Bun.CryptoHasher("sha256").update(text).digest("hex"), expiresAt: NOW + 60_000 },
        );
      const place = (environment: string | null = null) => ({ project, environment, flag: "sale" });
      const ids = async (environment: string | null, query = {}) =>
        (await store.feedback.page(place(environment), { ...ALL, ...query })).items.map(({ id }) => id);
      return { project, place, give, ids };
    }

    test("is found as it was stored", async () => {
      const { give, place } = await open();
      const feedback = {
        mood: "VERY_SAD",
        rating: 1,
        description: "Said ✓",
        metadata: '{"a":[null]}',
      } as const;
      const id = await give(feedback);
      const stored = { id, environment: "a", flag: "sale", createdAt: NOW, ...feedback };
      expect(await store.feedback.page(place(), ALL)).toEqual({ items: [stored as never], more: false });
    });

    test("is listed newest first, of one environment or all, between two ids, a page at a time", async () => {
      const { give, ids, place } = await open();
      const [one, two, three] = [await give(), await give({}, "b"), await give()];
      expect(await ids(null)).toEqual([three!, two!, one!]);
      expect(await ids("a")).toEqual([three!, one!]);
      expect(await ids(null, { before: three })).toEqual([two!, one!]);
      expect(await ids(null, { from: two })).toEqual([three!, two!]);
      expect(await store.feedback.page(place(), { ...ALL, limit: 2 })).toMatchObject({ more: true });
    });

    test("is counted by rating and mood, in steps", async () => {
      const { give, place } = await open();
      for (const rating of [4, 4, 5]) await give({ rating });
      const last = await give({ rating: 1, mood: "SAD" }, "b");
      const first = await store.feedback.count(place(), null, 3);
      expect(first.counts.toSorted((a, b) => a.rating - b.rating)).toEqual([
        { rating: 4, mood: "HAPPY", count: 2 },
        { rating: 5, mood: "HAPPY", count: 1 },
      ]);
      const rest = await store.feedback.count(place(), first.next, 3);
      expect(rest).toEqual({ counts: [{ rating: 1, mood: "SAD", count: 1 }], next: null });
      expect((await store.feedback.count(place("b"), null, 1)).next).toBe(last);
      expect(await store.feedback.count(place("b"), last, 1)).toEqual({ counts: [], next: null });
    });

    test("with a hash that has not expired is the earlier one, unless that was deleted", async () => {
      const { give, ids, project } = await open();
      const id = (await give({}, "a", "same"))!;
      expect(await give({ createdAt: NOW + 59_999 }, "a", "same")).toBe(id);
      expect(await ids(null)).toEqual([id]);
      const later = (await give({ createdAt: NOW + 60_000 }, "a", "same"))!;
      expect(await ids(null)).toEqual([later, id]);
      await store.feedback.delete(project, later);
      expect(await give({}, "a", "same")).not.toBe(later);
    });

    test("is refused about a flag, or with keys, that do not exist", async () => {
      const { give, ids } = await open();
      expect(await give({ flag: "none" })).toBeNull();
      expect(await give({ projectKey: "none" })).toBeNull();
      expect(await give({ environmentKey: "none" })).toBeNull();
      expect(await ids(null)).toEqual([]);
    });

    test("is deleted alone, or all of a flag step by step, and in no other project", async () => {
      const [{ give, ids, place, project }, other] = [await open(), await open()];
      const [one, two, three] = [await give(), await give(), await give({}, "b")];
      expect(await store.feedback.delete(other.project, one!)).toBe(false);
      expect(await store.feedback.delete(project, one!)).toBe(true);
      expect(await store.feedback.delete(project, one!)).toBe(false);
      expect(await store.feedback.deleteSome(place("a"), 5)).toBe(1);
      expect(await ids(null)).toEqual([three!]);
      expect(await store.feedback.deleteSome(place(), 1)).toBe(1);
      expect(await store.feedback.deleteSome(place(), 1)).toBe(0);
      expect(two).not.toBeNull();
    });

    test("of a flag, an environment or a project that does not exist is not_found", async () => {
      const { place } = await open();
      for (const where of [{ flag: "none" }, { environment: "none" }, { project: "none" }]) {
        const wrong = { ...place(), ...where };
        expect(await codeOf(store.feedback.page(wrong, ALL))).toBe("not_found");
        expect(await codeOf(store.feedback.count(wrong, null, 1))).toBe("not_found");
        expect(await codeOf(store.feedback.deleteSome(wrong, 1))).toBe("not_found");
      }
      expect(await codeOf(store.feedback.delete("none", nextId()))).toBe("not_found");
    });
  });
}
