import { parseExactly } from "../../base/json/exact-json.ts";
import { searchTerms } from "./search-text.ts";

/** About how many characters one write of the search index folds: as many as take some milliseconds. */
const MAX_FOLDED = 100_000;

/** The content of a submission: a JSON object as text, and the names of its files as a JSON list. */
type Content = { data: string; names: string };

/** The submission that the last write did not finish. */
let unfinished: { key: string; steps: Generator<number, string[]> } | null = null;

/**
 * Returns a function that finds the terms of submissions for one write of the search index. It returns null once it has
 * folded as much as a write may; the next write goes on there, where it begins with the same `key`.
 */
export function createTermReader(): (key: string, content: () => Content) => string[] | null {
  let left = MAX_FOLDED;
  return (key, content) => {
    if (left <= 0) return null;
    const steps = unfinished?.key === key ? unfinished.steps : stepsOf(content());
    unfinished = { key, steps };
    while (left > 0) {
      const step = steps.next();
      if (step.done === true) {
        unfinished = null;
        return step.value;
      }
      // A value without a word takes time too.
      left -= step.value + 1;
    }
    return null;
  };
}

function stepsOf({ data, names }: Content): Generator<number, string[]> {
  return searchTerms(parseExactly(data) as Record<string, unknown>, JSON.parse(names) as string[]);
}
