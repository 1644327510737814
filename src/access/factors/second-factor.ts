/** Factors beside a password, in the order of lists. */
export const SECOND_FACTORS = ["totp", "passkey"] as const;

export type SecondFactor = (typeof SECOND_FACTORS)[number];
