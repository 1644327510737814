import { AppError } from "../../base/errors.ts";
import { isObject } from "../../base/json.ts";
import { type Comparison, comparisonOf, ruleOfComparison } from "./conditions.ts";

/** The rule of a segment as rows: readers belong to it for whom all of them hold, or any of them. */
export type SegmentRows = { join: "all" | "any"; rows: Comparison[] };

/** The rule that rows stand for. Throws `invalid` for no row, and as `ruleOfComparison`. */
export function ruleOfRows({ join, rows }: SegmentRows): Record<string, unknown> {
  const [first, ...more] = rows.map(ruleOfComparison);
  if (!first) throw new AppError("invalid", "a segment has at least one condition");
  return more.length === 0 ? first : { [join === "all" ? "and" : "or"]: [first, ...more] };
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
