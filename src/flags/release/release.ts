import { isoTime } from "../../base/clock.ts";
import { AppError, fieldFault } from "../../base/errors.ts";
import type { FlagPatch, FlagRecord } from "../flag.ts";
import { RAMP_LIMITS } from "../limits.ts";
import { asUnreached } from "../ramps/ramp-share.ts";
import type { GuardAction } from "../ramps/ramp-card.ts";
import type { RampPlan } from "../ramps/ramp.ts";
import { ruleOfCondition } from "../rules/condition-parser.ts";
import { hasRule, isShare, rowsOfRule } from "../rules/rule-rows.ts";
import { type FlagRules, parseRules } from "../rules/rules.ts";
import { shareRule, sharesOf, switchOf } from "../rules/shares.ts";
import { findStepsFault, stepsOf } from "./steps.ts";
import type { Trial } from "./trial.ts";

/** Users who can get a variant. */
export const WHO = {
  all: "Everyone",
  share: "A share",
  segment: "A segment",
  rule: "A rule",
  none: "Nobody",
} as const;

/** The ways to release. */
export const HOW = {
  now: "Now",
  at: "At a time",
  while: "For a while",
  steps: "Step by step",
  test: "As an experiment",
} as const;

/** A release of a flag in an environment, as people choose it: who gets a variant, and how. */
export type Release = {
  variant: string;
  who: keyof typeof WHO;
  /** In percent. */
  share: number;
  segment: string;
  /** Condition of a rule in words: `country is one of AT, DE`. */
  condition: string;
  how: keyof typeof HOW;
  /** When it happens; null if no time is given. */
  at: number | null;
  /** Seconds for which it holds. */
  span: number;
  /** The shares before the last step, in percent. */
  steps: readonly number[];
  /** Seconds from one step to the next. */
  every: number;
  /** Whether the first step is for those of a segment or a rule, and the others for everyone. */
  thenEveryone: boolean;
  guards: string[];
  onGuard: GuardAction;
  /** Metric that an experiment compares. */
  metric: string;
  days: number;
};

/** The operation that a release is, with its input. */
export type ReleasePlan =
  | { operation: "set"; patch: FlagPatch }
  | { operation: "schedule"; at: string; patch: FlagPatch }
  | { operation: "setFor"; until: string; patch: FlagPatch }
  | { operation: "ramp"; course: RampPlan }
  | { operation: "experiment"; design: Trial };

/** Shares before the last step, unless others are chosen. */
const USUAL_STEPS = [1, 10, 50] as const;

/** How long a release for a while holds, in seconds. */
export const SPANS = [900, 3600, 7200, 28_800, 86_400] as const;
/** Seconds from one step to the next. */
export const PACES = [3600, 21_600, 43_200, 86_400, 604_800] as const;
/** Days that an experiment runs at least. */
export const DAYS = [7, 14, 28] as const;

type Ruled = Pick<FlagRecord, "enabled" | "rules">;

/** The release that the form of a flag stands for before anything is chosen. */
export function usualRelease(record: Pick<FlagRecord, "enabled" | "rules">): Release {
  return {
    variant: variantsToRelease(record).usual,
    who: "all",
    share: 50,
    segment: "",
    condition: "",
    how: "now",
    at: null,
    span: 28_800,
    steps: USUAL_STEPS,
    every: 86_400,
    thenEveryone: false,
    guards: ["event:error rises 10%"],
    onGuard: "pause",
    metric: "",
    days: 14,
  };
}

/** The numbers and choices of a form beside who and how, which a sentence that follows these two does not show. */
export function detailsOf(release: Release): string {
  return JSON.stringify({ ...release, who: null, how: null });
}

