import { AppError } from "../../../../src/base/errors.ts";
import { shellWord } from "../../../../src/base/shell.ts";
import { formatDuration } from "../../../../src/base/units.ts";
import type { FlagPatch, FlagRecord } from "../../../../src/flags/flag.ts";
import { partsOf, type Release, type ReleasePlan } from "../../../../src/flags/release/release.ts";
import { conditionInWords } from "../../../../src/flags/rules/condition-words.ts";
import { applyRules, parseRules, type RulesPatch } from "../../../../src/flags/rules/rules.ts";
import { shareInWords } from "../../../../src/flags/rules/shares.ts";
import type { Input } from "../../../session/input.ts";
import type { Place } from "../place.ts";
import { type FlagDetail, readRules, type RuleOptions } from "../rules.ts";

type Known = {
  place: Place;
  flag: FlagDetail;
  record: Pick<FlagRecord, "rules">;
  /** The name of an experiment. */
  trial: string;
};

/** The words of a command without questions that does the same as a release. */
export async function sameAs(
  release: Release,
  plan: ReleasePlan,
  { place: { project, environment, flag: slug }, flag, record, trial }: Known,
): Promise<string[]> {
  const place = ["-p", project, "-e", environment];
  switch (plan.operation) {
    case "ramp": {
      const { variant, to, every, within, thenEveryone, guards = [], onGuard } = plan.course;
      const course = ["--variant", variant, "--to", to.join(","), "--every", formatDuration(every)];
      if (within) course.push("--within", conditionInWords(within) ?? "");
      if (thenEveryone) course.push("--then-everyone");
      course.push(...guards.flatMap((guard) => ["--guard", guard]));
      if (onGuard === "rollback") course.push("--on-guard", onGuard);
      return ["flags", "ramp", slug, ...place, ...course];
    }
    case "experiment": {
      const { metrics, control, split, minDays } = plan.design;
      const weights = Object.entries(split).map(([variant, weight]) => `${variant}:${weight}`);
      const design = ["--control", control, "--split", weights.join(","), "--min-days", String(minDays)];
      const counted = metrics.flatMap((metric) => ["--metric", metric]);
      return ["experiments", "create", trial, ...place, "--flag", slug, ...counted, ...design, "--start"];
    }
    case "set":
    case "schedule":
    case "setFor":
    default: {
      const words = ["flags", "set", slug, ...place, "--on", ...(await ruleWords(plan.patch, flag, record))];
      if (plan.operation === "schedule") words.push("--at", plan.at);
      if (plan.operation === "setFor") words.push("--for", formatDuration(release.span));
      return words;
    }
  }
}

/** A command as a shell reads it. */
export function commandLine(words: readonly string[]): string {
  return ["formflag", ...words.map(shellWord)].join(" ");
}

/** The options for the rule of a patch: in words where they make the same rule, otherwise in JSON. */
async function ruleWords(patch: FlagPatch, flag: FlagDetail, { rules }: Known["record"]): Promise<string[]> {
  const { variants, targeting = null, defaultVariant } = patch;
  if (!variants) return [];
  const options = optionsInWords(patch, rules);
  if (options !== null && (await makes(options, patch, flag, rules))) return wordsOf(options);
  return wordsOf({
    variants: JSON.stringify(variants),
    default: defaultVariant ?? "none",
    targeting: targeting === null ? "none" : JSON.stringify(targeting),
  });
}

/** The options of a rule whose conditions and shares have words; null for another. */
function optionsInWords(
  { variants, targeting, defaultVariant }: FlagPatch,
  before: string | null,
): RuleOptions | null {
  const held = before === null ? "off" : parseRules(before).defaultVariant;
  const own = defaultVariant && defaultVariant !== held ? defaultVariant : undefined;
  const { rows, rest } = partsOf({ targeting: targeting ?? undefined });
  const resultOf = (result: unknown) =>
    typeof result === "string" ? result : shareInWords(result, variants!);
  const words = rows.map((each, at) => (at % 2 === 0 ? conditionInWords(each) : resultOf(each)));
  const last = rest === undefined ? undefined : resultOf(rest);
  if ([...words, last].includes(null)) return null;
  const rollout = /^(\d+(?:\.\d+)?) %$/.exec(last ?? "")?.[1];
  const named: [keyof RuleOptions, unknown][] = [
    ["if", words.length > 0 ? words.filter((_, at) => at % 2 === 0) : undefined],
    ["then", words.length > 0 ? words.filter((_, at) => at % 2 === 1) : undefined],
    ["rollout", rollout],
    ["else", rollout === undefined ? last : undefined],
    ["targeting", targeting ? undefined : "none"],
    ["default", own],
  ];
  return Object.fromEntries(named.filter(([, value]) => value !== undefined)) as RuleOptions;
}

/** Whether the options make the rules that a patch makes. */
async function makes(
  options: RuleOptions,
  patch: FlagPatch,
  flag: FlagDetail,
  rules: string | null,
): Promise<boolean> {
  try {
    const own: RulesPatch = (await readRules({ options } as unknown as Input)).patchFor(flag);
    return applyRules(rules, own) === applyRules(rules, patch);
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

function wordsOf(options: RuleOptions): string[] {
  const { if: conditions = [], then: chosen = [], ...others } = options;
  const pairs = conditions.flatMap((condition, at) => ["--if", condition, "--then", chosen[at]!]);
  const rest = Object.entries(others).flatMap(([name, value]) => [`--${name}`, String(value)]);
  return [...pairs, ...rest];
}
