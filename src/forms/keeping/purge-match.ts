import { addressSpellings } from "../../base/address-spelling.ts";
import { mayRepeat, splitRepeats } from "../../base/json/json-members.ts";
import { comparedTexts, parseExactly } from "../../base/json/exact-json.ts";
import { childrenOf, isObject, isStructure } from "../../base/json.ts";
import { equalsText } from "../words.ts";

/** Match of a submission: it holds the text, only mentions it inside a longer one, or neither. */
type Finding = "match" | "mention" | null;

/** Judges parsed data, as {@link parseWithSources} returns it. */
export type Find = (data: unknown) => Finding;

/** Finds the submissions in which a text equals an address, regardless of case, of spaces around it and of its spelling. */
export function addressMatcher(address: string): Find {
  const isSame = equalsTrimmed(address);
  const uppers = [address.trim(), ...addressSpellings(address)].map((each) => each.toUpperCase());
  const isIn = (text: string) => uppers.some((upper) => text.includes(upper));
  return (data) => {
    let isMentioned = false;
    for (const text of textsIn(data)) {
      if (isSame(text)) return "match";
      isMentioned ||= isIn(text.toUpperCase());
    }
    return isMentioned ? "mention" : null;
  };
}

/** Finds the submissions in which a field of that name, at any depth, has a value. */
export function fieldMatcher(field: string, value: string): Find {
  const isSame = equalsTrimmed(value);
  return (data) => (valuesOf(data, field).some((each) => textsIn(each).some(isSame)) ? "match" : null);
}

/** Returns whether a text equals one, regardless of spaces around it too. */
function equalsTrimmed(wanted: string): (text: string) => boolean {
  const isSame = equalsText(wanted.trim());
  return (text) => isSame(text.trim());
}

/**
 * Parses JSON so that every value is found: where a name repeats, which submissions of older versions have, the values that
 * parsing drops follow in an array.
 */
export function parseWithSources(json: string): unknown {
  const data = parseExactly(json);
  if (!isStructure(data) || !mayRepeat(json, data)) return data;
  const { kept, repeats } = splitRepeats(json);
  return repeats.length === 0 ? data : [parseExactly(kept), ...repeats.map(parseWithSources)];
}

/** The texts in a value at any depth, also those of numbers and of true and false. */
export function textsIn(value: unknown): string[] {
  const texts: string[] = [];
  collectTexts(value, texts);
  return texts;
}

function collectTexts(value: unknown, texts: string[]): void {
  if (isStructure(value)) for (const child of childrenOf(value)) collectTexts(child, texts);
  else texts.push(...comparedTexts(value));
}

/** The values of the fields of a name at any depth. */
function valuesOf(data: unknown, field: string): unknown[] {
  const values: unknown[] = [];
  collectValues(data, field, values);
  return values;
}

function collectValues(data: unknown, field: string, values: unknown[]): void {
  if (!isStructure(data)) return;
  if (isObject(data) && Object.hasOwn(data, field)) values.push(data[field]);
  for (const child of childrenOf(data)) collectValues(child, field, values);
}
