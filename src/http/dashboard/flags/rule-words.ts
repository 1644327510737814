import { isObject } from "../../../base/json.ts";
import { type Condition, conditionsOf } from "../../../flags/conditions.ts";

/** What operators of conditions are called, in the order in which they are offered. */
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
};

/**
 * A rule in words, a line for each of its rows: `email ends with @example.com → on`, `everybody: 25 % on, 75 % off`. Null for a rule
 * that is written in another way; no lines for no rule.
 */
export function ruleInWords(targeting: unknown): string[] | null {
  const rows = conditionsOf(targeting);
  if (rows !== null) return rows.map(conditionInWords);
  const whole = sharesInWords(targeting);
  if (whole !== null) return [`everybody: ${whole}`];
  const args = isObject(targeting) ? targeting["if"] : undefined;
  if (!Array.isArray(args) || args.length < 3 || args.length % 2 === 0) return null;
  const [before, share] = [conditionsOf({ if: args.slice(0, -1) }), sharesInWords(args.at(-1))];
  return before === null || share === null
    ? null
    : [...before.map(conditionInWords), `everybody else: ${share}`];
}

function conditionInWords({ attribute, operator, value, variant }: Condition): string {
  return `${attribute} ${OPERATOR_WORDS[operator] ?? operator} ${value} → ${variant}`;
}

/** A split of users by weight, as `25 % on, 75 % off`. */
function sharesInWords(rule: unknown): string | null {
  const buckets = isObject(rule) && Object.keys(rule).length === 1 ? rule["fractional"] : undefined;
  if (!Array.isArray(buckets) || buckets.length === 0) return null;
  const shares = buckets.map((bucket: unknown) => {
    const [variant, weight = 1] = Array.isArray(bucket) ? (bucket as unknown[]) : [];
    return typeof variant === "string" && typeof weight === "number" && weight >= 0
      ? { variant, weight }
      : null;
  });
  if (!shares.every((share) => share !== null)) return null;
  const total = shares.reduce((sum, { weight }) => sum + weight, 0);
  if (total === 0) return null;
  const percent = (weight: number) => Number(((weight / total) * 100).toFixed(2)).toLocaleString("en");
  return shares.map(({ variant, weight }) => `${percent(weight)} % ${variant}`).join(", ");
}
