import { compileFlag, subjectOf } from "../flagd/evaluate.ts";
import { type Needing, Unsupported } from "./draft.ts";
import { conditionRule } from "./growthbook-conditions.ts";
import { listOf, objectOf, type Rule } from "./logic.ts";

export type Json = Record<string, unknown>;

/** The features of a file. */
export type Features = {
  byKey: Map<string, Feature | Unsupported>;
  groups: Json;
  /** Conditions on other features, each compiled once: a feature may be needed many times. */
  conditions: Map<unknown, (value: unknown) => boolean>;
};

/** A feature with its values, each of them once, and the names of these. */
export type Feature = {
  key: string;
  path: string;
  fallback: unknown;
  rules: Json[];
  values: unknown[];
  names: string[];
  /** The names by the JSON of the values. */
  byText: ReadonlyMap<string, string>;
};

/** The feature without the gates before its first value, which are what the flag needs. */
export function withoutGates(all: Features, feature: Feature, need: Needing): Feature {
  const rules: Json[] = [];
  for (const rule of feature.rules) {
    const parents = listOf(rule["parentConditions"], "parentConditions");
    const kept = parents.findIndex((each) => !isNeeded(all, each, need));
    rules.push({ ...rule, parentConditions: kept < 0 ? [] : parents.slice(kept) });
    if (kept >= 0 || "force" in rule || "variations" in rule) break;
  }
  return { ...feature, rules: [...rules, ...feature.rules.slice(rules.length)] };
}

/** Adds a gate to what a flag needs; false for one that it cannot need. */
function isNeeded(all: Features, given: unknown, need: Needing): boolean {
  const { id, condition, gate } = objectOf(given, "a parent condition");
  const parent = all.byKey.get(String(id));
  if (gate !== true || !parent || parent instanceof Unsupported) return false;
  const holds = holdsOf(all, condition);
  const variants = parent.names.filter((_, at) => holds(parent.values[at]));
  if (variants.length === 0 || holds(null)) return false;
  need({ flag: parent.key, variants });
  return true;
}

/** The condition on the value of another feature, compiled once. */
export function holdsOf({ conditions, groups }: Features, condition: unknown): (value: unknown) => boolean {
  const holds =
    conditions.get(condition) ??
    holdsFor(conditionRule(condition ?? {}, { groups, note: () => {}, within: [] }));
  conditions.set(condition, holds);
  return holds;
}

/** Evaluates a condition on the value of another feature. */
function holdsFor(rule: Rule): (value: unknown) => boolean {
  if (typeof rule === "boolean") return () => rule;
  const evaluate = compileFlag(
    "condition",
    { variants: { on: true }, targeting: { if: [rule, "on"] } },
    new Map(),
  );
  return (value) => {
    const result = evaluate(subjectOf({ value }));
    if ("errorCode" in result) throw new Unsupported("the condition on another feature cannot be evaluated");
    return result.value === true;
  };
}
