/** The folders of a form's submissions. */
export const SUBMISSION_STATES = ["inbox", "spam", "archived"] as const;

export type SubmissionState = (typeof SUBMISSION_STATES)[number];

/** Every folder but the spam folder. */
export const NOT_SPAM = ["inbox", "archived"] as const satisfies SubmissionState[];

/** The reason of what a person marked as spam. */
export const MANUAL_SPAM = "manual";

/** Marks of a submission: a folder, read or unread. */
export const SUBMISSION_MARKS = [...SUBMISSION_STATES, "read", "unread"] as const;

export type SubmissionMark = (typeof SUBMISSION_MARKS)[number];

export function isFolder(mark: SubmissionMark): mark is SubmissionState {
  return mark !== "read" && mark !== "unread";
}