/** The variants that a flag has, or gets with its first rule, with the one released by default. */
export function variantsToRelease(record: Ruled): { variants: FlagRules["variants"]; usual: string } {
  const { variants, defaultVariant } = rulesOf(record);
  const usual = switchOf(variants)?.on ?? Object.keys(variants).find((name) => name !== defaultVariant);
  return { variants, usual: usual ?? Object.keys(variants)[0] ?? "on" };
}

function rulesOf({ enabled, rules }: Ruled): FlagRules {
  return rules === null
    ? { variants: { on: true, off: false }, defaultVariant: enabled ? "on" : "off" }
    : parseRules(rules);
}

/** The variant that others get: the default, else the other one of two. */
export function controlOf(record: Ruled, variant: string): string {
  const { variants, defaultVariant } = rulesOf(record);
  if (defaultVariant && defaultVariant !== variant) return defaultVariant;
  return Object.keys(variants).find((name) => name !== variant) ?? variant;
}

/** The conditions of a flag with their results, and what everyone else gets; undefined for the default. */
export function partsOf({ targeting }: Pick<FlagRules, "targeting">): { rows: unknown[]; rest: unknown } {
  if (!hasRule(targeting)) return { rows: [], rest: undefined };
  if (isShare(targeting)) return { rows: [], rest: targeting };
  const read = rowsOfRule(targeting);
  if (read === null)
    throw faultAt(
      "who",
      "the rule of this flag is one of its own, which a release does not change: edit it as JSON",
    );
  return { rows: read.rows.flatMap(({ condition, result }) => [condition, result]), rest: read.rest };
}

