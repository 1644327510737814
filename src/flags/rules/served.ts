import { isObject } from "../../base/json.ts";
import { hasRule, rowsOfRule } from "./rule-rows.ts";
import type { FlagRules } from "./rules.ts";
import { sharesOf } from "./shares.ts";

/** The variants that a flag with these rules can serve while it is on: its default, and the results of its rule. Null for any. */
export function servedVariants({ targeting, defaultVariant }: FlagRules): Set<string> | null {
  const results = hasRule(targeting) ? resultsOf(targeting) : [];
  return results && new Set([...results, ...(defaultVariant == null ? [] : [defaultVariant])]);
}

/** The variants that a rule yields, of shares the ones above 0; null for a rule of another kind, which may yield any. */
function resultsOf(rule: unknown): string[] | null {
  if (rule === null || rule === undefined) return [];
  if (typeof rule === "string") return [rule];
  if (typeof rule === "boolean" || typeof rule === "number") return [String(rule)];
  if (!isObject(rule)) return null;
  const shares = sharesOf(rule);
  if (shares)
    return shares.flatMap(({ variant, percent, isExact }) => (percent === "0" && isExact ? [] : variant));
  const table = rowsOfRule(rule);
  if (table === null) return null;
  const all = [...table.rows.map(({ result }) => result), table.rest].map(resultsOf);
  return all.includes(null) ? null : all.flatMap((each) => each!);
}
