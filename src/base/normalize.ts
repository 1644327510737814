/**
 * Characters that may be ordered among, or join with, those before them: marks, the two half-width signs that become
 * marks, and the vowel signs of Kirat Rai.
 */
export const ATTACHED = String.raw`\p{M}\uff9e\uff9f\u{16d67}\u{16d68}`;

/** Whether a text has a visible character: neither white space nor of zero width. */
export function hasVisible(text: string): boolean {
  return /[^\s\p{Default_Ignorable_Code_Point}\u2800]/u.test(text);
}

/** More of them than a character has in any language (UAX #15, 13). */
const LONG_RUN = new RegExp(`[${ATTACHED}]{16}`, "gu");

/**
 * A normal form of Unicode, in time linear in the text. `String.normalize` takes time quadratic in the marks on one
 * character, 40 seconds for 160 KB of them, so that longer runs of marks than any language has are normalized in pieces.
 */
export function normalize(text: string, form: "NFC" | "NFKC" | "NFKD"): string {
  if (/^[\0-\x7f]*$/.test(text)) return text;
  let normal = "";
  let start = 0;
  for (const { index, 0: run } of text.matchAll(LONG_RUN)) {
    const end = index + run.length;
    normal += text.slice(start, end).normalize(form);
    start = end;
  }
  return start === 0 ? text.normalize(form) : normal + text.slice(start).normalize(form);
}

/** Letters that have no accent to leave out, each with its spelling. */
const SPELLED: ReadonlyMap<string, string> = new Map(
  "ß:ss ẞ:SS æ:ae Æ:AE œ:oe Œ:OE ø:o Ø:O ł:l Ł:L đ:d Đ:D ð:d Ð:D þ:th Þ:Th ı:i ħ:h Ħ:H ŧ:t Ŧ:T"
    .split(" ")
    .map((pair) => [pair[0]!, pair.slice(2)]),
);
/** These alone: a call for each letter of another script takes 170 ms for 360,000 of them. */
const SPELLABLE = new RegExp(`[${[...SPELLED.keys()].join("")}]`, "g");

/** A text whose Latin letters are those of ASCII: without accents, and spelled out where they are letters of their own. */
export function withoutAccents(text: string): string {
  return spelledOut(normalize(text, "NFKD").replaceAll(/\p{M}/gu, ""));
}

/** A text without the strokes and ligatures of Latin letters that have no accent to leave out. */
export function spelledOut(text: string): string {
  return text.replaceAll(SPELLABLE, (letter) => SPELLED.get(letter)!);
}
