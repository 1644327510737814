import { isObject } from "../../base/json.ts";
import { comparisonOf, OPERATOR_WORDS } from "./conditions.ts";
import { hasRule, rowsOfRule } from "./rule-rows.ts";

/**
 * A rule in words, a line for each of its rows: `email ends with @example.com → on`, `everybody: 25 % on, 75 % off`. Null
 * for a rule that is written in another way; no lines for no rule.
 */
export function ruleInWords(targeting: unknown): string[] | null {
  if (targeting === undefined || targeting === null) return [];
  if (!isObject(targeting)) return null;
  if (!hasRule(targeting)) return [];
  const whole = sharesInWords(targeting);
  if (whole !== null) return [`everybody: ${whole}`];
  const { rows, rest } = rowsOfRule(targeting) ?? {};
  if (!rows) return null;
  const lines = rows.map(({ condition, result }) => rowInWords(conditionInWords(condition), result));
  if (rest !== undefined && rest !== null) lines.push(rowInWords("everybody else", rest));
  return lines.every((line) => line !== null) ? lines : null;
}

function rowInWords(who: string | null, result: unknown): string | null {
  if (who === null) return null;
  if (typeof result === "string") return `${who} → ${result}`;
  const shares = sharesInWords(result);
  return shares === null ? null : `${who}: ${shares}`;
}

/** A comparison, a segment, or several that all have to hold; null for any other condition. */
function conditionInWords(rule: unknown): string | null {
  const comparison = comparisonOf(rule);
  if (comparison !== null) {
    const { attribute, operator, value } = comparison;
    return `${attribute} ${OPERATOR_WORDS[operator] ?? operator} ${value}`;
  }
  const [[name, args] = [], ...more] = isObject(rule) ? Object.entries(rule) : [];
  if (more.length > 0) return null;
  if (name === "$ref" && typeof args === "string") return `in the segment ${args}`;
  if (name !== "and" || !Array.isArray(args) || args.length === 0) return null;
  const parts = args.map((part: unknown) =>
    isObject(part) && !comparisonOf(part) && "and" in part ? null : conditionInWords(part),
  );
  return parts.every((part) => part !== null) ? parts.join(" and ") : null;
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
