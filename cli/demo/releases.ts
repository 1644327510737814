import type { App } from "../../src/app.ts";
import { DAY_MS } from "../../src/base/days.ts";
import { proposeChange } from "../../src/documents/changes/proposals.ts";
import { createExperiment } from "../../src/experiments/experiments.ts";
import { readGuards } from "../../src/experiments/guards/guarding.ts";
import { startGuardedRamp } from "../../src/experiments/guards/ramp-guards.ts";
import type { Occurrence } from "../../src/experiments/measure.ts";
import { takeEvents } from "../../src/experiments/events.ts";
import { startExperiment, stopExperiment } from "../../src/experiments/lifecycle.ts";
import { shipExperiment } from "../../src/experiments/shipping.ts";
import { uploadReferences } from "../../src/flags/code/code-references.ts";
import type { FlagPatch } from "../../src/flags/flag.ts";
import { setFlag } from "../../src/flags/flags.ts";
import { applyDue } from "../../src/flags/schedule/schedule-job.ts";
import { scheduleChange } from "../../src/flags/schedule/schedule.ts";
import { flags } from "../../src/operations/flags.ts";
import { keyOf } from "../../src/operations/changes/proposable.ts";
import { rerunOn } from "../../src/operations/changes/perform.ts";
import { getEnvironment, setEnvironment } from "../../src/projects/environments.ts";
import { addNoticeTarget } from "../../src/projects/notice-targets.ts";
import { DEAD_TARGET, deadOutgoing } from "./inbox.ts";
import code from "./code.json";
import { ago, by, type Event, PROJECT } from "./people.ts";

const place = (environment: string, flag: string) => ({ project: PROJECT, environment, flag });
const trial = (experiment: string) => ({ project: PROJECT, environment: "production", experiment });

/** A rule that turns a flag on for those who fulfil a condition. */
const onIf = (condition: Record<string, unknown>): FlagPatch => ({
  enabled: true,
  variants: { on: true, off: false },
  defaultVariant: "off",
  targeting: { if: [condition, "on", "off"] },
});
const countries = (...codes: string[]) => onIf({ in: [{ var: "country" }, codes] });

/** Days before now on which the ramps make their steps. */
const STEPS = [22, 21, 20, 3, 1];
const DAY_S = DAY_MS / 1000;

/** The releases of six weeks: who turned what on, for whom, and why. */
export function releaseEvents(app: App, now: number): Event[] {
  const set = (
    days: number,
    who: Parameters<typeof by>,
    [environment, flag]: [string, string],
    patch: FlagPatch,
  ) => ago(now, days, () => setFlag(app, by(...who), place(environment, flag), patch));
  return [
    set(40, ["jonas", "the first steps of it"], ["develop", "checkout"], { enabled: true }),
    set(32, ["jonas"], ["staging", "checkout"], { enabled: true }),
    ...experiments(app, now),
    ...STEPS.map((days) => ago(now, days - 0.01, () => applyDue(app, () => {}))),
    ...ramps(app, now),
    set(12, ["jonas"], ["staging", "banner"], { enabled: true, payload: { text: "Hello", color: "blue" } }),
    set(11, ["mara", "shorter and green"], ["staging", "banner"], {
      payload: { text: "Free delivery until Sunday", color: "green" },
    }),
    set(
      9,
      ["jonas", "the haulier drives there daily"],
      ["production", "express-shipping"],
      countries("AT", "DE"),
    ),
    set(4, ["jonas", "a try before winter"], ["develop", "dark-mode"], {
      enabled: true,
      payload: { contrast: "high" },
    }),
    ago(now, 3.5, () => uploadReferences(app, by("jonas"), PROJECT, Buffer.from(JSON.stringify(code)))),
    set(1.2, ["jonas", "unreadable on the order page"], ["develop", "dark-mode"], { enabled: false }),
    set(1.1, ["mara", "first look"], ["production", "checkout"], onIf({ $ref: "beta-testers" })),
    ...plans(app, now),
  ];
}

