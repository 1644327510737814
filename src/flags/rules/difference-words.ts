import { isObject } from "../../base/json.ts";
import { durationInWords } from "../../base/units.ts";
import { type Difference, differencesOf, type IsSame, isUnset } from "../../projects/differences.ts";
import { FIELDS } from "../flag-fields.ts";
import { type Requirement, requirementsInWords } from "../requires/requirement.ts";
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

/**
 * A value of a state as people read it. A whole state, and the one of a flag in an environment that a larger state holds,
 * has its rule in words, if words express it.
 */
export function valueInWords(field: string | null, value: unknown): unknown {
  if (!isObject(value) || (field !== null && Object.hasOwn(FIELDS, field))) return value;
  if (field === "environments")
    return Object.fromEntries(Object.entries(value).map(([name, state]) => [name, withWords(state)]));
  return withWords(value);
}

/** A state of a flag or a segment, or of a flag with those of its environments. Any other stays. */
export function withWords(state: unknown): unknown {
  if (!isObject(state)) return state;
  const isSegment = Object.keys(state).length === 1;
  const members = Object.entries(state).map(([name, value]): [string, unknown] => {
    const words = name === "rule" && !isSegment ? null : fieldInWords(name, value, state);
    if (words !== null) return [name === "targeting" ? "rule" : name, words];
    return [name, name === "environments" ? valueInWords(name, value) : value];
  });
  return Object.fromEntries(members);
}

/** The rule of a flag or a segment in words, if a field holds one: `a rule of its own` where words do not express it. */
export function ruleInWords(field: string, value: unknown): string | null {
  if (isUnset(value, field)) return null;
  if (field === "targeting") return flagSentence(value, {});
  return field === "rule" ? segmentSentence(value) : null;
}

/** `targeting` is the rule of a flag, and `rule` that of a segment; `every` and `to` are the course of a ramp. */
function fieldInWords(field: string | null, value: unknown, state: unknown): string | null {
  if (field === null || isUnset(value, field)) return null;
  if (field === "requires" && Array.isArray(value)) return requirementsInWords(value as Requirement[]);
  if (field === "every" && typeof value === "number") return durationInWords(value);
  if (field === "to" && Array.isArray(value) && value.every((each) => typeof each === "number"))
    return value.map((share) => `${share} %`).join(", ");
  if (field !== "targeting" && field !== "rule") return null;
  const words = field === "rule" ? segmentSentence(value) : flagSentence(value, state);
  return words === OWN_RULE ? null : words;
}

/** A change that sets the rule alone does not say what the default is. */
function flagSentence(targeting: unknown, state: unknown): string {
  const { variants, defaultVariant } = isObject(state) ? state : {};
  const isPart = variants === undefined && defaultVariant === undefined;
  return ruleSentence({ variants: {}, defaultVariant: isPart ? "the default" : defaultVariant, targeting });
}
