import { KiB, MiB } from "../base/bytes.ts";

/** How much of a refused request is read, in bytes and milliseconds, so that its sender gets the answer. */
export const DRAIN = { bytes: 32 * MiB, ms: 30_000 } as const;

/** Wrong tokens from one address in a time before it has to wait. */
export const MAX_WRONG_TOKENS = { count: 20, seconds: 60 } as const;

/** Body of a form that signs in or sets a password, in bytes. */
export const MAX_SIGN_IN_BODY = 8 * KiB;

/** Body of a form that is given back to a user who is signed out, in bytes. */
export const MAX_KEPT_FORM = 256 * KiB;

/** Body of a request of a passkey, in bytes: keys and signatures of ML-DSA take some kilobytes, several times. */
export const MAX_PASSKEY_BODY = 64 * KiB;
/** Body of a logout by an OpenID provider, in bytes. */
export const MAX_LOGOUT_TOKEN = 16 * KiB;

/** How long a sign-in that is refused without a check of its password waits for the answer, in milliseconds. */
export const SIGN_IN_REFUSAL_MS = 1000;

/** Default number of concurrent requests from one address. */
export const DEFAULT_MAX_CONCURRENT = 256;

/** Readers of one feed at a time. */
export const MAX_FEED_READERS = 8;

/** Milliseconds after which a reader of a feed or of a large evaluation that takes nothing gets no more. */
export const STALL_MS = 60_000;

/** Bytes of large evaluations that are on their way at a time, each made for one reader. */
export const MAX_OWN_ANSWERS = 128 * MiB;

/** Concurrent streams of change events. */
export const MAX_STREAMS = 20_000;

/** Concurrent streams of change events of one address. */
export const MAX_STREAMS_OF_CLIENT = 1000;
