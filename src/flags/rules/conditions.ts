import { formatBytes } from "../../base/bytes.ts";
import { AppError } from "../../base/errors.ts";
import { isObject } from "../../base/json.ts";
import { findRuleFault } from "../flagd/shape.ts";
import { RULE_LIMITS } from "../limits.ts";
import {
  bareText,
  itemText,
  listOf,
  orderedOf,
  isLiteral,
  orderedText,
  patternText,
  plainText,
  scalarText,
  textOf,
  unquoted,
  valueOf,
} from "./condition-values.ts";

/** Operators of conditions and their names for people, in the order of menus. */
export const OPERATOR_WORDS: Readonly<Record<string, string>> = {
  "==": "is",
  "!=": "is not",
  "<": "is less than",
  "<=": "is at most",
  ">": "is more than",
  ">=": "is at least",
  in: "is one of",
  contains: "contains",
  starts_with: "starts with",
  ends_with: "ends with",
  sem_ver: "is a version",
  matches: "matches",
  in_cidr: "is in network",
  before: "is before",
  after: "is after",
};

export const OPERATORS: readonly string[] = Object.keys(OPERATOR_WORDS);

/**
 * Compares an attribute of the context, such as `email`, with a value as people write it: `@example.com`, `18`, `"5"`
 * for a text, `AT, DE` after `in`, `>= 2.1.0` after `sem_ver`, `10.0.0.0/8, 192.168.0.0/16` after `in_cidr`.
 */
export type Comparison = { attribute: string; operator: string; value: string };

type Rule = Record<string, unknown>;

/** `email ends_with @example.com` as a comparison. Throws `invalid` for a text without three parts. */
export function parseComparison(text: string): Comparison {
  const match = /^\s*(\S+)\s+(\S+)\s+(\S.*)$/s.exec(text);
  if (!match) throw invalid(`"${text}" is not a condition`);
  const [, attribute, operator, rest] = match as unknown as [string, string, string, string];
  return { attribute, operator, value: rest.trim() };
}

/** A comparison as `parseComparison` reads it. */
export function printComparison({ attribute, operator, value }: Comparison): string {
  return `${attribute} ${operator} ${value}`;
}

