/** How a user signed in. */
export const SIGN_IN_METHODS = ["link", "password", "proxy"] as const;

export type SignInMethod = (typeof SIGN_IN_METHODS)[number];

/** A browser that is signed in. Times are milliseconds since 1970. */
export type Session = {
  /** What it is called where sessions are listed: a dashed key, of no use to sign in. */
  id: string;
  user: string;
  method: SignInMethod;
  /** What the browser says of itself. */
  agent: string;
  address: string;
  createdAt: number;
  /** To about ten minutes. */
  seenAt: number;
};
