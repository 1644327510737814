import { expect, test } from "bun:test";
import { createAssignmentSource } from "../../src/experiments/assignment.ts";
import { createExperiment } from "../../src/experiments/experiments.ts";
import { startExperiment, stopExperiment } from "../../src/experiments/lifecycle.ts";
import type { Occurrence } from "../../src/experiments/measure.ts";
import { readResults } from "../../src/experiments/results.ts";
import { createForm } from "../../src/forms/forms.ts";
import { purgeSubmissions } from "../../src/forms/keeping/purge.ts";
import { storeSubmission } from "../../src/forms/submissions.ts";
import { openServices } from "../support/app.ts";
import { OPERATOR } from "../support/records/caller.ts";
import { openShop } from "../support/records/shop.ts";

type Visit = { exposures?: readonly (readonly [string, string])[]; events?: readonly string[] };

/** An experiment on the flag `sale` that counts submissions of `contact` and sign-ups. */
async function openMeasured(patch: object = {}) {
  const shop = await openShop();
  const { app } = shop;
  await shop.set("live", patch);
  const form = await createForm(app, OPERATOR, { slug: "contact", project: "shop" });
  const at = { project: "shop", environment: "live", experiment: "hero" };
  const metrics = ["submissions:contact", "event:signup"];
  await createExperiment(app, OPERATOR, at, { flag: "sale", metrics });
  await startExperiment(app, OPERATOR, at);
  const { key: projectKey, environments } = (await app.store.projects.find("shop"))!;
  const environmentKey = environments.find(({ slug }) => slug === "live")!.key;
  const { pseudonymOf } = await createAssignmentSource(app)();
  const visitor = (key: string) => ({ environmentKey, pseudonym: pseudonymOf(environmentKey, key) });
  return {
    ...shop,
    at,
    form,
    keys: { "x-project-key": projectKey, "x-environment-key": environmentKey },
    visitor,
    visit: async (key: string, { exposures = [], events = [] }: Visit) => {
      const { pseudonym } = visitor(key);
      const occurrences: Occurrence[] = [
        ...exposures.map(([exposure, variant]) => ({ visitor: pseudonym, exposure, variant })),
        ...events.map((event) => ({ visitor: pseudonym, event })),
      ];
      const { measured, accepted } = await app.measuring.measure(environmentKey, occurrences);
      await app.store.measurements.count(measured);
      return { accepted, ignored: occurrences.length - accepted };
    },
    /** Visitors and conversions of each metric by variant. */
    counts: async () => {
      const { metrics, mixed } = await readResults(app, at);
      const rows = metrics[0]!.variants.map(({ variant, visitors }, index) => [
        variant,
        [visitors, ...metrics.map(({ variants }) => variants[index]!.conversions)],
      ]);
      return { ...Object.fromEntries(rows), ...(mixed > 0 && { mixed }) } as unknown;
    },
  };
}

test("exposures and events of visitors are counted, what nothing uses is ignored", async () => {
  const { visit, counts } = await openMeasured();
  expect(await visit("ada", { exposures: [["sale", "on"]], events: ["signup"] })).toEqual({
    accepted: 2,
    ignored: 0,
  });
  const other = {
    exposures: [
      ["sale", "red"],
      ["other", "on"],
    ],
    events: ["click"],
  } as const;
  expect(await visit("ben", other)).toEqual({ accepted: 0, ignored: 3 });
  expect(await visit("cid", { events: ["signup"] })).toEqual({ accepted: 1, ignored: 0 });
  expect(await counts()).toEqual({ off: [0, 0, 0], on: [1, 0, 1] });
});

test("a submission that is not spam counts in its transaction, for a visitor who was exposed", async () => {
  const { app, form, visit, visitor, counts } = await openMeasured();
  await visit("ada", { exposures: [["sale", "on"]] });
  for (const key of ["ada", "ada", "ben"]) {
    const measured = await app.measuring.conversions(form.key, visitor(key));
    const draft = { data: "{}", files: [] } as never;
    await storeSubmission(app, form, draft, { measured });
  }
  expect(await counts()).toEqual({ off: [0, 0, 0], on: [1, 1, 0] });
});

test("OFREP of one flag with a targetingKey is an exposure, but not for whom a condition holds", async () => {
  const rule = { if: [{ "==": [{ var: "plan" }, "staff"] }, "on"] };
  const { app, keys, counts } = await openMeasured({
    variants: { on: true, off: false },
    defaultVariant: "off",
    targeting: rule,
  });
  const ofrep = await openServices(app).ofrep();
  const ask = (context: object) =>
    ofrep.evaluateOne(
      new Request("http://localhost/ofrep/v1/evaluate/flags/sale", {
        method: "POST",
        headers: { ...keys, "content-type": "application/json" },
        body: JSON.stringify({ context }),
      }),
      "sale",
      () => ({}) as never,
    );
  for (const targetingKey of ["a", "b", "c", "d", "d"])
    expect((await ask({ targetingKey })).status).toBe(200);
  await ask({ targetingKey: "boss", plan: "staff" });
  await ask({});
  await Bun.sleep(0);
  await app.measuring.flush();
  const { off, on } = (await counts()) as Record<string, [number]>;
  expect(off![0] + on![0]).toBe(4);
});

test("a purge by address takes the visitor of that targetingKey out, and the end all of them", async () => {
  const { app, at, visit, counts } = await openMeasured();
  await visit("ada@example.com", { exposures: [["sale", "on"]], events: ["signup"] });
  await visit("ben@example.com", { exposures: [["sale", "off"]] });
  await purgeSubmissions(app, OPERATOR, { email: "ada@example.com" });
  expect(await counts()).toEqual({ off: [1, 0, 0], on: [0, 0, 0] });
  await stopExperiment(app, OPERATOR, at);
  expect(await app.store.measurements.clear(100)).toBeTrue();
  expect(await app.store.measurements.clear(100)).toBeFalse();
  expect(await counts()).toEqual({ off: [1, 0, 0], on: [0, 0, 0] });
});
