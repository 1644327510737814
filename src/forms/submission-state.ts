/** The folders of a form's submissions. */
export const SUBMISSION_STATES = ["inbox", "spam", "archived"] as const;

export type SubmissionState = (typeof SUBMISSION_STATES)[number];

/** Every folder but the spam folder. */
export const NOT_SPAM = ["inbox", "archived"] as const satisfies SubmissionState[];
