import { own } from "../../base/shapes/own.ts";
import { AppError } from "../../base/errors.ts";
import { isObject } from "../../base/json.ts";
import { ruleOfCondition } from "./condition-parser.ts";
import { asOneWord } from "./condition-values.ts";
import { type Comparison, comparisonOf, OPERATOR_WORDS } from "./conditions.ts";

type Joining = "and" | "or" | "not" | null;

/**
 * A condition in the words that `ruleOfCondition` reads as exactly this rule, but for `==` with a text that is no number,
 * which is read as `===`; null for any other rule.
 */
export function conditionInWords(rule: unknown): string | null {
  const strict = withStrictTexts(rule);
  const words = print(strict, null);
  if (words === null) return null;
  try {
    return Bun.deepEquals(ruleOfCondition(words), strict, true) ? words : null;
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

const STRICT: Readonly<Record<string, string>> = { "==": "===", "!=": "!==" };

/** A rule whose comparisons with texts are strict, which is no difference if the text is no number. */
function withStrictTexts(rule: unknown): unknown {
  if (Array.isArray(rule)) return rule.map(withStrictTexts);
  const [[name, args] = [], ...more] = isObject(rule) ? Object.entries(rule) : [];
  if (name === undefined || more.length > 0 || !Array.isArray(args)) return rule;
  const value: unknown = args[1];
  const isText = args.length === 2 && typeof value === "string" && Number.isNaN(Number(value));
  const strict = isText && Object.hasOwn(STRICT, name) ? STRICT[name]! : name;
  return { [strict]: args.map(withStrictTexts) };
}

/** `above` is what joins the condition with others. */
function print(rule: unknown, above: Joining): string | null {
  const comparison = comparisonOf(rule);
  if (comparison !== null) return grouped(comparisonInWords(comparison), above === "not");
  const [[name, args] = [], ...more] = isObject(rule) ? Object.entries(rule) : [];
  if (name === undefined || more.length > 0) return null;
  switch (name) {
    case "$ref":
      return typeof args === "string" ? `segment ${asOneWord(args)}` : null;
    case "!":
      return printNegated(args);
    case "and":
    case "or":
      return printJoined(name, args, above);
    default:
      return null;
  }
}

export function comparisonInWords(
  { attribute, operator, value }: Comparison,
  words = own(OPERATOR_WORDS, operator),
): string {
  const isText = !["in", "in_cidr", "sem_ver"].includes(operator);
  return `${attribute} ${words} ${isText ? asOneWord(value) : value}`;
}

function printNegated(args: unknown): string | null {
  const [rule] = Array.isArray(args) ? (args as unknown[]) : [];
  const comparison = comparisonOf(rule);
  if (comparison?.operator === "in") return comparisonInWords(comparison, "is not one of");
  const words = print(rule, "not");
  return words === null ? null : `not ${words}`;
}

function printJoined(name: "and" | "or", args: unknown, above: Joining): string | null {
  if (!Array.isArray(args) || args.length < 2) return null;
  const parts = args.map((part: unknown) => print(part, name));
  if (!parts.every((part) => part !== null)) return null;
  return grouped(parts.join(` ${name} `), above !== null && !(above === "or" && name === "and"));
}

function grouped(words: string, isGroup: boolean): string {
  return isGroup ? `(${words})` : words;
}
