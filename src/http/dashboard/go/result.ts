import type { addressOf } from "../view.ts";

type ResultKind = "page" | "project" | "flag" | "form" | "person" | "submission" | "action";

type Query = Parameters<typeof addressOf>[2];

/** A place to go to, or an action: a form that posts these values to the path. */
export type Result = {
  kind: ResultKind;
  label: string;
  /** Where it is, such as its project. */
  detail?: string;
  to: string;
} & ({ query?: Query } | { values: Readonly<Record<string, string | number>> });

/** Words of a search that are looked at. */
const MAX_WORDS = 8;
export const MAX_SEARCH = 200;

/** The words of a search, in lower case. */
export function wordsOf(search: string): string[] {
  return search
    .slice(0, MAX_SEARCH)
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "")
    .slice(0, MAX_WORDS);
}

/** Whether a text has all words. */
export function hasWords(text: string, words: readonly string[]): boolean {
  const lower = text.toLowerCase();
  return words.every((word) => lower.includes(word));
}
