import { describe, expect, test } from "bun:test";
import { createExperiment } from "../../src/experiments/experiments.ts";
import { startExperiment } from "../../src/experiments/lifecycle.ts";
import { finishedAmong, readCleanup } from "../../src/flags/cleanup.ts";
import { uploadReferences } from "../../src/flags/code/code-references.ts";
import type { FlagPatch } from "../../src/flags/flag.ts";
import { setDetails, setFlag } from "../../src/flags/flags.ts";
import { flagNoticesJob } from "../../src/flags/notice-job.ts";
import { startRamp } from "../../src/flags/ramps/ramps.ts";
import { scheduleChange } from "../../src/flags/schedule/schedule.ts";
import { createForm } from "../../src/forms/forms.ts";
import { newFormSchema } from "../../src/forms/form-schema.ts";
import { createProject } from "../../src/projects/projects.ts";
import { openTestApp } from "../support/app.ts";
import { apply } from "../support/records/apply.ts";
import { OPERATOR } from "../support/records/caller.ts";
import { noticeTarget } from "../support/records/records.ts";
import { codeOf } from "../support/refusals.ts";

const DAY = 86_400_000;
const PLACE = { project: "shop", environment: "live", flag: "sale" };
const COLOURS = { variants: { red: "#f00", blue: "#00f" }, defaultVariant: "red" };

/** The project shop, whose flag sale is on in both environments. */
async function openShop() {
  const app = openTestApp();
  await createProject(app, OPERATOR, { slug: "shop", environments: ["develop", "live"] });
  const set = async (patch: FlagPatch, ...environments: string[]) => {
    for (const environment of environments.length > 0 ? environments : ["develop", "live"])
      await setFlag(app, OPERATOR, { ...PLACE, environment }, patch);
  };
  await set({ enabled: true });
  const upload = (commit: string | null, ...lines: number[]) => {
    const sale = lines.map((lineNumber) => ({ filePath: "a.ts", lineNumber, lineContent: "if (sale)" }));
    const body = { branch: "main", projectName: "web", commit, references: { sale } };
    return uploadReferences(app, OPERATOR, "shop", Buffer.from(JSON.stringify(body)));
  };
  const read = () => readCleanup(app, OPERATOR, PLACE);
  return { app, set, upload, read };
}

