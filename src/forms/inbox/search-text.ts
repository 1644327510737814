import { withUnicodeLabels } from "../../base/address-spelling.ts";
import type { Turns } from "../../base/event-loop.ts";
import { comparedTexts } from "../../base/json/exact-json.ts";
import { childrenOf, isStructure } from "../../base/json.ts";
import { sha256 } from "../../base/sum.ts";
import { SEARCH_LIMITS } from "../limits.ts";
import { comparable, foldText } from "../words.ts";

/**
 * A word as a search counts it. Chinese and Japanese put no spaces between words, and Korean adds endings to them, so each
 * of their characters is a word.
 */
const WORD =
  /[[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u30fc]&&[\p{L}\p{N}]]|[[\p{L}\p{M}\p{N}]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u30fc]]+/gv;
const ASCII_WORD = /[a-z0-9]+/g;
/** A part of a word that is in the index; SQLite leaves marks out. */
const TERM = /[\p{L}\p{N}]+/gu;

/** Characters of a term in the index. Longer ones that begin alike are distinguished when the submission is read. */
const MAX_TERM = 40;

/** Words of each part of a query. The last word of the last phrase may be incomplete. */
export type Phrases = readonly string[];

/** Query of the index: submissions with all `terms`, and with one that begins with `prefix`. */
export type SearchTerms = { terms: string[]; prefix: string | null };

/**
 * The words of a text, separated by single spaces, without regard to case, accents and the spelling of domains:
 * "Ann@Example.com" is "ann example com".
 */
function wordsIn(text: string): string {
  const folded = foldText(withUnicodeLabels(text));
  return (folded.match(isAscii(folded) ? ASCII_WORD : WORD) ?? []).join(" ");
}

function isAscii(text: string): boolean {
  return /^[\0-\x7f]*$/.test(text);
}

/** Each value and file name. */
function* textsOfEach(data: Record<string, unknown>, fileNames: readonly string[]): Generator<string> {
  yield* textsIn(data);
  yield* fileNames;
}

function* textsIn(value: unknown): Generator<string> {
  if (isStructure(value)) for (const child of childrenOf(value)) yield* textsIn(child);
  else if (typeof value !== "boolean") yield* comparedTexts(value);
}

/** The start of the term of a whole address: words have no signs. */
const WHOLE = "@";

/** The terms of the texts that are equal to a mail address: one, whatever other texts its words are in. */
export function termsOfAddress(address: string): SearchTerms {
  return { terms: [wholeTerm(address)], prefix: null };
}

function wholeTerm(text: string): string {
  return `${WHOLE}${sha256(comparable(text)).slice(0, 16)}`;
}

/** A term as the index has it: with its form, which keeps the submissions of others out of a search. */
export function termIn(formId: number, term: string): string {
  return term.startsWith(WHOLE) ? `${formId}w${term.slice(WHOLE.length)}` : `${formId}x${term}`;
}

/**
 * Finds the different terms under which the index has a submission, value by value: those of its first
 * `SEARCH_LIMITS.words` different words and addresses. Yields how many characters it has gone through.
 */
export function* searchTerms(
  data: Record<string, unknown>,
  fileNames: readonly string[],
): Generator<number, string[]> {
  const terms = new Set<string>();
  for (const text of textsOfEach(data, fileNames)) {
    const words = wordsIn(text);
    const whole = text.includes("@") && !/\s/.test(text.trim()) ? [wholeTerm(text)] : [];
    for (const term of [...whole, ...(words.match(TERM) ?? [])]) {
      terms.add(cut(term));
      if (terms.size === SEARCH_LIMITS.words) return [...terms];
    }
    yield words.length;
  }
  return [...terms];
}

/** Cut between characters, never inside one. */
function cut(term: string): string {
  return term.length <= MAX_TERM ? term : Array.from(term).slice(0, MAX_TERM).join("");
}

/** The phrases of a query, which has no syntax: what is not part of a word separates words. Empty if it has no word. */
export function phrasesIn(query: string): Phrases {
  return query
    .split(/\s+/)
    .map(wordsIn)
    .filter((words) => words !== "");
}

/** The terms of phrases. The index may also have them elsewhere in a submission: `containsPhrases` decides. */
export function termsOf(phrases: Phrases): SearchTerms {
  const last = phrases.at(-1)?.match(TERM) ?? [];
  const others = phrases.slice(0, -1).flatMap((phrase) => phrase.match(TERM) ?? []);
  const terms = [...others, ...last.slice(0, -1)].map(cut);
  return { terms: [...new Set(terms)], prefix: last.length === 0 ? null : cut(last.at(-1)!) };
}

/**
 * Whether the values and file names of a submission contain every phrase, the last one as the beginning of one; no phrase
 * spans two of them. Other work takes its turns.
 */
export async function containsPhrases(
  data: Record<string, unknown>,
  fileNames: readonly string[],
  phrases: Phrases,
  takeTurns: Turns,
): Promise<boolean> {
  const left = new Set(
    phrases.map((phrase, index) => (index === phrases.length - 1 ? ` ${phrase}` : ` ${phrase} `)),
  );
  for (const value of textsOfEach(data, fileNames)) {
    const text = ` ${wordsIn(value)} `;
    for (const phrase of left) {
      if (text.includes(phrase)) left.delete(phrase);
      const turn = takeTurns();
      if (turn !== undefined) await turn;
    }
    if (left.size === 0) return true;
  }
  return false;
}
