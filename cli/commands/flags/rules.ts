import { type Command, Option } from "commander";
import { AppError } from "../../../src/base/errors.ts";
import { parseComparison, ruleOfComparison } from "../../../src/flags/conditions.ts";
import type { Flag } from "../../../src/flags/flag.ts";
import type { Preview } from "../../../src/flags/preview.ts";
import type { FlagRules, RulesPatch } from "../../../src/flags/rules.ts";
import type { Input } from "../../session/input.ts";
import { jsonObject } from "../../session/sources.ts";
import { usage } from "../../session/usage.ts";

/** A flag as the admin API shows it. */
export type FlagDetail = Flag & Partial<FlagRules> & Partial<Preview>;

type RuleOptions = {
  variants?: string;
  default?: string;
  targeting?: string;
  rollout?: string;
  if?: string[];
  then?: string[];
};

const append = (text: string, earlier: string[] = []) => [...earlier, text];

/** The options of `flags set` that give a flag variants and rules. */
export function withRules(command: Command): Command {
  return command
    .option("--variants <json>", 'its values by name: JSON such as {"on":true,"off":false}, @FILE, or none')
    .option("--default <variant>", "the variant that is served where no rule selects one, or none")
    .addOption(
      new Option("--targeting <json>", "the rule, in flagd's language: JSON, @FILE, or none").conflicts([
        "rollout",
        "if",
      ]),
    )
    .option("--rollout <percent>", "on for that share of the users; the same user is always in or out")
    .addOption(
      new Option("--if <condition>", "who gets the variant of the --then after it; repeatable").argParser(
        append,
      ),
    )
    .addOption(new Option("--then <variant>", "what they get; repeatable").argParser(append));
}

type Variants = FlagRules["variants"];

/** The change by the options of `withRules`, as far as it is known before the flag is read. */
export type RulesChange = {
  /** Whether it depends on the variants that the flag has. */
  needsVariants: boolean;
  /** The change of a flag with these variants; undefined for a plain or a new one. Throws `invalid`. */
  patchFor: (variants: Variants | undefined) => RulesPatch;
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
  const { rollout, if: conditions = [], then: chosen = [] } = given;
  if (conditions.length !== chosen.length)
    throw usage(
      `there are ${conditions.length} --if and ${chosen.length} --then`,
      "each --if needs a --then: --if 'email ends_with @example.com' --then on",
    );
  const isRuled = rollout !== undefined || conditions.length > 0;
  if (!isRuled && own.targeting == null) return { needsVariants: false, patchFor: () => own };

  const patchFor = (existing: Variants | undefined) => {
    const patch = { ...own };
    const variants = patch.variants ?? (patch.variants === null ? undefined : existing);
    if (variants === undefined) {
      patch.variants = { on: true, off: false };
      if (patch.defaultVariant === undefined) patch.defaultVariant = "off";
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
  return { needsVariants: own.variants === undefined, patchFor };
}

/** The condition of an `--if` as a rule. Throws `invalid`. */
function conditionRule(text: string): Record<string, unknown> {
  try {
    return ruleOfComparison(parseComparison(text));
  } catch (error) {
    throw error instanceof AppError ? usage(`--if: ${error.message}`, error.hint ?? undefined) : error;
  }
}

const EXAMPLES = {
  "--variants": '{"on":true,"off":false}',
  "--targeting": '{"if":[{"ends_with":[{"var":"email"},"@example.com"]},"on"]}',
};

async function jsonOrNone(text: string, option: keyof typeof EXAMPLES, input: Input): Promise<unknown> {
  return text === "none" ? null : jsonObject(text, option, EXAMPLES[option], input);
}

/**
 * A rule that splits users between true and false; true comes first, so that a growing share keeps the users it has.
 */
function shareRule(percent: string, variants: FlagRules["variants"]): Record<string, unknown> {
  const match = /^(\d{1,3})(?:\.(\d{1,4}))?%?$/.exec(percent);
  if (!match || Number.parseFloat(percent) > 100)
    throw usage(
      `--rollout ${percent} is not a share`,
      "write a percentage from 0 to 100, such as 25 or 12.5",
    );
  const entries = Object.entries(variants);
  const on = entries.find(([, value]) => value === true)?.[0];
  const off = entries.find(([, value]) => value === false)?.[0];
  if (entries.length !== 2 || on === undefined || off === undefined)
    throw usage(
      "--rollout is for a flag with two variants, true and false",
      `write the shares with --targeting, such as ${sharesOf(Object.keys(variants))}`,
    );
  // flagd takes whole numbers only.
  const decimals = (match[2] ?? "").replace(/0+$/, "");
  const weight = Number(match[1]! + decimals);
  return {
    fractional: [
      [on, weight],
      [off, 100 * 10 ** decimals.length - weight],
    ],
  };
}

function sharesOf(names: string[]): string {
  return `'${JSON.stringify({ fractional: names.map((name) => [name, 1]) })}'`;
}

/** `3 variants, rule`; nothing for a plain flag. */
export function rulesSummary({ variants, targeting }: FlagDetail): string {
  if (variants === undefined) return "";
  const count = Object.keys(variants).length;
  const rule = targeting && Object.keys(targeting).length > 0 ? ", rule" : "";
  return `${count} variant${count === 1 ? "" : "s"}${rule}`;
}
