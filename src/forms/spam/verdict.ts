/** Verdicts of external checks, from the mildest to the strictest. */
export const VERDICTS = ["ok", "spam", "refuse"] as const;

export type Verdict = (typeof VERDICTS)[number];
