import { describe, expect, test } from "bun:test";
import { setEnvironment } from "../../src/projects/environments.ts";
import { OPERATOR } from "../support/records/caller.ts";
import { openDocuments, shop, told } from "../support/records/documents.ts";

const DESIGN = {
  flag: "hero",
  metrics: ["submissions:contact", "event:signup"],
  control: "off",
  split: { off: 3, on: 1 },
  minDays: 14,
  hypothesis: "the new headline brings more messages",
  guards: ["event:error rises 0%", "submissions:contact falls 40% of baseline"],
  onGuard: "rollback",
};
const PATH = "projects.shop.environments.production.experiments.headline";

/** A project with the flag `hero`, the form `contact`, and experiments in production that documents set. */
async function open() {
  const { apply, ask, shown, app } = await openDocuments();
  const documentOf = (experiments: object, flags: object = { hero: {} }) => ({
    projects: {
      shop: {
        ...shop(flags, { develop: {}, production: { experiments } }).projects.shop,
        forms: { contact: {} },
      },
    },
  });
  const base = "/projects/shop/environments/production/experiments";
  return {
    app,
    apply,
    shown,
    ask,
    put: (experiments: object, options: object = {}, flags?: object) =>
      apply(documentOf(experiments, flags), options),
    get: async (name = "headline") =>
      (await ask(`${base}/${name}`)).json() as Promise<Record<string, unknown>>,
    post: async (verb: string, body: object = {}) => (await ask(`${base}/headline/${verb}`, body)).status,
  };
}

const reason = (applied: Promise<unknown>) =>
  applied.then(
    () => "applied",
    (error: Error) => error.message,
  );

describe("a document with an experiment", () => {
  test("creates a draft on a flag and a form that it creates too", async () => {
    const { put, get } = await open();
    expect(told(await put({ headline: DESIGN }))).toContain(`+ ${PATH}`);
    expect(await get()).toMatchObject({ ...DESIGN, status: "draft", startedAt: null, who: "ann" });
    expect(await put({ headline: DESIGN })).toEqual([]);
  });

  test("gives it the defaults of experiments create, and leaves members that it does not name", async () => {
    const { put, get } = await open();
    await put({ headline: { flag: "hero", metrics: ["event:signup"] } });
    expect(await get()).toMatchObject({ control: "off", split: { off: 1, on: 1 }, minDays: 7, guards: [] });
    await put({ headline: { flag: "hero", metrics: ["event:signup"], minDays: 3 } });
    expect(await put({ headline: { flag: "hero", metrics: ["event:signup"] } })).toEqual([]);
    expect(await get()).toMatchObject({ minDays: 3 });
  });

  test("changes a draft, and says what differs", async () => {
    const { put } = await open();
    await put({ headline: DESIGN });
    expect(await put({ headline: { ...DESIGN, minDays: 3, split: { off: 1, on: 1 } } })).toEqual([
      {
        action: "update",
        kind: "experiment",
        path: PATH,
        before: { split: { off: 3, on: 1 }, minDays: 14 },
        after: { split: { off: 1, on: 1 }, minDays: 3 },
      },
    ]);
  });

  test("changes the hypothesis alone of one that was started", async () => {
    const { put, get, post, shown, apply } = await open();
    await put({ headline: DESIGN });
    expect(await post("start")).toBe(200);
    expect(await apply(await shown())).toEqual([]);
    expect(await reason(put({ headline: { ...DESIGN, minDays: 3 } }))).toBe(
      `invalid: ${PATH}.minDays: it is set before the start of an experiment, and this one is running`,
    );
    await put({ headline: { ...DESIGN, hypothesis: null } });
    expect(await get()).toMatchObject({ status: "running", hypothesis: null, minDays: 14 });
    expect(await post("stop")).toBe(200);
    expect(await put({ headline: { ...DESIGN, hypothesis: null } })).toEqual([]);
  });

  test("deletes drafts with prune: none that runs, and none that has results", async () => {
    const { put, post, get } = await open();
    const other = { flag: "other", metrics: ["event:signup"] };
    await put({ headline: DESIGN, other }, {}, { hero: {}, other: {} });
    await post("start");
    const prune = { prune: true, confirmed: true };
    expect(await reason(put({}, prune, { hero: {}, other: {} }))).toBe(
      `invalid: ${PATH}: the experiment is running: stop it before it is deleted`,
    );
    await post("stop");
    expect(told(await put({}, prune, { hero: {}, other: {} }))).toEqual([
      "- projects.shop.environments.production.experiments.other",
    ]);
    expect(await get()).toMatchObject({ status: "ended" });
  });

  test.each([
    ["a flag that is not there", { flag: "none" }, `${PATH}.flag: the flag "none" does not exist`],
    ["a variant that is not there", { split: { off: 1, red: 1 } }, `${PATH}: "red" is not a variant`],
    ["a control without a weight", { control: "on", split: { off: 1, blue: 1 } }, `${PATH}: `],
    [
      "a form that is not there",
      { metrics: ["submissions:none"] },
      `${PATH}: the form "none" does not exist`,
    ],
    ["another metric", { metrics: ["clicks"] }, "is not a metric"],
    ["a state", { status: "running" }, "status"],
  ])("is refused with %s", async (_, wrong, message) => {
    const { put } = await open();
    expect(await reason(put({ headline: { ...DESIGN, ...wrong } }))).toContain(message);
  });

  test("creates no more than an environment may have", async () => {
    const { put } = await open();
    const many = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`x${index}`, DESIGN]));
    expect(await reason(put(many(1001), { dryRun: true }))).toContain(
      "1000 experiments, the most there may be",
    );
  });

  test("waits for the confirmation of a lock", async () => {
    const { put, app } = await open();
    await put({ headline: DESIGN });
    await setEnvironment(app, OPERATOR, "shop", "production", { locked: true });
    expect(await put({ headline: DESIGN })).toEqual([]);
    expect(await reason(put({ headline: { ...DESIGN, minDays: 3 } }))).toContain("locked");
  });
});

test("an export creates the same setup on an empty server: ramps, experiments, sources, openWhen, browser", async () => {
  const [here, there] = [await open(), await open()];
  await here.apply({
    projects: {
      shop: {
        environments: {
          develop: {},
          production: {
            segments: {
              beta: { source: { form: "contact", field: "email", attribute: "mail", approve: true } },
            },
            experiments: { headline: DESIGN, later: { flag: "hero", metrics: ["event:signup"] } },
          },
        },
        flags: {
          hero: { environments: { production: { browser: true } } },
          sale: {
            environments: {
              production: {
                ramp: {
                  variant: "on",
                  to: [1, 10, 100],
                  every: 3600,
                  guards: ["event:error rises 0%", "submissions:contact falls 40% of baseline"],
                  onGuard: "rollback",
                },
              },
            },
          },
          open: {},
        },
        forms: { contact: { openWhen: "shop/production/open" } },
      },
    },
  });
  expect(await here.post("start")).toBe(200);
  const document = await here.shown();
  const text = JSON.stringify(document);
  for (const part of [
    "falls 40% of baseline",
    '"source"',
    '"openWhen"',
    '"browser":true',
    '"later"',
    '"ramp"',
  ])
    expect(text).toContain(part);
  expect(text).not.toContain("running");
  await there.apply(document);
  expect(await there.shown()).toEqual(document);
  expect(await there.get()).toMatchObject({ ...DESIGN, status: "draft" });
  expect(await there.apply(document)).toEqual([]);
  expect(await here.apply(document)).toEqual([]);
});
