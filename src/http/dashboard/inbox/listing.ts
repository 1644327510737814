import type { FormCounts } from "../../../forms/store.ts";
import type { Submission } from "../../../forms/submission.ts";
import type { SubmissionFilter } from "../../../forms/inbox/submission-filter.ts";
import type { InboxQuery } from "./query.ts";

/** What the folders are called on pages. */
export const FOLDER_NAMES = { inbox: "Inbox", spam: "Spam", archived: "Archive" } as const;

/** What a page of the inbox shows. */
export type Listing = {
  query: InboxQuery;
  /** Null where the query means nothing. */
  filter: SubmissionFilter | null;
  submissions: readonly Submission[];
  next: string | null;
  /** New submissions that a search does not know yet, at most. */
  indexing: number;
  /** Of every form, by slug. */
  counts: readonly FormCounts[];
  fault: Fault | null;
};

/** What is wrong with what was typed, and in which field. */
export type Fault = { field: string; message: string };

type Count = "inbox" | "unread" | "spam" | "archived";

/** How many submissions a form has, or all of them. */
export function sumOf(counts: readonly FormCounts[], form: string | null, count: Count): number {
  return counts.reduce((sum, each) => (form === null || each.form === form ? sum + each[count] : sum), 0);
}
