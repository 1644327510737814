import { isObject } from "../../base/json.ts";

type Rule = Readonly<Record<string, unknown>>;

/** A rule of rows: each reader gets the result of the first condition that holds, or else the rest. */
type RuleRows = {
  rows: { condition: unknown; result: unknown }[];
  /** Undefined if the rule has none. */
  rest: unknown;
};

/** The rows of a rule that is an `if`; null for any other rule. */
export function rowsOfRule(rule: Rule): RuleRows | null {
  const [[name, args] = [], ...more] = Object.entries(rule);
  if (name !== "if" || more.length > 0 || !Array.isArray(args) || args.length === 0) return null;
  const rows: RuleRows["rows"] = [];
  for (let at = 0; at + 1 < args.length; at += 2) rows.push({ condition: args[at], result: args[at + 1] });
  return { rows, rest: args.length % 2 === 1 ? args.at(-1) : undefined };
}

/** Whether a rule splits all users by weight. */
export function isShare(rule: unknown): boolean {
  return isObject(rule) && Object.keys(rule).length === 1 && "fractional" in rule;
}

/** Whether a rule splits users by weight: all users, or those who match no condition. */
export function endsInShare(rule: Rule | undefined): boolean {
  return isShare(rule) || (rule !== undefined && isShare(rowsOfRule(rule)?.rest));
}

/** `{}` is no rule. */
export function hasRule(rule: Rule | undefined): rule is Rule {
  return rule !== undefined && Object.keys(rule).length > 0;
}
