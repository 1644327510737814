import { isObject } from "../../base/json.ts";
import { keepLast } from "../../base/keep.ts";
import { sourceInWords } from "../source-card.ts";
import type { Segment } from "../segment.ts";
import { conditionInWords } from "./condition-words.ts";
import { hasRule, isShare, rowsOfRule } from "./rule-rows.ts";
import { type FlagRules, parseRules } from "./rules.ts";
import { sharesOf, switchOf } from "./shares.ts";

/** The part of a flag that chooses what its readers get; a plain flag has no variants. */
type Ruled = { variants?: unknown; defaultVariant?: unknown; targeting?: unknown };

/** The words for a rule that has no others. */
export const OWN_RULE = "a rule of its own";

/** Characters of a rule as JSON beyond which it is not put into words. */
export const MAX_RULE = 16_384;

/**
 * The rule of a flag in words, such as `segment staff: on; 25 % of users on; everyone else off`. Returns `a rule of its
 * own` if words cannot express it, and an empty text for a flag without variants.
 */
export function ruleSentence(rules: Ruled): string {
  return ruleClauses(rules)?.join("; ") ?? OWN_RULE;
}

/** The clauses of a rule, of which the first that holds decides; none for a plain flag, null as for `ruleSentence`. */
export function ruleClauses({ variants, defaultVariant, targeting }: Ruled): string[] | null {
  if (variants === undefined || variants === null) return [];
  const fallback = typeof defaultVariant === "string" ? defaultVariant : "no value";
  if (targeting === undefined || targeting === null) return [`everyone ${fallback}`];
  if (!isObject(targeting)) return null;
  if (!hasRule(targeting)) return [`everyone ${fallback}`];
  if (JSON.stringify(targeting).length > MAX_RULE) return null;
  const { rows, rest } = rowsOfRule(targeting) ?? { rows: [], rest: targeting };
  const clauses = rows.map(({ condition, result }) => rowInWords(condition, result, fallback));
  const last = restInWords(rest, fallback);
  return last !== null && clauses.every((clause) => clause !== null) ? [...clauses, ...last] : null;
}

/** Characters of rules beyond which a cell of a table has no room for their words. */
const MAX_CELL = 2048;
const MAX_KEPT = 1000;
const sentences = keepLast<string>(MAX_KEPT);

/** The sentence for rules as JSON text; an empty one without a rule. A table shows hundreds, so the last are kept. */
export function ruleInCell(rules: string): string {
  if (rules.length > MAX_CELL) return OWN_RULE;
  return sentences(rules, () => {
    const parsed = parseRules(rules);
    return hasRule(parsed.targeting) ? ruleSentence(parsed) : "";
  });
}

const shares = keepLast<string | null>(MAX_KEPT);

/** The percentage of everyone else who get true by rules as JSON text; null for other variants, and rules of another kind. */
export function everyoneShare(rules: string): string | null {
  if (rules.length > MAX_RULE) return null;
  return shares(rules, () => readShare(parseRules(rules)));
}

function readShare({ variants, defaultVariant, targeting }: FlagRules): string | null {
  const states = switchOf(variants);
  if (states === null) return null;
  const rest = !hasRule(targeting) || isShare(targeting) ? targeting : rowsOfRule(targeting)?.rest;
  const split = sharesOf(rest);
  if (split) return split.find(({ variant }) => variant === states.on)?.percent ?? "0";
  const served = typeof rest === "string" ? rest : defaultVariant;
  return served === states.on ? "100" : "0";
}

/** The rule of a segment in words: who belongs to it. */
export function segmentSentence(rule: unknown): string {
  if (typeof rule === "boolean") return rule ? "everyone" : "no one";
  return (JSON.stringify(rule) ?? "").length > MAX_RULE ? OWN_RULE : (conditionInWords(rule) ?? OWN_RULE);
}

/** A segment in words: its rule, or the form that fills it. */
export function segmentInWords({ rule, source }: Pick<Segment, "rule" | "source">): string {
  return source ? sourceInWords(source) : segmentSentence(rule);
}

function rowInWords(condition: unknown, result: unknown, fallback: string): string | null {
  const who = conditionInWords(condition);
  if (who === null) return null;
  if (result === null) return `${who}: ${fallback}`;
  if (typeof result === "string") return `${who}: ${result}`;
  const shares = sharesOf(result);
  return shares && `${who}: ${shares.map(({ variant, percent }) => `${percent} % ${variant}`).join(", ")}`;
}

/** Readers without a targetingKey get the default, as everyone else does if that is the last share. */
function restInWords(rest: unknown, fallback: string): string[] | null {
  if (rest === undefined || rest === null) return [`everyone else ${fallback}`];
  if (typeof rest === "string") return [`everyone else ${rest}`];
  const shares = sharesOf(rest);
  if (shares === null) return null;
  const isLast = shares.length > 1 && shares.at(-1)!.variant === fallback;
  const named = isLast ? shares.slice(0, -1) : shares;
  return [
    ...named.map(({ variant, percent }) => `${percent} % of users ${variant}`),
    isLast ? `everyone else ${fallback}` : `without a targetingKey ${fallback}`,
  ];
}
