import { describe, expect, test } from "bun:test";
import type { Experiment } from "../../src/experiments/experiment.ts";
import type { Measured } from "../../src/forms/intake/measured.ts";
import { dropExperiment, putExperiment } from "../../src/experiments/plan.ts";
import type { StoredSubmission } from "../../src/forms/intake/insertion.ts";
import { addForm, addProject, apply } from "../support/records/apply.ts";
import { experimentOf, NOW } from "../support/records/experiments.ts";
import { submissionTo } from "../support/records/records.ts";
import { codeOf } from "../support/refusals.ts";
import { type Driver, fresh, opener } from "./driver.ts";

const SALT = "ab".repeat(16);
const visitor = (index: number) => index.toString(16).padStart(16, "0");

/** What the product relies on for experiments and measurements in every driver. */
export function experimentsContract(driver: Driver): void {
  describe(`experiments, kept by ${driver.name},`, async () => {
    const open = opener(driver);

    /** A project alone in its database, with the flag `sale`, and ways to store experiments of it. */
    async function openProject() {
      const store = await open();
      const project = await addProject(store, fresh(), "develop", "live");
      await project.set("live", "sale", { enabled: true });
      const { slug } = project;
      const place = (experiment: string) => ({ project: slug, environment: "live", experiment });
      const put = (experiment: Experiment, salt: string | null = null) =>
        apply(store, putExperiment(slug, undefined, experiment, [], salt));
      const start = async (more: Partial<Experiment> = {}) => {
        const running = experimentOf("live", "sale", { status: "running", startedAt: NOW, ...more });
        await put(running, SALT);
        const { id } = (await store.measurements.live()).find(({ project }) => project === slug)!;
        const count = (...rows: [at: number, variant: number | null, metrics: number][]) =>
          store.measurements.count(
            rows.map(([at, variant, metrics]): Measured => ({
              measurement: id,
              visitor: visitor(at),
              variant,
              metrics,
            })),
          );
        const counts = () => store.measurements.counts({ project: slug, environment: "live", flag: "sale" });
        return { running, id, count, counts };
      };
      return { ...project, store, put, place, start };
    }

    test("are found as they were stored, and by their state", async () => {
      const { slug: project, store, put, place } = await openProject();
      expect(await store.experiments.find(place("hero"))).toBeUndefined();
      const draft = experimentOf("live", "sale");
      await put(draft);
      expect(await store.experiments.find(place("hero"))).toEqual({
        project,
        experiment: draft,
        flag: { enabled: true, rules: null, createdAt: expect.any(Number) },
        isGuarded: false,
      });
      expect(await store.experiments.holding(project, "live")).toEqual([]);
      const at = { project, environment: "live", flag: "sale" };
      expect(await store.ramps.experimentOn(at)).toBeUndefined();
      await put({ ...draft, status: "running", startedAt: NOW }, SALT);
      expect(await store.ramps.experimentOn(at)).toBe("hero");
      expect(await store.experiments.holding(project, "live")).toHaveLength(1);
      expect(await store.experiments.held([project], 9)).toMatchObject([
        { project, experiment: { name: "hero" } },
      ]);
      expect(await store.experiments.held(["nowhere"], 9)).toEqual([]);
      await apply(store, dropExperiment(project, draft));
      expect(await store.experiments.find(place("hero"))).toBeUndefined();
      expect(await codeOf(store.experiments.find({ ...place("hero"), environment: "nowhere" }))).toBe(
        "not_found",
      );
    });

    test("are listed by name, in pages", async () => {
      const { slug, store, put } = await openProject();
      for (const name of ["c", "a", "b"]) await put(experimentOf("live", "sale", { name }));
      const names = async (limit: number, after?: string) => {
        const { items, more } = await store.experiments.page(slug, "live", { limit, after });
        return [...items.map(({ experiment }) => experiment.name), more];
      };
      expect(await names(2)).toEqual(["a", "b", true]);
      expect(await names(2, "b")).toEqual(["c", false]);
      expect((await store.experiments.page(slug, "develop", { limit: 9 })).items).toEqual([]);
    });

    test("count each visitor once, by the first exposure, and a conversion once, after it", async () => {
      const { start } = await openProject();
      const { count, counts } = await start();
      await count([1, 0, 0], [2, 1, 0], [3, null, 1]);
      await count([1, 0, 0], [1, null, 1], [2, null, 2], [3, 1, 0]);
      await count([1, null, 1], [2, null, 3]);
      expect(await counts()).toEqual({
        mixed: 0,
        full: false,
        variants: {
          off: { visitors: 1, conversions: { "event:signup": 1, "event:error": 0 } },
          on: { visitors: 2, conversions: { "event:signup": 1, "event:error": 1 } },
        },
      });
    });

    test("count a batch once for its key, also of several at a time, and refuse the key with other content", async () => {
      const { store, start } = await openProject();
      const { id, counts } = await start();
      const hex = () => crypto.getRandomValues(new Uint8Array(32)).toHex();
      const key = { hash: hex(), content: hex(), expiresAt: NOW + 1000 };
      const measured = [{ measurement: id, visitor: visitor(1), variant: 0, metrics: 0 }];
      const batch = { measured, accepted: 3, at: NOW, key };
      const taken = await Promise.all(
        [1, 2, 3].map((accepted) => store.measurements.take({ ...batch, accepted })),
      );
      const { accepted } = taken[0]!;
      expect(taken.map((each) => each.accepted)).toEqual([accepted, accepted, accepted]);
      expect(taken.filter(({ isRepeat }) => isRepeat)).toHaveLength(2);
      const again = await store.measurements.take({ ...batch, accepted: 9, measured: [] });
      expect(again).toEqual({ accepted, isRepeat: true });
      const other = await store.measurements.take({ ...batch, key: { ...key, content: hex() } });
      expect(other.accepted).toBeNull();
      expect((await counts())!.variants["off"]!.visitors).toBe(1);
      const later = await store.measurements.take({ ...batch, at: NOW + 1000, accepted: 5 });
      expect(later).toEqual({ accepted: 5, isRepeat: false });
      const withoutKey = await store.measurements.take({ ...batch, key: null, accepted: 7 });
      expect(withoutKey).toEqual({ accepted: 7, isRepeat: false });
    });

    test("take a visitor out who has seen two variants, with what it converted", async () => {
      const { start } = await openProject();
      const { count, counts } = await start();
      await count([1, 0, 0], [2, 0, 3]);
      await count([2, 1, 0], [2, null, 1]);
      expect(await counts()).toMatchObject({
        mixed: 1,
        variants: {
          off: { visitors: 1, conversions: { "event:signup": 0, "event:error": 0 } },
          on: { visitors: 0 },
        },
      });
    });

    test("count many at once, and the same from several at the same time", async () => {
      const { start } = await openProject();
      const { count, counts } = await start();
      const all = Array.from({ length: 250 }, (_, at): [number, number, number] => [
        at,
        at % 2,
        at % 5 === 0 ? 1 : 0,
      ]);
      await Promise.all([count(...all), count(...all), count(...all.toReversed())]);
      expect(await counts()).toMatchObject({
        mixed: 0,
        variants: {
          off: { visitors: 125, conversions: { "event:signup": 25 } },
          on: { visitors: 125, conversions: { "event:signup": 25 } },
        },
      });
    });

    test("count what comes together, each once, and nothing of a submission that fails or is spam", async () => {
      const { store, start } = await openProject();
      const { id, count, counts } = await start();
      const { key } = await addForm(store, fresh());
      await count([1, 0, 0]);
      const send = (formKey: string, at: number, metrics: number, more: Partial<StoredSubmission> = {}) =>
        store.submissions.insert({
          ...submissionTo(formKey),
          measured: [{ measurement: id, visitor: visitor(at), variant: null, metrics }],
          ...more,
        });
      const spam = {
        key: null,
        spam: "honeypot",
        recent: null,
        challenge: null,
        keepsSpam: true,
        maxSubmissions: null,
      };
      const [, , , , refused] = await Promise.all([
        send(key, 1, 1),
        send(key, 1, 1),
        send(key, 9, 1),
        send(key, 1, 2, { conditions: spam }),
        codeOf(send("nowhere", 1, 2)),
        count([2, 1, 0], [3, 1, 1]),
        store.measurements.take({
          measured: [{ measurement: id, visitor: visitor(3), variant: 1, metrics: 0 }],
          accepted: 1,
          at: NOW,
          key: null,
        }),
      ]);
      expect(refused).toBe("not_found");
      expect(await counts()).toEqual({
        mixed: 0,
        full: false,
        variants: {
          off: { visitors: 1, conversions: { "event:signup": 1, "event:error": 0 } },
          on: { visitors: 2, conversions: { "event:signup": 1, "event:error": 0 } },
        },
      });
    });

    test("count nothing while they are paused, and keep counts at the end, but no visitor and no salt", async () => {
      const { store, put, place, start } = await openProject();
      const { running, count, counts, id } = await start();
      await count([1, 0, 0], [2, 1, 1]);
      const before = await counts();
      await put({ ...running, status: "paused", reason: "person" });
      await count([3, 0, 0], [1, null, 1]);
      expect(await counts()).toEqual(before);
      expect((await store.measurements.live()).filter((each) => each.id === id)).toEqual([]);
      await put(running);
      await count([3, 0, 0]);
      await put({ ...running, status: "ended", endedAt: NOW + 5 });
      expect((await store.experiments.find(place("hero")))!.experiment.counts).toMatchObject({
        variants: { off: { visitors: 2 }, on: { visitors: 1, conversions: { "event:signup": 1 } } },
      });
      await count([4, 0, 0]);
      expect(await counts()).toBeUndefined();
      expect(await store.measurements.clear(2)).toBeTrue();
      while (await store.measurements.clear(2));
      expect(await store.measurements.clear(2)).toBeFalse();
    });

    test("forget a visitor as if it had never come", async () => {
      const { store, start } = await openProject();
      const { count, counts, id } = await start();
      await count([1, 0, 1], [2, 0, 0], [2, 1, 0]);
      await store.measurements.forget([1, 2, 3].map((at) => ({ measurement: id, visitor: visitor(at) })));
      expect(await counts()).toMatchObject({
        mixed: 0,
        variants: { off: { visitors: 0, conversions: { "event:signup": 0 } } },
      });
    });

    test("whose flag was changed since are found", async () => {
      const { store, slug, set, start } = await openProject();
      await start();
      expect(await store.experiments.findChanged()).toBeUndefined();
      await set("live", "sale", { payload: "1" });
      expect(await store.experiments.findChanged()).toMatchObject({ project: slug });
    });

    test("go with their environment", async () => {
      const { store, slug, dropEnvironment, start } = await openProject();
      const { count, id } = await start();
      await count([1, 0, 0]);
      await dropEnvironment("live");
      expect((await store.measurements.live()).filter((each) => each.project === slug)).toEqual([]);
      await store.measurements.count([{ measurement: id, visitor: visitor(9), variant: 0, metrics: 0 }]);
      expect(await store.measurements.clear(100)).toBeTrue();
      expect(await store.measurements.clear(100)).toBeFalse();
    });
  });
}