/** An experiment that had a winner, one that had none, and one that runs. */
function experiments(app: App, now: number): Event[] {
  const begin = (
    days: number,
    name: string,
    who: "mara" | "jonas",
    design: Parameters<typeof createExperiment>[3],
  ) =>
    ago(now, days, async () => {
      await createExperiment(app, by(who), trial(name), design);
      await startExperiment(app, by(who), trial(name));
    });
  const counted = (days: number, flag: string, event: string, counts: Counts) =>
    ago(now, days, () => count(app, flag, event, counts));
  return [
    begin(36, "prices", "mara", {
      flag: "price-display",
      metrics: ["event:order"],
      hypothesis: "Business customers order more if they see prices without VAT.",
    }),
    counted(23.1, "price-display", "order", { gross: [740, 59], net: [751, 110] }),
    ago(now, 23, () => readGuards(app, () => {})),
    ago(now, 22.5, () =>
      shipExperiment(app, by("mara", "clearly more orders"), trial("prices"), {
        variant: "net",
        to: [25, 50, 100],
        every: DAY_S,
      }),
    ),
    begin(31, "letters", "jonas", {
      flag: "newsletter-popup",
      metrics: ["event:letter", "submissions:contact"],
      hypothesis: "Visitors who stay for a second page like to hear from us.",
    }),
    counted(17.1, "newsletter-popup", "letter", { off: [320, 17], on: [308, 18] }),
    ago(now, 17, () => stopExperiment(app, by("jonas", "no more letters than before"), trial("letters"))),
    begin(8, "ranking", "jonas", {
      flag: "search-ranking",
      metrics: ["event:order", "submissions:contact"],
      minDays: 14,
      hypothesis: "Newer products first bring more orders.",
    }),
    counted(0.1, "search-ranking", "order", { off: [470, 36], on: [481, 43] }),
  ];
}

/** A ramp that its guard has stopped, and one that goes on. */
function ramps(app: App, now: number): Event[] {
  const start = (
    who: "mara" | "jonas",
    [environment, flag]: [string, string],
    to: number[],
    guards: string[],
  ) =>
    startGuardedRamp(app, by(who), place(environment, flag), { variant: "on", to, every: 2 * DAY_S, guards });
  return [
    ago(now, 3.1, () =>
      start("mara", ["production", "gift-wrapping"], [5, 25, 50, 100], ["event:error rises 10%"]),
    ),
    ago(now, 3.05, () => start("jonas", ["staging", "express-shipping"], [25, 50, 100], [])),
    ago(now, 0.2, async () => {
      await count(app, "gift-wrapping", "error", { off: [1220, 25], on: [405, 45] });
      await readGuards(app, () => {});
    }),
  ];
}

/** Changes to come: two with a time, and one that waits for an approval. */
function plans(app: App, now: number): Event[] {
  const at = (days: number, enabled: boolean) => ({ patch: { enabled }, at: now + days * DAY_MS });
  const banner = place("production", "banner");
  return [
    ago(now, 1.3, () => {
      const digest = { target: DEAD_TARGET, events: ["flag.*", "ramp.*", "experiment.*"], digest: 7 * DAY_S };
      return addNoticeTarget(app, by("mara"), PROJECT, digest, deadOutgoing(app));
    }),
    ago(now, 0.9, async () => {
      await scheduleChange(app, by("mara", "until the end of the week"), banner, at(2.1, true));
      await scheduleChange(app, by("mara", "until the end of the week"), banner, at(6.5, false));
    }),
    ago(now, 0.8, () => setEnvironment(app, by("mara"), PROJECT, "production", { approvals: 1 })),
    ago(now, 0.6, () => {
      const operation = {
        operation: keyOf(flags.set),
        names: place("production", "express-shipping"),
        query: undefined,
        body: countries("AT", "DE", "CH"),
      };
      const where = { project: PROJECT, lasts: 14 * DAY_MS };
      return proposeChange(app, by("jonas", "the haulier agreed"), operation, where, rerunOn(app));
    }),
  ];
}

type Counts = Readonly<Record<string, readonly [visitors: number, conversions: number]>>;

/** Counts visitors of a flag in production, so many of each variant, some of whom convert. */
async function count(app: App, flag: string, event: string, counts: Counts): Promise<void> {
  const environmentKey = (await getEnvironment(app, PROJECT, "production")).key;
  const occurrences = Object.entries(counts).flatMap(([variant, [visitors, conversions]]) =>
    Array.from({ length: visitors }, (_, index): Occurrence[] => {
      const visitor = `${variant}-${index}`;
      return [{ visitor, exposure: flag, variant }, ...(index < conversions ? [{ visitor, event }] : [])];
    }).flat(),
  );
  const batch = { environmentKey, occurrences, at: app.now(), isOfPage: false };
  await takeEvents(app.store, app.measuring.measure, batch, null);
}
