import type { Rights } from "./token.ts";

/** Who makes a change, and when in milliseconds since 1970. */
export type Author = { who: string; at: number };

/** Who asks for an operation: by which name, with which rights, and what they have confirmed. */
export type Caller = Rights & {
  /** Whether they confirmed that the locked environment of that slug is changed. */
  hasConfirmed: (environment: string) => boolean;
  /** Throws `unauthenticated` once their rights have ended. */
  verify: () => Promise<void>;
};
