import { AppError } from "../../base/errors.ts";
import type { Turns } from "../../base/event-loop.ts";
import { comparedTexts } from "../../base/json/exact-json.ts";
import { equalsText } from "../words.ts";
import { labelAmong } from "./handling.ts";
import { type Phrases, containsPhrases, phrasesIn } from "./search-text.ts";
import type { Submission } from "../submission.ts";
import { NOT_SPAM, type SubmissionState } from "../submission-state.ts";

/** A top-level field and the text that it, or a value of its array, has to equal, without regard to case. */
export type FieldMatch = { name: string; value: string };

/** Filter of submissions: all parts must match. Times are milliseconds since 1970. */
export type SubmissionFilter = {
  states: readonly SubmissionState[];
  unread?: boolean | undefined;
  /** From this time on. */
  since?: number | undefined;
  /** Before this time. */
  until?: number | undefined;
  fields?: readonly FieldMatch[] | undefined;
  /** Flags with the variants that its sender got. */
  flags?: readonly FieldMatch[] | undefined;
  /** Labels, without regard to case. */
  labels?: readonly string[] | undefined;
  /** The user who looks after it. */
  assignee?: string | undefined;
  /** Words that are all in its values or file names; the last may be incomplete. */
  search?: string | undefined;
};

/** Everything but spam. */
export const ALL_BUT_SPAM: SubmissionFilter = { states: NOT_SPAM };

/** Whether a filter selects by more than the folder. */
export function isSelective(filter: SubmissionFilter): boolean {
  const { unread, since, until, search } = filter;
  return (
    unread === true ||
    since !== undefined ||
    until !== undefined ||
    search !== undefined ||
    looksInside(filter)
  );
}

/** Whether a filter selects by the content of a submission, or by what people did with it. */
export function looksInside({ fields = [], flags = [], labels = [], assignee }: SubmissionFilter): boolean {
  return fields.length > 0 || flags.length > 0 || labels.length > 0 || assignee !== undefined;
}

/** The phrases that a filter searches for; null if it does not search. Throws `invalid` for a search without a word. */
export function searchOf({ search }: SubmissionFilter): Phrases | null {
  if (search === undefined) return null;
  const phrases = phrasesIn(search);
  if (phrases.length > 0) return phrases;
  throw new AppError("invalid", "the search has no word", {
    hint: "a search finds words, which are letters and digits",
  });
}

/** Whether a submission has the flags, the fields, the labels, the assignee and the phrases of a filter. Other work takes its turns. */
export async function hasContent(
  { data, files, flags, ...handled }: Submission,
  filter: Pick<SubmissionFilter, "fields" | "flags" | "labels" | "assignee">,
  phrases: Phrases | null,
  takeTurns: Turns,
): Promise<boolean> {
  const { fields = [], flags: matches = [], labels = [], assignee } = filter;
  if (assignee !== undefined && handled.assignee !== assignee) return false;
  if (labels.some((label) => labelAmong(handled.labels, label) === undefined)) return false;
  const variants = new Map(Object.entries(flags?.variants ?? {}));
  if (matches.some(({ name, value }) => variants.get(name) !== value)) return false;
  for (const match of fields) {
    if (!hasField(data, match)) return false;
    const turn = takeTurns();
    if (turn !== undefined) await turn;
  }
  if (phrases === null) return true;
  const names = files.map(({ name }) => name);
  return containsPhrases(data, names, phrases, takeTurns);
}

function hasField(data: Submission["data"], { name, value: text }: FieldMatch): boolean {
  if (!Object.hasOwn(data, name)) return false;
  const isSame = equalsText(text);
  const value = data[name];
  return [value].flat().flatMap(comparedTexts).some(isSame);
}
