import { AppError } from "../../base/errors.ts";
import type { Turns } from "../../base/event-loop.ts";
import { comparedTexts } from "../../base/json/exact-json.ts";
import { type RawSubmission, type Submission, parsed } from "../submission.ts";
import { NOT_SPAM } from "../submission-state.ts";
import { equalsText } from "../words.ts";
import { type FieldMatch, type SubmissionFilter, testsOf } from "./filters.ts";
import { type Phrases, containsPhrases, phrasesIn } from "./search-text.ts";

/** Everything but spam. */
export const ALL_BUT_SPAM: SubmissionFilter = { states: NOT_SPAM };

/** The phrases that a filter searches for; null if it does not search. Throws `invalid` for a search without a word. */
export function searchOf({ search }: SubmissionFilter): Phrases | null {
  if (search === undefined) return null;
  const phrases = phrasesIn(search);
  if (phrases.length > 0) return phrases;
  throw new AppError("invalid", "the search has no word", {
    hint: "a search finds words, which are letters and digits",
  });
}

/**
 * Whether a filter selects a submission of its folders, in turns with other work; null for a filter that selects all of them. With
 * `isScanned`, the submission is one that the database has selected. Throws as {@link searchOf}.
 */
export function selectorOf(
  filter: SubmissionFilter,
  isScanned = false,
): ((submission: RawSubmission, takeTurns: Turns) => Promise<boolean>) | null {
  const tests = testsOf(filter, isScanned);
  const phrases = searchOf(filter);
  const { fields = [] } = filter;
  const readsData = fields.length > 0 || phrases !== null;
  if (tests.length === 0 && !readsData) return null;
  return async (submission, takeTurns) => {
    if (!tests.every((test) => test(submission))) return false;
    if (!readsData) return true;
    const { data, files } = parsed(submission);
    for (const match of fields) {
      if (!hasField(data, match)) return false;
      const turn = takeTurns();
      if (turn !== undefined) await turn;
    }
    if (phrases === null) return true;
    const names = files.map(({ name }) => name);
    return containsPhrases(data, names, phrases, takeTurns);
  };
}

function hasField(data: Submission["data"], { name, value: text }: FieldMatch): boolean {
  if (!Object.hasOwn(data, name)) return false;
  const isSame = equalsText(text);
  const value = data[name];
  return [value].flat().flatMap(comparedTexts).some(isSame);
}
