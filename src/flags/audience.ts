import { DAY_MS } from "../base/days.ts";
import { isObject } from "../base/json.ts";
import { keepLast } from "../base/keep.ts";
import { type FlagValues, hasExpired } from "./flag.ts";
import { type Ramp, nextStep } from "./ramps/ramp.ts";
import { requirementsOf } from "./requires/requirement.ts";
import { conditionInWords } from "./rules/condition-words.ts";
import { comparisonOf } from "./rules/conditions.ts";
import { hasRule, rowsOfRule } from "./rules/rule-rows.ts";
import { MAX_RULE, OWN_RULE } from "./rules/rule-words.ts";
import { type FlagRules, parseRules } from "./rules/rules.ts";
import { sharesOf, switchOf } from "./rules/shares.ts";

/** The part of a flag in an environment that decides who gets it; `rules` is JSON text. */
type Setting = Pick<FlagValues, "enabled" | "expiresAt" | "rules" | "requires">;

/** The readers who get a flag, in a few words: `off`, `expired`, `everyone`, `25 %`, `Beta testers`, `net for Business`, `everyone, needs cart`. */
export function audienceOf({ enabled, expiresAt, rules, requires }: Setting, now: number): string {
  if (!enabled) return "off";
  if (hasExpired({ expiresAt }, now)) return "expired";
  const needs = requirementsOf(requires).map(({ flag }) => flag);
  return `${whoGets(rules)}${needs.length === 0 ? "" : `, needs ${joined(needs)}`}`;
}

const kept = keepLast<string>(2000);

/** The readers who get a flag that is on, by its rules: `everyone`, `Staff and 25 %`, `everyone but Staff`, `50 : 50`. */
export function whoGets(rules: string | null): string {
  if (rules === null) return "everyone";
  return rules.length > MAX_RULE ? OWN_RULE : kept(rules, () => whoOf(parseRules(rules)));
}

function whoOf({ variants, defaultVariant, targeting }: FlagRules): string {
  const fallback = defaultVariant ?? "";
  const { rows, rest } = partsOf(targeting);
  const states = switchOf(variants);
  const who = states
    ? whoIsOn(rows, rest ?? fallback, states.on, fallback)
    : valueFor(rows, rest ?? fallback, fallback);
  if (who !== null) return who.length > MAX_WORDS ? `${who.slice(0, MAX_WORDS)}…` : who;
  return rows.length < 2 ? OWN_RULE : `by ${rows.length} rules`;
}

/** Characters that a cell of a table has room for. */
const MAX_WORDS = 60;

type Rows = { condition: unknown; result: unknown }[];

/** The rows of a rule and what everyone else gets: undefined or null for the default. */
function partsOf(targeting: FlagRules["targeting"]): { rows: Rows; rest: unknown } {
  if (!hasRule(targeting)) return { rows: [], rest: null };
  return rowsOfRule(targeting) ?? { rows: [], rest: targeting };
}

/** The readers who get true; null for rules without words. */
function whoIsOn(rows: Rows, rest: unknown, on: string, fallback: string): string | null {
  const share = shareOf(rest, on);
  const all = rows.map(({ condition, result }) => ({
    name: nameOf(condition),
    share: shareOf(result ?? fallback, on),
  }));
  if (share === null || all.some((row) => row.share === null || row.name === null)) return null;
  // The last rows may say what everyone else gets anyway.
  const shares = all.slice(0, all.findLastIndex((row) => row.share !== share) + 1);
  const none = shares.filter((row) => row.share === "0").map(({ name }) => name!);
  const some = shares
    .filter((row) => row.share !== "0")
    .map((row) => (row.share === "100" ? row.name! : `${row.share} % of ${row.name}`));
  const everyone = share === "0" ? [] : [share === "100" ? "everyone" : `${share} %`];
  if (none.length === 0) {
    if (some.length === 0) return everyone[0] ?? "nobody";
    return share === "100" ? `everyone, ${joined(some)}` : joined([...some, ...everyone]);
  }
  const within = shares.length === 1 ? nameOf(negatedBy(rows[0]!.condition)) : null;
  if (within !== null) return share === "100" ? within : `${share} % of ${within}`;
  // Only rows that come first take something away from all that follow.
  if (shares.findLastIndex((row) => row.share === "0") >= none.length) return null;
  const rather = joined([...some, ...everyone]);
  return rather === "everyone" ? `everyone but ${joined(none)}` : `${rather}, not ${joined(none)}`;
}

