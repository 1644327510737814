import { AppError } from "../../../src/base/errors.ts";
import type { FlagPatch } from "../../../src/flags/flag.ts";
import { areBoolean, type FlagRules, type RulesPatch } from "../../../src/flags/rules/rules.ts";
import {
  resultOf,
  rowsBeforeShare,
  shareRule,
  switchOf,
  withoutShare,
} from "../../../src/flags/rules/shares.ts";
import { ruleClauses } from "../../../src/flags/rules/rule-words.ts";
import { asked, conditionOf } from "../../session/conditions.ts";
import type { Input } from "../../session/input.ts";
import { jsonObject } from "../../session/sources.ts";
import { usage } from "../../session/usage.ts";
import { isUnset } from "../../session/values.ts";
import type { flags } from "../../../src/operations/flags.ts";
import type { Output } from "../../../src/operations/operation.ts";

/** A flag as the admin API shows it. */
export type FlagDetail = Output<Awaited<ReturnType<(typeof flags)["get"]["schemas"]>>>;

/** The options of `flags set` that give a flag variants and rules. */
export type RuleOptions = {
  variants?: string;
  default?: string;
  targeting?: string;
  rollout?: string;
  if?: string[];
  then?: string[];
  else?: string;
  everyone?: true;
};

/** Reads {@link RuleOptions}. Throws `invalid`. */
export async function readRules(input: Input) {
  const given = input.options as RuleOptions;
  const own: RulesPatch = {};
  if (given.variants !== undefined)
    own.variants = (await jsonOrNone(given.variants, "--variants", input)) as RulesPatch["variants"];
  if (given.default !== undefined) own.defaultVariant = given.default === "none" ? null : given.default;
  if (given.targeting !== undefined)
    own.targeting = (await jsonOrNone(given.targeting, "--targeting", input)) as RulesPatch["targeting"];
  if (given.everyone) own.targeting = null;
  const rows = rowsOf(given);
  const endsRollout = given.rollout !== undefined && isUnset(given.rollout);
  const isShared = given.else?.includes("%") === true;
  const isRuled = (given.rollout !== undefined && !endsRollout) || rows.length > 0 || isShared;
  // Refused before anything is read.
  if (given.rollout !== undefined && !endsRollout) shareOf(given.rollout, { on: "on", off: "off" });
  if (given.else !== undefined && !isRuled)
    throw usage("--else needs an --if", "what everyone gets without a rule is the --default");

  /** The change of a flag that is this; undefined for a new one. Throws `invalid`. */
  const patchFor = (flag: FlagDetail | undefined): RulesPatch => {
    const patch = { ...own };
    const states = given.everyone && flag?.variants && !isMadeForRule(flag) ? switchOf(flag.variants) : null;
    if (states) patch.defaultVariant ??= states.on;
    if (endsRollout && !isRuled) patch.targeting = endOfShare(flag?.targeting);
    if (patch.targeting === null) return isMadeForRule(flag) ? plainFrom(patch) : withoutRule(patch, flag);
    if (!isRuled && patch.targeting === undefined) return patch;
    const variants = patch.variants ?? (patch.variants === null ? undefined : flag?.variants);
    if (variants === undefined) {
      patch.variants = MADE.variants;
      if (patch.defaultVariant === undefined) patch.defaultVariant = MADE.defaultVariant;
    }
    if (isRuled) patch.targeting = targetingOf(given, rows, variants ?? patch.variants!, flag?.targeting);
    return patch;
  };
  const changesRule = isRuled || endsRollout || own.targeting !== undefined;
  const replaces = (flag: FlagDetail | undefined) => isRuled && isOfAnotherKind(flag);
  return { given, needsFlag: changesRule || own.variants != null, replaces, lostBy, patchFor };
}

/** Whether a flag has a rule without words, which conditions or a share take the place of. */
function isOfAnotherKind(flag: FlagDetail | undefined): boolean {
  return flag !== undefined && ruleClauses(flag) === null && rowsBeforeShare(flag.targeting).length === 0;
}

/** The payload that variants other than true and false take the place of, or undefined. */
function lostBy({ variants, payload }: FlagPatch, flag: FlagDetail): unknown {
  if (variants == null || areBoolean(variants) || payload !== undefined) return undefined;
  const hadPayload = flag.variants === undefined || areBoolean(flag.variants);
  return hadPayload && !Bun.deepEquals(flag.payload, {}) ? flag.payload : undefined;
}

const NUMBER = /^\d+(?:\.\d+)?$/;

type Row = { condition: Record<string, unknown>; variant: string | undefined };