/** A comparison as a rule in JSONLogic. Throws `invalid` for an attribute, operator or value that is none. */
export function ruleOfComparison({ attribute: name, operator, value: given }: Comparison): Rule {
  const value = given.trim();
  if (!/^[^\s"'()[\]{},<>=!&|]+$/.test(name))
    throw invalid("an attribute is one word, such as email or user.plan");
  if (value === "") throw invalid(`the condition on "${name}" has no value`);
  const attribute = { var: name };
  switch (operator) {
    // Strict operators: flagd cannot compare a number with a text that is not a number.
    case "==":
      return { "===": [attribute, valueOf(value)] };
    case "!=":
      return { "!==": [attribute, valueOf(value)] };
    case "in":
      return { in: [attribute, listOf(value)] };
    case "contains":
      return { in: [valueOf(value), attribute] };
    case "starts_with":
    case "ends_with":
      return { [operator]: [attribute, bareText(value)] };
    case "sem_ver":
      return { sem_ver: [attribute, ...versionOf(value)] };
    case "matches":
    case "in_cidr":
      return requireOperand({ [operator]: [attribute, operandOf(operator, value)] });
    case "before":
    case "after":
      return requireOperand({
        [operator]: [name === NOW ? TIMESTAMP : attribute, value === NOW ? TIMESTAMP : valueOf(value)],
      });
    case "<":
    case "<=":
    case ">":
    case ">=":
      // A missing attribute would count as 0.
      return { and: [{ "!==": [attribute, null] }, { [operator]: [attribute, orderedOf(value)] }] };
    default:
      throw new AppError("invalid", `unknown operator "${operator}"`, {
        hint: `choose one of ${OPERATORS.join(", ")}`,
      });
  }
}

/** The comparison whose rule this is, null if it is none. */
export function comparisonOf(rule: unknown): Comparison | null {
  const guess = guessComparison(rule);
  if (guess === null) return null;
  try {
    // The comparison must mean exactly the stored rule, so only one that produces the very same rule counts.
    const isSame = Bun.deepEquals(ruleOfComparison(parseComparison(printComparison(guess))), rule, true);
    return isSame ? guess : null;
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

/** The rule of a segment as rows: readers belong to it for whom all of them hold, or any of them. */
export type SegmentRows = { join: "all" | "any"; rows: Comparison[] };

export const RULE_TOO_LARGE = "rule-too-large";

/** Throws `invalid` for words that no definition has room for, since their rule is longer. */
export function requireRoom(words: readonly string[]): void {
  const { bytes } = RULE_LIMITS;
  if (words.reduce((sum, { length }) => sum + length, 0) > bytes)
    throw new AppError("invalid", `a definition has at most ${formatBytes(bytes)} of JSON`, {
      reason: RULE_TOO_LARGE,
    });
}

/** The rule that rows stand for. Throws `invalid` for no row, and as `ruleOfComparison` and `requireRoom`. */
export function ruleOfRows({ join, rows }: SegmentRows): Record<string, unknown> {
  requireRoom(rows.flatMap(({ attribute, operator, value }) => [attribute, operator, value]));
  const [first, ...more] = rows.map(ruleOfComparison);
  if (!first) throw new AppError("invalid", "a segment has at least one condition");
  return more.length === 0 ? first : { [join === "all" ? "and" : "or"]: [first, ...more] };
}

/** The rule that holds if any of these does. */
export function ruleOfAny(rules: readonly Rule[]): Rule {
  return rules.length === 1 ? rules[0]! : { or: rules };
}

/** The rows of a rule, null for one that is not made of rows. `ruleOfRows` makes the same rule of them. */
export function rowsOf(rule: unknown): SegmentRows | null {
  const single = comparisonOf(rule);
  if (single !== null) return { join: "all", rows: [single] };
  const [[name, args] = ["", null], ...others] = isObject(rule) ? Object.entries(rule) : [];
  if (others.length > 0 || (name !== "and" && name !== "or") || !Array.isArray(args) || args.length < 2)
    return null;
  const rows = args.map(comparisonOf);
  return rows.every((row) => row !== null) ? { join: name === "and" ? "all" : "any", rows } : null;
}

function guessComparison(rule: unknown): Comparison | null {
  const [name, args] = operationOf(rule);
  const [first, second, third] = args;
  switch (name) {
    case "===":
      return compared(first, "==", textOf(second));
    case "!==":
      return compared(first, "!=", textOf(second));
    case "in":
      if (Array.isArray(second)) return compared(first, "in", second.map(itemText).join(", "));
      return compared(second, "contains", textOf(first));
    case "starts_with":
    case "ends_with":
      return compared(first, name, plainText(second));
    case "sem_ver":
      return compared(first, name, `${scalarText(second)} ${scalarText(third)}`);
    case "matches":
      return compared(first, name, patternText(second));
    case "in_cidr":
      return compared(
        first,
        name,
        Array.isArray(second) ? second.map(itemText).join(", ") : itemText(second),
      );
    case "before":
    case "after":
      return compared(isTime(first) ? { var: NOW } : first, name, isTime(second) ? NOW : textOf(second));
    case "and": {
      const [operator, [attribute, value]] = operationOf(second);
      return compared(attribute, operator, orderedText(value));
    }
    default:
      return null;
  }
}

function compared(attribute: unknown, operator: string, value: string): Comparison | null {
  const name = isObject(attribute) ? attribute["var"] : undefined;
  return typeof name === "string" ? { attribute: name, operator, value } : null;
}

/** The name and the arguments of an operation; an empty name for what is none. */
function operationOf(rule: unknown): [name: string, args: unknown[]] {
  const [[name, args] = ["", []], ...more] = isObject(rule) ? Object.entries(rule) : [];
  return more.length === 0 && Array.isArray(args) ? [name, args] : ["", []];
}

/** The time of the evaluation, in a condition. */
const NOW = "now";
/** The time of the evaluation, as a rule reads it: in seconds, where other moments are in milliseconds. */
const TIMESTAMP = { var: "$flagd.timestamp" };

function isTime(rule: unknown): boolean {
  return Bun.deepEquals(rule, TIMESTAMP);
}

/** A pattern, or a network or several, which `requireOperand` checks. Throws `invalid`. */
function operandOf(operator: string, value: string): unknown {
  if (operator === "matches") {
    if (!isLiteral(value)) return unquoted(value) ?? value;
    const [, pattern = "", letters = ""] = /^\/(.*)\/([a-z]*)$/s.exec(value) ?? [];
    throw new AppError("invalid", `${value} is a pattern between slashes, as JavaScript writes it`, {
      hint: `write ${letters.includes("i") ? "(?i)" : ""}${pattern}; in quotes, the slashes are part of the pattern`,
    });
  }
  const [first, ...others] = listOf(value);
  return others.length === 0 ? first : [first, ...others];
}

/** Throws `invalid` for a rule that compares with no pattern, network or moment. */
function requireOperand(rule: Rule): Rule {
  const fault = findRuleFault(rule, "", true);
  if (!fault) return rule;
  throw new AppError("invalid", fault.message, {
    hint: "a condition looks like 'email matches (?i)@example[.]com$', 'ip in_cidr 10.0.0.0/8', 'since before 2026-01-31T12:00:00Z'",
  });
}

const VERSION = /^(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}([-+][\w.+-]+)?$/;

/** `>= 2.1.0` as operator and version. */
function versionOf(text: string): [operator: string, version: string] {
  const match = /^(==?|!=|<=?|>=?|~|\^)\s*(\S+)$/.exec(text);
  if (!match) {
    throw new AppError("invalid", `"${text}" does not compare with a version`, {
      hint: "it looks like >= 2.1.0, with =, !=, <, <=, >, >=, ~ or ^",
    });
  }
  const [, operator, version] = match as unknown as [string, string, string];
  if (!VERSION.test(bareText(version))) {
    throw new AppError("invalid", `${version} is not a version`, { hint: "a version looks like 2.1.0" });
  }
  return [operator === "==" ? "=" : operator, bareText(version)];
}

function invalid(message: string): AppError {
  return new AppError("invalid", message, {
    hint: "a condition looks like 'email ends_with @example.com', 'age >= 18 and country in AT, DE'",
  });
}
