/** Factors beside a password, in the order of lists. */
export const SECOND_FACTORS = ["totp", "passkey"] as const;

export type SecondFactor = (typeof SECOND_FACTORS)[number];

/** The factors that a person presents for one act: a passkey, a code of an authenticator app, or a recovery code. */
export const PRESENTED_FACTORS = ["passkey", "totp", "recovery"] as const;

export type PresentedFactor = (typeof PRESENTED_FACTORS)[number];

/** The same in words, behind "with". */
export const FACTOR_WORDS: Record<PresentedFactor, string> = {
  passkey: "a passkey",
  totp: "a code of an authenticator app",
  recovery: "a recovery code",
};
