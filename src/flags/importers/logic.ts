import { isObject } from "../../base/json.ts";
import { momentOf } from "../../evaluator/moments.ts";
import { spend, Unsupported } from "./draft.ts";

/** Rules in JSONLogic for the importers. A condition is an operation, or true or false where that is known. */
export type Rule = boolean | { [operation: string]: unknown };

export function and(...rules: readonly Rule[]): Rule {
  spend(rules.length + 1);
  const parts = rules.filter((rule) => rule !== true);
  if (parts.includes(false)) return false;
  return parts.length === 0 ? true : parts.length === 1 ? parts[0]! : { and: parts };
}

export function or(...rules: readonly Rule[]): Rule {
  spend(rules.length + 1);
  const parts = rules.filter((rule) => rule !== false);
  if (parts.includes(true)) return true;
  return parts.length === 0 ? false : parts.length === 1 ? parts[0]! : { or: parts };
}

export function not(rule: Rule): Rule {
  return typeof rule === "boolean" ? !rule : { "!": [rule] };
}

/**
 * An attribute of the context by its steps, each a name without dots. Throws `Unsupported`, also for a step that would read
 * an element or the length of a list or text, which other services do not read.
 */
export function attribute(...steps: readonly string[]): { var: string } {
  for (const [at, step] of steps.entries())
    if (step === "" || /[.\\]/.test(step) || (at > 0 && /^(?:\d+|length)$/.test(step)))
      throw new Unsupported(`an attribute named ${JSON.stringify(step)} cannot be read by a rule`);
  return { var: steps.join(".") };
}

type Operand = { [operation: string]: unknown };

export const isGiven = (value: Operand): Rule => ({ "!==": [value, null] });

export const isText = (value: Operand): Rule => ({ starts_with: [value, ""] });

export function isList(value: { var: string }): Rule {
  return and(not(isText(value)), { "!==": [{ var: `${value.var}.length` }, null] });
}

/** Whether an attribute is a number: texts and lists have a length, and true and false are not equal to any sum. */
export function isNumber(value: { var: string }): Rule {
  return and(
    isGiven(value),
    { "===": [{ var: `${value.var}.length` }, null] },
    { "===": [value, { "+": [value, 0] }] },
  );
}

/** Texts of numbers. */
export const NUMERIC = String.raw`^\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*$`;

/** Whether an attribute is a number, or a text of one, that compares so. */
export function numeric(value: { var: string }, symbol: string, wanted: number): Rule {
  return and(or({ matches: [value, NUMERIC] }, isNumber(value)), { [symbol]: [value, wanted] });
}

/** Whether a value is exactly one of some texts, numbers, true or false. */
export function isOneOf(value: Operand, values: readonly unknown[]): Rule {
  if (values.length === 0) return false;
  return values.length === 1 ? { "===": [value, values[0]] } : { in: [value, [...values]] };
}

/** Whether an attribute is a text that contains another. */
export function contains(value: Operand, text: string): Rule {
  return and(isText(value), { in: [text, value] });
}

/** A text as a value of the context may have it: the text, and the number or truth with the same text. */
export function writings(text: string): unknown[] {
  if (text === "true" || text === "false") return [text, text === "true"];
  return String(Number(text)) === text && Number.isFinite(Number(text)) ? [text, Number(text)] : [text];
}

/** Text of a pattern that stands for exactly this text. */
export function literally(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}

/** A version as the rules of semantic versions have it, without a leading v. */
const VERSION = String.raw`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-((0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(\+([0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*))?$`;

export function isVersion(text: string): boolean {
  return text.length <= 200 && new RegExp(VERSION).test(text);
}

/**
 * A rule for whether an attribute is a complete version that compares in this way; `sem_ver` alone also accepts `v1`.
 */
export function version(value: Operand, operator: string, wanted: string): Rule {
  return and({ matches: [value, VERSION] }, { sem_ver: [value, operator, wanted] });
}

/** The time of the evaluation, in milliseconds. */
export const NOW: Operand = { "*": [{ var: "$flagd.timestamp" }, 1000] };

/** A moment of a file as rules have it: a time with its zone, a day in UTC, or milliseconds. Throws `Unsupported`. */
export function moment(value: unknown): string | number {
  if (momentOf(value) !== undefined) return value as string | number;
  if (typeof value === "string" && momentOf(`${value}T00:00:00Z`) !== undefined) return `${value}T00:00:00Z`;
  throw new Unsupported(`${JSON.stringify(value)} is not a time with its zone`);
}

/** A share of readers, with the text that is hashed before their key. */
export type Bucketing = {
  /** The attribute whose value is hashed. */
  by: { var: string };
  /** The text before it; the key of the flag where it is that of the flag. */
  salt: string;
  /** The key of the flag that has the rule. */
  flag: string;
};

/**
 * The results by their weights, for readers with the attribute; others get null. The same salt puts a reader at the same
 * place in each flag.
 */
export function fractional({ by, salt, flag }: Bucketing, shares: readonly (readonly [string, number])[]) {
  const weighted = shares.filter(([, weight]) => weight > 0);
  // The library adds the key of the flag itself, and takes only texts.
  if (by.var === "targetingKey" && salt === flag) return { fractional: weighted };
  return { if: [hasText(by), { fractional: [{ cat: [salt, by] }, ...weighted] }, null] };
}

/** Whether an attribute can be hashed: a text that is not empty, or a number. */
export function hasText(by: { var: string }): Rule {
  return or(and(isText(by), { "!==": [by, ""] }), isNumber(by));
}

/** A rule for whether a reader is in a share of `percent`, to three decimals. */
export function isInShare(bucketing: Bucketing, percent: number): Rule {
  const whole = Number.isInteger(percent) ? 100 : 100_000;
  const weight = Math.round((Math.min(100, Math.max(0, percent)) * whole) / 100);
  if (weight === 0) return false;
  const shares = [["in", weight] as const, ["out", whole - weight] as const];
  return { "===": [fractional(bucketing, shares), "in"] };
}

/** Conditions with what readers get for whom they are the first that holds. */
export type Chain = (readonly [condition: Rule, result: unknown])[];

/** A chain as a rule: the result of everyone, or an `if`. */
export function chained(chain: Chain, rest: unknown): unknown {
  const args: unknown[] = [];
  for (const [condition, result] of chain) {
    if (condition === false) continue;
    if (condition === true) return args.length === 0 ? result : { if: [...args, result] };
    args.push(condition, result);
  }
  return args.length === 0 ? rest : { if: [...args, ...(rest === null ? [] : [rest])] };
}

/** An object of a file. Throws `Unsupported` for anything else. */
export function objectOf(value: unknown, path: string): Record<string, unknown> {
  if (isObject(value)) return value;
  throw new Unsupported(`${path} is not an object`);
}

/** A list in a file; empty if it is missing. Throws `Unsupported` for any other value. */
export function listOf(value: unknown, path: string): unknown[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value;
  throw new Unsupported(`${path} is not a list`);
}

/** A list of texts in a file; empty if it is missing. Throws `Unsupported` for any other value. */
export function textsOf(value: unknown, path: string): string[] {
  const list = listOf(value, path);
  if (list.every((each) => typeof each === "string")) return list;
  throw new Unsupported(`${path} is not a list of texts`);
}
