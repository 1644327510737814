import type { Caller } from "../../../src/access/caller.ts";
import {
  abortRamp,
  advanceRamp,
  getRamp,
  pauseRamp,
  resumeRamp,
  startRamp,
} from "../../../src/flags/ramps/ramps.ts";
import type { RampPlan } from "../../../src/flags/ramps/ramp.ts";
import { viewRamp } from "../../../src/flags/ramps/ramp-view.ts";
import { applyDue } from "../../../src/flags/schedule/schedule-job.ts";
import { parseRules } from "../../../src/flags/rules/rules.ts";
import { BOB, openShop } from "./shop.ts";

const DAY = 86_400;

/** A shop whose flag `sale` is there, and what bob does with its ramp in `live`. */
export async function openRamping(patch = {}) {
  const shop = await openShop();
  const { app } = shop;
  await shop.set("live", patch);
  const place = shop.place("live");
  const start = app.clock.now;
  const course = { variant: "on", to: [1, 10, 50, 100], every: DAY };
  return {
    ...shop,
    at: place,
    start,
    begin: (plan: Partial<RampPlan> = {}, caller: Caller = BOB) =>
      startRamp(app, caller, place, { ...course, ...plan }),
    pause: (caller: Caller = BOB) => pauseRamp(app, caller, place),
    resume: (caller: Caller = BOB) => resumeRamp(app, caller, place),
    next: (caller: Caller = BOB) => advanceRamp(app, caller, place, { isToEnd: false }),
    finish: (caller: Caller = BOB) => advanceRamp(app, caller, place, { isToEnd: true }),
    abort: (keep = false, caller: Caller = BOB) => abortRamp(app, caller, place, { keep }),
    ramp: async () => viewRamp(await getRamp(app, place)),
    /** Makes what is due so many days after the beginning, and returns what was reported. */
    due: async (days: number) => {
      app.clock.now = start + days * DAY * 1000;
      const reported: string[] = [];
      await applyDue(app, (text) => reported.push(text));
      return reported;
    },
    /** The state of the flag, its default variant and the weights of its share. */
    state: async (): Promise<Record<string, unknown>> => {
      const { enabled, rules } = (await app.store.flags.find(place))!;
      if (rules === null) return { enabled, plain: true };
      const { defaultVariant, targeting } = parseRules(rules);
      return { enabled, defaultVariant, targeting };
    },
  };
}

/** A rule that gives `on` to so many of a hundred users. */
export function sharing(percent: number) {
  return {
    fractional: [
      ["on", percent],
      ["off", 100 - percent],
    ],
  };
}
