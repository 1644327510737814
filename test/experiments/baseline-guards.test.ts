import { expect, test } from "bun:test";
import { HOUR_MS, WEEK_MS } from "../../src/base/days.ts";
import { timedId } from "../../src/base/ids.ts";
import { createExperiment, getExperiment } from "../../src/experiments/experiments.ts";
import { readBaseline } from "../../src/experiments/guards/firing.ts";
import { readGuards } from "../../src/experiments/guards/guarding.ts";
import { startGuardedRamp } from "../../src/experiments/guards/ramp-guards.ts";
import { startExperiment } from "../../src/experiments/lifecycle.ts";
import { getRamp } from "../../src/flags/ramps/ramps.ts";
import { createForm } from "../../src/forms/forms.ts";
import { OPERATOR } from "../support/records/caller.ts";
import { type Conditions } from "../../src/forms/intake/insertion.ts";
import { submissionTo } from "../support/records/records.ts";
import { openShop } from "../support/records/shop.ts";

const NONE: Conditions = {
  key: null,
  spam: null,
  recent: null,
  challenge: null,
  keepsSpam: true,
  maxSubmissions: null,
};

const GUARD = "submissions:contact falls 40% of baseline";

/** A shop with a form, some minutes past an hour. */
async function openBaseline() {
  const shop = await openShop();
  const { app } = shop;
  app.clock.now = Math.floor(app.clock.now / HOUR_MS) * HOUR_MS + 600_000;
  await shop.set("live", {});
  const form = await createForm(app, OPERATOR, { slug: "contact", project: "shop" });
  let last = 0;
  return {
    ...shop,
    form,
    start: app.clock.now,
    /** Stores so many submissions of a time in milliseconds since 1970. */
    submit: async (time: number, count: number, spam: string | null = null) => {
      for (let index = 0; index < count; index += 1) {
        const id = timedId(time, 0, Buffer.from((last += 1).toString(16).padStart(16, "0"), "hex"));
        await app.store.submissions.insert(
          submissionTo(form.key, { id, createdAt: time, conditions: { ...NONE, spam } }),
        );
      }
    },
  };
}

test("a baseline is counted in the same spans of the four weeks before, without spam", async () => {
  const { app, form, start, submit } = await openBaseline();
  const inHour = (week: number, hour: number) => start + hour * HOUR_MS - week * WEEK_MS;
  await submit(inHour(0, 0), 2);
  await submit(inHour(0, 0) - 1, 1);
  await submit(inHour(0, 1), 3);
  await submit(inHour(1, 0), 4);
  await submit(inHour(1, 0) - 1, 5);
  await submit(inHour(2, 1), 6);
  await submit(inHour(2, 1), 2, "honeypot");
  await submit(inHour(4, 2) - 600_001, 7);
  await submit(inHour(4, 2), 1);
  await submit(inHour(4, 3), 9);
  const until = start + 2 * HOUR_MS + 1;
  expect(await readBaseline(app, form.key, start, until)).toEqual({
    since: 5,
    now: [2, 3, 0],
    hours: [
      [4, 0, 0, 0],
      [0, 6, 0, 7],
      [0, 0, 0, 1],
    ],
  });
});

test("a guard of an experiment fires where submissions fall behind those of the weeks before", async () => {
  const { app, start, submit } = await openBaseline();
  const at = { project: "shop", environment: "live", experiment: "hero" };
  await createExperiment(app, OPERATOR, at, { flag: "sale", metrics: ["event:signup"], guards: [GUARD] });
  await startExperiment(app, OPERATOR, at);
  for (let week = 1; week <= 4; week += 1) await submit(start + 1000 - week * WEEK_MS, 20);
  const reported: string[] = [];
  const read = () => readGuards(app, (text) => reported.push(text));
  await read();
  expect(reported).toEqual([]);
  app.clock.now += 5000;
  await read();
  expect(reported).toEqual([`experiment hero in shop/live: the guard "${GUARD}" fired: pause`]);
  expect(await getExperiment(app, at)).toMatchObject({ status: "paused", reason: "guard" });
});

test("a guard of a ramp does, and counts no users", async () => {
  const { app, start, submit, place } = await openBaseline();
  const plan = { variant: "on", to: [10, 100], every: 3600, guards: [GUARD], onGuard: "rollback" } as const;
  await startGuardedRamp(app, OPERATOR, place("live"), {
    ...plan,
    to: [...plan.to],
    guards: [...plan.guards],
  });
  expect(await app.store.measurements.live()).toMatchObject([{ variants: [], metrics: [] }]);
  for (let week = 1; week <= 4; week += 1) await submit(start + 1000 - week * WEEK_MS, 20);
  await submit(start + 1000, 17);
  app.clock.now += 5000;
  const reported: string[] = [];
  const read = () => readGuards(app, (text) => reported.push(text));
  await read();
  expect(reported).toEqual([]);
  for (let week = 1; week <= 4; week += 1) await submit(start + 6000 - week * WEEK_MS, 100);
  app.clock.now += 5000;
  await read();
  expect(reported).toEqual([`ramp of flag sale in shop/live: the guard "${GUARD}" fired: rollback`]);
  expect(await getRamp(app, place("live"))).toMatchObject({ status: "aborted", reason: "guard" });
});
