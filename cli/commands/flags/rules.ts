import { type Command, Option } from "commander";
import { AppError } from "../../../src/base/errors.ts";
import { ruleOfCondition } from "../../../src/flags/rules/conditions.ts";
import { hasRule } from "../../../src/flags/rules/rule-rows.ts";
import type { RulesPatch } from "../../../src/flags/rules/rules.ts";
import type { flags } from "../../../src/operations/flags.ts";
import type { Output } from "../../../src/operations/operation.ts";
import type { Input } from "../../session/input.ts";
import { optionFor } from "../../session/near-misses.ts";
import { jsonObject } from "../../session/sources.ts";
import { usage } from "../../session/usage.ts";
import { isUnset } from "../../session/values.ts";
import { shareRule, withoutShare } from "./shares.ts";

/** A flag as the admin API shows it. */
export type FlagDetail = Output<Awaited<ReturnType<(typeof flags)["get"]["schemas"]>>>;

type RuleOptions = {
  variants?: string;
  default?: string;
  targeting?: string;
  rollout?: string;
  if?: string[];
  then?: string[];
};

const append = (text: string, earlier: string[] | undefined) => [...(earlier ?? []), text];

/** The options of `flags set` that give a flag variants and rules. */
export function withRules(command: Command): Command {
  return command
    .option("--variants <json>", 'its values by name: JSON such as {"on":true,"off":false}, @FILE, or none')
    .addOption(
      optionFor(
        "defaultVariant",
        "--default <variant>",
        "the variant that is served where no rule selects one, or none",
      ),
    )
    .addOption(
      new Option("--targeting <json>", "the rule, in flagd's language: JSON, @FILE, or none").conflicts([
        "rollout",
        "if",
      ]),
    )
    .option(
      "--rollout <percent>",
      "on for that share of the users; the same user is always in or out; none ends it",
    )
    .addOption(
      new Option(
        "--if <condition>",
        "who gets the variant of the --then after it, such as 'age >= 18 and country in AT, DE'; repeatable",
      ).argParser(append),
    )
    .addOption(new Option("--then <variant>", "what they get; repeatable").argParser(append));
}

/** The change by the options of `withRules`, as far as it is known before the flag is read. */
export type RulesChange = {
  /** Whether it depends on what the flag is now. */
  needsFlag: boolean;
  /** The change of a flag that is this; undefined for a new one. Throws `invalid`. */
  patchFor: (flag: FlagDetail | undefined) => RulesPatch;
};

/** Reads the options of `withRules`. Throws `invalid`. */
export async function readRules(input: Input): Promise<RulesChange> {
  const given = input.options as RuleOptions;
  const own: RulesPatch = {};
  if (given.variants !== undefined)
    own.variants = (await jsonOrNone(given.variants, "--variants", input)) as RulesPatch["variants"];
  if (given.default !== undefined) own.defaultVariant = given.default === "none" ? null : given.default;
  if (given.targeting !== undefined)
    own.targeting = (await jsonOrNone(given.targeting, "--targeting", input)) as RulesPatch["targeting"];
  const { if: conditions = [], then: chosen = [] } = given;
  if (conditions.length !== chosen.length)
    throw usage(
      `there are ${conditions.length} --if and ${chosen.length} --then`,
      "each --if needs a --then: --if 'email ends_with @example.com' --then on",
    );
  const endsRollout = given.rollout !== undefined && isUnset(given.rollout);
  const rollout = endsRollout ? undefined : given.rollout;
  const isRuled = rollout !== undefined || conditions.length > 0;

  const patchFor = (flag: FlagDetail | undefined): RulesPatch => {
    const patch = { ...own };
    if (endsRollout && !isRuled) patch.targeting = withoutShare(flag?.targeting);
    if (patch.targeting === null) return isMadeForRule(flag) ? plainFrom(patch) : withoutRule(patch, flag);
    if (!isRuled && patch.targeting === undefined) return patch;
    const variants = patch.variants ?? (patch.variants === null ? undefined : flag?.variants);
    if (variants === undefined) {
      patch.variants = MADE.variants;
      if (patch.defaultVariant === undefined) patch.defaultVariant = MADE.defaultVariant;
    }
    if (!isRuled) return patch;
    const known = variants ?? patch.variants!;
    for (const name of chosen) {
      if (!Object.hasOwn(known, name))
        throw usage(
          `--then ${name} is not a variant of the flag`,
          `choose one of ${Object.keys(known).join(", ")}`,
        );
    }
    const pairs = conditions.flatMap((condition, index) => [conditionRule(condition), chosen[index]]);
    const share = rollout === undefined ? undefined : shareRule(rollout, known);
    if (pairs.length === 0) patch.targeting = share!;
    else patch.targeting = { if: share === undefined ? pairs : [...pairs, share] };
    return patch;
  };
  const changesRule = isRuled || endsRollout || own.targeting !== undefined;
  return { needsFlag: changesRule || own.variants != null, patchFor };
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

/** The condition of an `--if` as a rule. Throws `invalid`. */
function conditionRule(text: string): Record<string, unknown> {
  try {
    return ruleOfCondition(text);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const or = "repeat the two options: --if 'plan == pro' --then on --if 'country == AT' --then on";
    const hint = error.reason === "condition-or" ? `${or}; ${error.hint}` : error.hint;
    throw usage(`--if: ${error.message}`, hint ?? undefined);
  }
}

const EXAMPLES = {
  "--variants": '{"on":true,"off":false}',
  "--targeting": '{"if":[{"ends_with":[{"var":"email"},"@example.com"]},"on"]}',
};

async function jsonOrNone(text: string, option: keyof typeof EXAMPLES, input: Input): Promise<unknown> {
  return isUnset(text) ? null : jsonObject(text, option, EXAMPLES[option], input);
}

/** `3 variants, rule`; nothing for a plain flag. */
export function rulesSummary({ variants, targeting }: FlagDetail): string {
  if (variants === undefined) return "";
  const count = Object.keys(variants).length;
  const rule = hasRule(targeting) ? ", rule" : "";
  return `${count} variant${count === 1 ? "" : "s"}${rule}`;
}
