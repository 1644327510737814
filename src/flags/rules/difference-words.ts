import { isObject } from "../../base/json.ts";
import { type Difference, differencesOf, type IsSame, isUnset } from "../../projects/differences.ts";
import { OWN_RULE, ruleSentence, segmentSentence } from "./rule-words.ts";

/** A difference whose values are rules has them in words; null for a rule that words do not express. */
export type WordedDifference = Difference & { words: { before: string | null; after: string | null } | null };

/** The differences of two states of a flag, a segment or anything else, as `differencesOf`, with rules in words. */
export function differencesInWords(before: unknown, after: unknown, isSame?: IsSame): WordedDifference[] {
  return differencesOf(before, after, isSame).map((difference) => {
    const words = {
      before: fieldInWords(difference.field, difference.before, before),
      after: fieldInWords(difference.field, difference.after, after),
    };
    const isWorded = words.before !== words.after;
    const field = difference.field === "targeting" ? "rule" : difference.field;
    return { ...difference, field, words: isWorded ? words : null };
  });
}

/** A state of a flag as people read it: its rule in words, where words express it. Any other value stays. */
export function withRuleInWords(state: unknown): unknown {
  if (!isObject(state) || isUnset(state["targeting"], "targeting")) return state;
  const words = fieldInWords("targeting", state["targeting"], state);
  if (words === null) return state;
  const members = Object.entries(state).map(([name, value]) =>
    name === "targeting" ? ["rule", words] : [name, value],
  );
  return Object.fromEntries(members);
}

/** `targeting` is the rule of a flag, and `rule` that of a segment. */
function fieldInWords(field: string | null, value: unknown, state: unknown): string | null {
  if (field === null || isUnset(value, field) || (field !== "targeting" && field !== "rule")) return null;
  const words = field === "rule" ? segmentSentence(value) : flagSentence(value, state);
  return words === OWN_RULE ? null : words;
}

/** A change that sets the rule alone does not say what the default is. */
function flagSentence(targeting: unknown, state: unknown): string {
  const { variants, defaultVariant } = isObject(state) ? state : {};
  const isPart = variants === undefined && defaultVariant === undefined;
  return ruleSentence({ variants: {}, defaultVariant: isPart ? "the default" : defaultVariant, targeting });
}