/** The variant that most get, or the first that a condition decides: `gross`, `net for Business`, `50 : 50`. */
function valueFor(rows: Rows, rest: unknown, fallback: string): string | null {
  const [first, ...others] = rows;
  if (!first) return valueOf(rest);
  const [name, value] = [nameOf(first.condition), valueOf(first.result ?? fallback)];
  if (name === null || value === null) return null;
  return `${value} for ${name}${others.length === 0 ? "" : ` and ${others.length} more`}`;
}

/** A variant by its name, or the shares of several. */
function valueOf(result: unknown): string | null {
  if (typeof result === "string") return result === "" ? "no value" : result;
  const shares = sharesOf(result);
  return shares && shares.map(({ percent }) => Math.round(Number(percent))).join(" : ");
}

/** The percentage of a result that gets a variant; null if it is no variant and no split. */
function shareOf(result: unknown, variant: string): string | null {
  if (typeof result === "string") return result === variant ? "100" : "0";
  return sharesOf(result)?.find((share) => share.variant === variant)?.percent ?? null;
}

/** The readers for whom a condition holds: a segment by its name, a list of values by the values, any other in words. */
function nameOf(condition: unknown): string | null {
  const segment = isObject(condition) ? condition["$ref"] : undefined;
  if (typeof segment === "string") return segmentTitle(segment);
  const comparison = comparisonOf(condition);
  return comparison?.operator === "in" ? comparison.value : conditionInWords(condition);
}

/** The condition that a condition negates, as of a release within a segment: the first row is that of all others. */
export function negatedBy(condition: unknown): unknown {
  const negated = isObject(condition) ? condition["!"] : undefined;
  return Array.isArray(negated) ? negated[0] : undefined;
}

/** A segment as people call it: `beta-testers` is Beta testers. */
export function segmentTitle(name: string): string {
  return /^[a-z][a-z\d]*(?:[-_][a-z\d]+)*$/.test(name)
    ? name[0]!.toUpperCase() + name.slice(1).replaceAll(/[-_]/g, " ")
    : name;
}

/** The first two of some names, and how many more there are. */
function joined(names: readonly string[]): string {
  const [first = "", second, ...more] = names;
  if (more.length > 0) return `${first}, ${second} and ${more.length} more`;
  return second === undefined ? first : `${first} and ${second}`;
}

type Shares = readonly { share: number; within?: unknown }[];

/** The share of a step of a ramp: `50 %`, `25 % of Staff`, and for the steps behind one of some `50 % of everyone`, `everyone`. */
export function stepInWords(steps: Shares, share: number): string {
  const people = peopleOfStep(steps, share);
  if (people === undefined) return `${share} %`;
  if (share < 100) return `${share} % of ${people}`;
  return people === EVERYONE ? people : `all of ${people}`;
}

/** The people of whom a step is a share; undefined where all steps are of all users, and for a share that no step sets. */
export function peopleOfStep(steps: Shares, share: number): string | undefined {
  const step = steps.find((each) => each.share === share);
  if (!step || steps[0]!.within === undefined) return undefined;
  return step.within === undefined ? EVERYONE : (nameOf(step.within) ?? "some");
}

const EVERYONE = "everyone";

/** The changes of a flag in an environment that are under way by themselves. Times are milliseconds since 1970. */
export type Course = {
  /** A ramp that is running or paused. */
  ramp?: Pick<Ramp, "status" | "reason" | "steps" | "nextAt"> | undefined;
  /** An experiment that is running or paused. */
  experiment?: { status: string; reason: Ramp["reason"]; startedAt: number | null } | undefined;
  /** The next change that is scheduled. */
  scheduled?: { at: number; patch: { enabled?: boolean | undefined } } | undefined;
};

/** The next of these changes in words: `stopped by a guard`, `50 % Wed, 09:00`, `experiment, day 8`, `on Wed, 09:00`; null for nothing. */
export function courseInWords(
  { ramp, experiment, scheduled }: Course,
  now: number,
  when: (at: number) => string,
): { tone: "warn" | "info"; words: string } | null {
  const held = ramp ?? experiment;
  if (held?.status === "paused")
    return { tone: "warn", words: held.reason === "guard" ? "stopped by a guard" : "paused" };
  const next = ramp && nextStep(ramp);
  if (next && ramp.nextAt !== null)
    return { tone: "info", words: `${stepInWords(ramp.steps, next.share)} ${when(ramp.nextAt)}` };
  if (experiment) {
    const day = Math.floor((now - (experiment.startedAt ?? now)) / DAY_MS) + 1;
    return { tone: "info", words: `experiment, day ${day}` };
  }
  if (!scheduled) return null;
  const { enabled } = scheduled.patch;
  const verb = enabled === undefined ? "changes" : enabled ? "on" : "off";
  return { tone: "info", words: `${verb} ${when(scheduled.at)}` };
}
