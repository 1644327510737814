import { isRawNumber } from "../base/json/exact-json.ts";
import { isObject } from "../base/json.ts";

/** Most characters of a text that a sender wrote. */
const MAX_FIELD = 2000;

/** Characters that a model reads and a person does not see: controls, marks of direction, tags, fillers. */
const UNSEEN =
  // oxlint-disable-next-line no-control-regex, no-misleading-character-class
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\u3164\uFEFF\uFFA0\uFFF9-\uFFFB\u{1BCA0}-\u{1BCA3}\u{1D173}-\u{1D17A}\u{E0000}-\u{E00FF}\u{E01F0}-\u{E0FFF}]/gu;

/** Variation selectors choose the form of a Chinese character or an emoji; elsewhere, and in a row, they carry hidden bytes. */
const SELECTORS =
  /(?<!\p{Script=Han})[\uFE00-\uFE0D\u{E0100}-\u{E01EF}]|(?<=[\uFE00-\uFE0F\u200C\u200D])[\uFE0E\uFE0F]/gu;

/** Joiners belong between two characters; in a row they carry hidden bits. */
const JOINERS = /[\u200C\u200D]{2,}/g;

/** A text without characters that people do not see; line breaks and tabs stay. */
export function cleaned(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll(UNSEEN, "")
    .replaceAll(SELECTORS, "")
    .replaceAll(JOINERS, "");
}

/** A value of a sender: its texts and names cleaned and cut, and whether one was cut. */
export function cleanedValue(value: unknown): { value: unknown; truncated: boolean } {
  let truncated = false;
  const cut = (text: string) => {
    const clean = cleaned(text);
    if (clean.length <= MAX_FIELD) return clean;
    truncated = true;
    return clean.slice(0, MAX_FIELD).toWellFormed();
  };
  const walk = (each: unknown): unknown => {
    if (typeof each === "string") return cut(each);
    if (isRawNumber(each) && each.rawJSON.length > MAX_FIELD) return cut(each.rawJSON);
    if (Array.isArray(each)) return each.map(walk);
    if (!isObject(each)) return each;
    return Object.fromEntries(Object.entries(each).map(([name, member]) => [cut(name), walk(member)]));
  };
  return { value: walk(value), truncated };
}
