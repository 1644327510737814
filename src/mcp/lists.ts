import type { Answer } from "./answers.ts";

/** Items of a list by default and at most. */
export const USUAL = 50;
const MOST = 200;

/** The argument `limit` of a list. */
export const limitedTo = (most: number, usual: number) => ({
  limit: { maximum: most, description: `Most items of the answer. Default: ${usual}.` },
});

export const PAGED = limitedTo(MOST, USUAL);

/** A list with the position behind it; null at its end. */
export function listed<T>(items: readonly T[], next: unknown, positionOf: (item: T) => unknown): Answer {
  return { value: { items, next }, cursors: items.map(positionOf) };
}
