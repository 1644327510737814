import type { TimelineEvent } from "../../../forms/inbox/timeline.ts";
import type { Submission } from "../../../forms/submission.ts";
import type { InboxQuery } from "../inbox/query.ts";
import type { Others, Work } from "./load-work.ts";
import type { SubmissionPlace } from "./rows.tsx";
import type { Typed } from "./work.tsx";

/** A submission, and the list that it was opened from. */
export type SubmissionView = {
  submission: Submission;
  /** The list beside it. */
  query: InboxQuery;
  beside: readonly Submission[];
  /** Cursor of the rest of the list; null at its end. */
  next: string | null;
  /** The submissions before and after it in that list. */
  newer: Neighbour | null;
  older: Neighbour | null;
  /** Its place in that list; null if it is not known. */
  position: string | null;
  events: readonly TimelineEvent[];
  previews: ReadonlySet<number>;
  /** The sender's address, if it is known. */
  address: string | null;
  /** The sender as a form can block it. */
  sender: string | null;
  /** The name of the form. */
  formName: string;
  /** The label of a field, by its name. */
  labelOf: (field: string) => string;
  /** Returns the title of a choice, as people read it. */
  titleOf: (field: string, value: unknown) => unknown;
  /** Null for a viewer. */
  work: Work | null;
  /** Null without an address. */
  others: Others | null;
  /** Whether there is a mail server. */
  mails: boolean;
  typed: Typed;
};

/** `before` is where the list beside it begins. */
export type Neighbour = SubmissionPlace & { before: string | null };
