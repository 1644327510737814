/** The folders of a form's submissions. */
export const SUBMISSION_STATES = ["inbox", "spam", "archived", "unconfirmed"] as const;

export type SubmissionState = (typeof SUBMISSION_STATES)[number];

/** The folders of submissions that count: not spam, and not waiting for their senders to confirm. */
export const NOT_SPAM = ["inbox", "archived"] as const satisfies SubmissionState[];

/** The reason of what a person marked as spam. */
export const MANUAL_SPAM = "manual";

/** Marks of a submission: a folder, read or unread. Only submissions that wait for their senders are `unconfirmed`. */
export const SUBMISSION_MARKS = ["inbox", "spam", "archived", "read", "unread"] as const;

export type SubmissionMark = (typeof SUBMISSION_MARKS)[number];

export function isFolder(mark: SubmissionMark): mark is Exclude<SubmissionMark, "read" | "unread"> {
  return mark !== "read" && mark !== "unread";
}
