import { addressSpellings } from "../base/address-spelling.ts";
import { ATTACHED, normalize, spelledOut } from "../base/normalize.ts";

/** Accents of alphabets, such as those of Latin, Greek, Cyrillic, Arabic and Hebrew; not vowel signs of other scripts. */
const ACCENTS =
  /[[\p{Script=Inherited}\p{Script=Cyrillic}\p{Script=Arabic}\p{Script=Hebrew}]&&[\p{M}--[\u3099\u309a]]]/gv;
/** Characters without a width, which hide inside a word. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;
/** Signs that decompose into letters without being part of the word before them, and ligatures of whole sentences. */
const PHRASE_SIGNS = /[\u2120\u2122\ufdfa\ufdfb]/g;
/** Combining marks beyond the number that a character has in any language; they are not part of a searchable word. */
const EXCESS_MARKS = new RegExp(`([${ATTACHED}]{10})[${ATTACHED}]+`, "gu");
/** White space other than single spaces. */
const IRREGULAR_SPACE = /[^\S ]\s*| \s+/g;

/**
 * A text in which words that differ only by case, accents, strokes, width, ligatures or invisible characters are equal, with
 * single spaces. "VIÁGRA", "viagra" and "ⓥiagra" become "viagra".
 */
export function foldText(text: string): string {
  const folded = /^[\0-\x7f]*$/.test(text) ? text.toLowerCase() : foldUnicode(text);
  return folded.replaceAll(IRREGULAR_SPACE, " ");
}

function foldUnicode(text: string): string {
  // Invisible characters first: without them, runs of marks grow together.
  const cut = text.replaceAll(PHRASE_SIGNS, " ").replaceAll(INVISIBLE, "").replaceAll(EXCESS_MARKS, "$1");
  const folded = normalize(cut, "NFKD")
    .replaceAll(ACCENTS, "")
    // Upper case first: it turns "ß" into "SS" and "ı" into "I".
    .toUpperCase()
    .toLowerCase()
    .replaceAll("ς", "σ");
  // Syllables and vowel signs that are left belong to one character again.
  return normalize(spelledOut(folded), "NFC");
}

/** Letters, marks and digits of scripts that put spaces between words. */
const JOINED =
  /[[\p{L}\p{M}\p{N}]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u30fc]]/v;

/** Filled as characters occur: 1 for joined, 2 for not. */
const KINDS = new Uint8Array(0x10000);

/**
 * Whether a UTF-16 unit continues a word that an adjacent letter is part of. In Chinese, Japanese, Thai, Lao, Khmer and
 * Burmese, which put no spaces between words, and Korean, which adds endings to them, a word may begin and end anywhere.
 */
export function isJoinedInWord(code: number): boolean {
  KINDS[code] ||= JOINED.test(String.fromCharCode(code)) ? 1 : 2;
  return KINDS[code] === 1;
}

/** Returns whether a text equals one, regardless of case and of how accents are encoded. */
export function equals(wanted: string): (text: string) => boolean {
  const folded = fold(wanted);
  // A text that is equal has at most four times the characters, so that others need not be folded.
  return (text) => text.length <= 4 * folded.length && fold(text) === folded;
}

/** The same, but that two mail addresses are equal in any spelling of their domain, and in no other way. */
export function equalsText(wanted: string): (text: string) => boolean {
  const isSame = equals(wanted);
  const [address] = addressSpellings(wanted);
  if (address === undefined) return isSame;
  // Letters that are alike elsewhere name other domains: straße.example is not strasse.example.
  return (text) => {
    const [other] = addressSpellings(text);
    return other === undefined ? isSame(text) : other === address;
  };
}

/** A text that is the same for all texts that {@link equalsText} finds equal, regardless of spaces around them too. */
export function comparable(text: string): string {
  return addressSpellings(text)[0] ?? fold(text.trim());
}

/** In upper case, which "ß" and "SS" share, and every sigma. */
function fold(text: string): string {
  return normalize(text, "NFC").toUpperCase();
}