/** Whether a flag has conditions, which stay, and come before a release unless that is a condition too. */
export function hasConditions({ rules }: Pick<FlagRecord, "rules">): boolean {
  if (rules === null) return false;
  try {
    return partsOf(parseRules(rules)).rows.length > 0;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

/** Whether a release is for users of a segment or a rule. */
export function isOfSome({ who }: Pick<Release, "who">): boolean {
  return who === "segment" || who === "rule";
}

/** The condition for those whom a release is for; null for everyone, or a share of them. Throws `invalid`. */
function conditionOf({ who, segment, condition }: Release): Record<string, unknown> | null {
  if (who === "segment") {
    if (segment === "") throw faultAt("segment", "choose a segment");
    return { $ref: segment };
  }
  if (who !== "rule") return null;
  if (condition === "") throw faultAt("condition", "write a condition, such as country is one of AT, DE");
  try {
    return ruleOfCondition(condition);
  } catch (error) {
    if (error instanceof AppError) throw faultAt("condition", error.message);
    throw error;
  }
}

/** Seconds that a span of a release can have, and days of an experiment. */
const LONGEST = RAMP_LIMITS.most;

/** Throws the fault of a number that is not whole, or too large to be a time. */
function requireWhole(field: "span" | "every" | "days", value: number, most: number): void {
  if (!Number.isInteger(value) || value < 1 || value > most)
    throw faultAt(field, `${field} is a whole number from 1 to ${most}`);
}

/** The operation that a release of a flag is. Throws `invalid` with the fault of a field. */
export function planRelease(release: Release, record: Ruled, now: number): ReleasePlan {
  const { how, at, span, metric, days, variant } = release;
  const { variants } = rulesOf(record);
  if (!Object.hasOwn(variants, variant)) throw faultAt("variant", `${variant} is not a variant of the flag`);
  requireWhole("span", span, LONGEST);
  requireWhole("every", release.every, LONGEST);
  requireWhole("days", days, LONGEST / 86_400);
  const isShareOfAll = release.who === "share";
  if (isShareOfAll && !(release.share > 0 && release.share <= 100))
    throw faultAt("share", "write a share above 0 up to 100 %");
  if (release.who === "none" && (how === "steps" || how === "test"))
    throw faultAt("how", "nobody gets it at once: choose now, at a time or for a while");
  if (how === "steps") return { operation: "ramp", course: courseOf(release) };
  if (how === "test") {
    if (conditionOf(release) !== null)
      throw faultAt("how", "an experiment compares everyone, or a share: choose one of these");
    if (metric === "") throw faultAt("metric", "choose what is compared");
    const control = controlOf(record, variant);
    const [own, others] = isShareOfAll
      ? [Math.round(release.share), 100 - Math.round(release.share)]
      : [1, 1];
    if (own < 1 || others < 1)
      throw faultAt("share", "an experiment needs others to compare with: 1 to 99 %");
    const split = { [control]: others, [variant]: own };
    return { operation: "experiment", design: { metrics: [metric], control, split, minDays: days } };
  }
  const patch = patchOf(release, record);
  if (how === "now") return { operation: "set", patch };
  if (how === "while") return { operation: "setFor", until: isoTime(now + span * 1000), patch };
  if (at === null) throw faultAt("at", "write a date and a time");
  if (at <= now) throw faultAt("at", "this time has passed");
  return { operation: "schedule", at: isoTime(at), patch };
}

/** The course of a release step by step. */
function courseOf(release: Release): RampPlan {
  const { variant, every, thenEveryone, guards, onGuard } = release;
  const condition = conditionOf(release);
  const to = stepsOf(release);
  const fault = findStepsFault(release);
  if (fault) throw faultAt("step", fault.message);
  return {
    variant,
    to,
    every,
    ...(condition && { within: condition }),
    ...(condition && thenEveryone && to.length > 1 && { thenEveryone }),
    ...(guards.length > 0 && { guards, onGuard }),
  };
}

/** The change of a flag that gives a variant to those who are to have it. Conditions that the flag has stay before it. */
function patchOf(release: Release, record: Ruled): FlagPatch {
  const { who, variant, share } = release;
  if (who === "none") return { enabled: false };
  const condition = conditionOf(release);
  const control = controlOf(record, variant);
  const rules = rulesOf(record);
  const { rows, rest } = partsOf(rules);
  if (condition === null) {
    const isAll = who === "all" || share === 100;
    // Without conditions a plain flag stays one.
    if (isAll && record.rules === null && variant === "on") return { enabled: true };
    const last = isAll ? undefined : shareRule(String(share), { on: variant, off: control });
    return patchWith(rules, rows, last, isAll ? variant : control);
  }
  const others = rowsWithout(rows, condition);
  // Everyone else keeps what they have, unless it is this variant, or the flag was off.
  const { defaultVariant } = rulesOf(asUnreached(record, variant));
  const served = rest === undefined || rest === null ? defaultVariant : rest;
  const isRestKept = record.enabled && served !== variant;
  const own = [condition, variant, ...others];
  return isRestKept ? patchWith(rules, own, rest, defaultVariant) : patchWith(rules, own, undefined, control);
}

function rowsWithout(rows: unknown[], condition: unknown): unknown[] {
  return rows.filter((_, at) => !Bun.deepEquals(rows[at - (at % 2)], condition));
}

function patchWith(
  { variants }: FlagRules,
  rows: unknown[],
  rest: unknown,
  defaultVariant: string | null | undefined,
): FlagPatch {
  const last = rest === undefined || rest === null ? [] : [rest];
  const targeting = rows.length > 0 ? { if: [...rows, ...last] } : (last[0] ?? null);
  return {
    enabled: true,
    variants,
    ...(defaultVariant !== undefined && { defaultVariant }),
    targeting: targeting as FlagRules["targeting"] | null,
  };
}

/** The share in percent of everyone else who get a variant. */
export function shareOfRest(rest: unknown, variant: string, defaultVariant: unknown): number {
  const shares = sharesOf(rest);
  if (shares) return Number(shares.find((each) => each.variant === variant)?.percent ?? 0);
  return (typeof rest === "string" ? rest : defaultVariant) === variant ? 100 : 0;
}

function faultAt(field: string, message: string): AppError {
  return new AppError("invalid", message, { errors: [fieldFault(field, message)] });
}
