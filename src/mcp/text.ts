import { isObject } from "../base/json.ts";

/** Most characters of a text that a sender wrote. */
const MAX_FIELD = 2000;

/** Characters that a model reads and a person does not see: controls, marks of direction, tags, fillers. */
const UNSEEN =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u061C\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\u{E0000}-\u{E007F}\uFEFF\uFFF9-\uFFFB]/gu;

/** Variation selectors choose the form of a Chinese character; elsewhere they carry hidden bytes. */
const SELECTORS = /(?<!\p{Script=Han})[\u{E0100}-\u{E01EF}]/gu;

/** A text without characters that people do not see; line breaks and tabs stay. */
export function cleaned(text: string): string {
  return text.toWellFormed().replaceAll(/\r\n?/g, "\n").replaceAll(UNSEEN, "").replaceAll(SELECTORS, "");
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
    if (Array.isArray(each)) return each.map(walk);
    if (!isObject(each)) return each;
    return Object.fromEntries(Object.entries(each).map(([name, member]) => [cut(name), walk(member)]));
  };
  return { value: walk(value), truncated };
}