/** The conditions of `--if`, each with its `--then`; none has one if no `--then` is given. Throws `invalid`. */
function rowsOf({ if: conditions = [], then: chosen = [] }: RuleOptions): Row[] {
  const isEach = chosen.length === conditions.length || (chosen.length === 0 && conditions.length > 0);
  if (!isEach)
    throw usage(
      `there are ${conditions.length} --if and ${chosen.length} --then`,
      NUMBER.test(chosen[0] ?? "")
        ? `a share of everyone is --rollout ${chosen[0]}, of a segment --if 'segment beta' --then '${chosen[0]} %'`
        : "each --if needs a --then: --if 'email ends_with @example.com' --then on",
    );
  return conditions.map((text, at) => ({ condition: conditionOf(text), variant: chosen[at] }));
}

/** The rule of `--if`, `--then`, `--rollout` and `--else` for a flag with these variants. Throws `invalid`. */
function targetingOf(
  { rollout, else: rest }: RuleOptions,
  rows: readonly Row[],
  variants: FlagRules["variants"],
  before: FlagRules["targeting"],
): NonNullable<FlagRules["targeting"]> {
  const states = switchOf(variants);
  const pairs = rows.flatMap(({ condition, variant = states?.on }) => {
    if (variant === undefined)
      throw usage(
        "--if needs a --then: the flag has other variants than on and off",
        `choose one of ${Object.keys(variants).join(", ")}: --then ${Object.keys(variants)[0]}`,
      );
    return [condition, resultIn(variant, "--then", variants)];
  });
  const last = rest === undefined ? undefined : resultIn(rest, "--else", variants);
  if (
    typeof last === "string" &&
    pairs.length > 0 &&
    pairs.every((each, at) => at % 2 === 0 || each === last)
  )
    throw usage(
      `the rule gives ${last} to everyone`,
      `leave out --else ${rest}, or name another variant with it or with --then`,
    );
  if (rollout === undefined) {
    // Shares of all users stand alone.
    if (pairs.length === 0 && typeof last === "object") return last;
    return { if: last === undefined ? pairs : [...pairs, last] };
  }
  if (states === null)
    throw usage(
      "--rollout is for a flag with two variants, true and false",
      `write the shares of its variants: --else '${sharesOf(Object.keys(variants))}'`,
    );
  if (last !== undefined && last !== states.off)
    throw usage(
      `--rollout gives ${states.off} to everyone else`,
      `leave out --else ${rest}, or give conditions without --rollout`,
    );
  const share = shareOf(rollout, states);
  // Another share for the same rule leaves its conditions.
  const kept = pairs.length > 0 ? pairs : rowsBeforeShare(before);
  return kept.length === 0 ? share : { if: [...kept, share] };
}

function shareOf(rollout: string, states: { on: string; off: string }) {
  return asked("--rollout", () => shareRule(rollout, states));
}

function resultIn(text: string, option: string, variants: FlagRules["variants"]) {
  try {
    return resultOf(text, variants);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const hint = NUMBER.test(text) ? `a share has a sign: ${option} '${text} %'` : error.hint;
    throw usage(`${option} ${error.message}`, hint ?? undefined);
  }
}

function sharesOf(names: string[]): string {
  const [first, ...others] = names;
  const share = Math.floor(100 / names.length);
  return [`${100 - share * others.length} % ${first}`, ...others.map((name) => `${share} % ${name}`)].join(
    ", ",
  );
}

/** A rule without its share, null for none. Throws `invalid` for a rule without one. */
function endOfShare(targeting: FlagRules["targeting"]) {
  const rest = withoutShare(targeting);
  if (rest === undefined)
    throw usage("the rule of this flag is not a rollout", "--targeting none removes the whole rule");
  return rest;
}

/** Variants that a plain flag gets, so that a rule can choose one. */
const MADE = { variants: { on: true, off: false }, defaultVariant: "off" } as const;

/** Whether a flag has the variants that a plain flag gets for a rule, so that it is plain again without one. */
function isMadeForRule(flag: FlagDetail | undefined): boolean {
  if (flag?.variants === undefined || flag.metadata !== undefined) return false;
  return Bun.deepEquals(flag.variants, MADE.variants) && flag.defaultVariant === MADE.defaultVariant;
}

function plainFrom(patch: RulesPatch): RulesPatch {
  const keepsVariants = patch.variants != null || patch.defaultVariant !== undefined;
  return keepsVariants ? patch : { variants: null };
}

/** A plain flag has no rule to remove. */
function withoutRule({ targeting, ...patch }: RulesPatch, flag: FlagDetail | undefined): RulesPatch {
  const hasVariants = flag?.variants !== undefined || patch.variants != null;
  return hasVariants ? { ...patch, targeting: targeting ?? null } : patch;
}

const EXAMPLES = {
  "--variants": '{"on":true,"off":false}',
  "--targeting": '{"if":[{"ends_with":[{"var":"email"},"@example.com"]},"on"]}',
};

async function jsonOrNone(text: string, option: keyof typeof EXAMPLES, input: Input): Promise<unknown> {
  return isUnset(text) ? null : jsonObject(text, option, EXAMPLES[option], input);
}