describe("a flag is finished", () => {
  test("once everyone gets the same in every environment, for however short", async () => {
    const { app, set, read } = await openShop();
    expect(await read()).toMatchObject({
      slug: "sale",
      finished: true,
      days: 0,
      keep: { variant: "on", value: true, payload: null, text: "keep the true branch" },
      references: [],
    });
    app.clock.now += 3 * DAY;
    expect(await read()).toMatchObject({ days: 3 });
    await set({ enabled: false }, "live");
    expect(await read()).toMatchObject({
      finished: false,
      since: null,
      keep: null,
      left: [
        "Serve everyone the same in every environment: the true branch in develop, the false branch in live.",
      ],
    });
    await set({ enabled: false }, "develop");
    expect(await read()).toMatchObject({
      finished: true,
      keep: { value: false, text: "keep the false branch" },
    });
  });

  test("with the same value of its own in each environment, whatever the variants are called", async () => {
    const { set, read } = await openShop();
    await set(COLOURS);
    expect(await read()).toMatchObject({
      keep: { variant: "red", value: "#f00", text: 'keep the branch of red, whose value is "#f00"' },
    });
    await set({ targeting: { if: [{ var: "beta" }, "blue", "red"] } }, "live");
    expect((await read()).left).toEqual([
      'Serve everyone the same in every environment: the branch of red, whose value is "#f00" in develop, it depends on the user in live.',
    ]);
    await set({ targeting: null, variants: { red: "#e00" } }, "live");
    expect((await read()).finished).toBe(false);
  });

  test("with the default of the code where it is off and has variants, or is archived", async () => {
    const { app, set, read } = await openShop();
    await set({ ...COLOURS, enabled: false });
    const kept = {
      finished: true,
      keep: { variant: null, value: null, text: "keep the default of the code" },
    };
    expect(await read()).toMatchObject(kept);
    await set({ enabled: true }, "live");
    await setDetails(app, OPERATOR, PLACE, { archived: true });
    const { left, ...rest } = await read();
    expect(rest).toMatchObject(kept);
    expect(left.join()).not.toContain("Archive");
  });

  test("with one payload, which the code keeps as well", async () => {
    const { set, read } = await openShop();
    await set({ payload: { a: 1 } }, "live");
    expect(await read()).toMatchObject({ finished: false });
    await set({ payload: { a: 1 } }, "develop");
    expect(await read()).toMatchObject({
      keep: { payload: { a: 1 }, text: "keep the true branch with its payload" },
    });
  });

  test("but not before it expires, and then as one that is off", async () => {
    const { app, set, read } = await openShop();
    const expiredAt = app.clock.now + DAY;
    await set({ expiredAt: new Date(expiredAt).toISOString() }, "live");
    expect((await read()).left).toEqual([`It expires in live at ${new Date(expiredAt).toISOString()}.`]);
    await set({ enabled: false }, "develop");
    app.clock.now += 2 * DAY;
    expect(await read()).toMatchObject({ finished: true, days: 1, keep: { value: false } });
  });

  test.each<[what: string, hold: (app: ReturnType<typeof openTestApp>) => Promise<unknown>, left: string]>([
    [
      "a scheduled change",
      (app) => scheduleChange(app, OPERATOR, PLACE, { patch: { enabled: false }, at: app.clock.now + DAY }),
      "It is scheduled to change in live at ",
    ],
    [
      "a ramp",
      (app) =>
        startRamp(app, OPERATOR, PLACE, {
          variant: "off",
          to: [100],
          every: 60,
          start: "2999-01-01T00:00:00Z",
        }),
      "A ramp holds it in live.",
    ],
    [
      "a form",
      (app) =>
        createForm(
          app,
          OPERATOR,
          newFormSchema.parse({
            slug: "contact",
            openWhen: "shop/live/sale",
          }),
        ),
      "The form contact is open while it is true in live.",
    ],
    [
      "an experiment",
      async (app) => {
        const experiment = { ...PLACE, experiment: "trial" };
        await createExperiment(app, OPERATOR, experiment, { flag: "sale", metrics: ["event:signup"] });
        await startExperiment(app, OPERATOR, experiment);
      },
      "The experiment trial holds it in live.",
    ],
    [
      "a flag that needs it",
      (app) => setFlag(app, OPERATOR, { ...PLACE, flag: "other" }, { requires: [{ flag: "sale" }] }),
      "It is needed in live by other.",
    ],
    [
      "a flag that it needs",
      async (app) => {
        await setFlag(app, OPERATOR, { ...PLACE, flag: "other" }, {});
        await setFlag(app, OPERATOR, PLACE, { requires: [{ flag: "other" }] });
      },
      "It needs other to be on in live.",
    ],
    [
      "that it is meant to stay",
      (app) => setDetails(app, OPERATOR, PLACE, { permanent: true }),
      "It is permanent: it is meant to stay.",
    ],
  ])("but not with %s", async (_, hold, left) => {
    const { app, read } = await openShop();
    await hold(app);
    const found = await read();
    expect(found).toMatchObject({ finished: false, keep: null });
    expect(found.left.at(-1)).toStartWith(left);
    expect(await finishedAmong(app, "shop", ["sale"])).toEqual(new Map());
  });

  test("that does not exist is not found", async () => {
    const { app } = await openShop();
    expect(await codeOf(readCleanup(app, OPERATOR, { project: "shop", flag: "nope" }))).toBe("not_found");
    expect(await codeOf(readCleanup(app, OPERATOR, { project: "nope", flag: "sale" }))).toBe("not_found");
  });
});

test("what is left to do follows the uploaded code, whose commit comes back", async () => {
  const { app, upload, read } = await openShop();
  expect((await read()).left).toEqual([
    "Remove it from the code: keep the true branch. No code references were uploaded since the flag was created.",
    "Archive it once no code names it.",
  ]);
  await upload("abc123", 3, 9);
  const { references, left } = await read();
  expect(references.map(({ filePath, lineNumber, commit }) => [filePath, lineNumber, commit])).toEqual([
    ["a.ts", 3, "abc123"],
    ["a.ts", 9, "abc123"],
  ]);
  expect(left).toEqual([
    "Remove it from the code, in 2 places of 1 file: keep the true branch.",
    "Upload the code references again once that is merged.",
    "Archive it once no code names it.",
  ]);
  await upload(null, 3);
  expect((await read()).references).toMatchObject([{ commit: null }]);
  await upload(null);
  expect((await read()).left).toEqual(["Archive it: no uploaded code names it."]);
  await setDetails(app, OPERATOR, PLACE, { archived: true });
  expect((await read()).left).toEqual([]);
  expect(await codeOf(upload("a\nb"))).toBe("invalid");
});

test("a notice says once that a flag is stale and can be removed", async () => {
  const { app, set } = await openShop();
  await apply(app.store, {
    change: "insertTarget",
    target: noticeTarget("shop", { events: ["flag.removable"] }),
  });
  const job = flagNoticesJob(app, () => {});
  const events = async () =>
    (
      await app.store.deliveries.page({
        limit: 10,
        before: null,
        formKeys: [],
        projects: ["shop"],
        submission: null,
        status: null,
      })
    ).items.map(({ event }) => event);
  await job.run();
  expect(await events()).toEqual([]);
  for (let day = 0; day < 40; day += 1) {
    app.clock.now += DAY;
    await job.run();
  }
  expect(await events()).toEqual(["flag.removable"]);
  await set({ enabled: false }, "live");
  app.clock.now += 40 * DAY;
  await job.run();
  expect(await events()).toEqual(["flag.removable"]);
});
