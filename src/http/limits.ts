import { KiB, MiB } from "../base/bytes.ts";

/** How much of a refused request is read. */
export const DRAIN = {
  /** Bytes that are still read of a refused body, so that the sender receives the answer. Beyond: the connection is closed. */
  bytes: 32 * MiB,
  /** Milliseconds for which they are read. Beyond: the connection is closed. */
  ms: 30_000,
} as const;

/** How many wrong tokens an address may send before it has to wait. */
export const MAX_WRONG_TOKENS = {
  /** Wrong tokens from one address, and requests for tokens of assistants that are refused. Beyond: 429 with `Retry-After`. */
  count: 20,
  /** Seconds in which they are counted. Beyond: the count starts over. */
  seconds: 60,
} as const;

/** How many requests an address may send to sign an assistant in. */
export const MAX_OAUTH_REQUESTS = {
  /** Registrations and revocations from one address. Beyond: 429 with `Retry-After`. */
  count: 60,
  /** Seconds in which they are counted. Beyond: the count starts over. */
  seconds: 60,
} as const;

/** How many documents of clients are fetched for a user. */
export const MAX_CLIENT_DOCUMENTS = {
  /** Documents of clients that are fetched for a user. Beyond: 429 with `Retry-After`. */
  count: 20,
  /** Seconds in which they are counted. Beyond: the count starts over. */
  seconds: 60,
} as const;

/** Documents of clients that are fetched at a time. Beyond: 429 with `Retry-After`. */
export const MAX_CLIENT_FETCHES = 4;

/** Bytes of a request for a token, a registration or a revocation. Beyond: 413. */
export const MAX_OAUTH_BODY = 16 * KiB;

/** Bytes of the body of a form that signs in or sets a password. Beyond: 413. */
export const MAX_SIGN_IN_BODY = 16 * KiB;

/**
 * Bytes of the body of a form of the dashboard that is given back once the user has signed in again. Beyond: not given
 * back.
 */
export const MAX_KEPT_FORM = 256 * KiB;

/** Bytes of a request with a passkey. Beyond: 413. Keys and signatures of ML-DSA take some kilobytes, several times. */
export const MAX_PASSKEY_BODY = 64 * KiB;
/** Bytes of the body of a logout by an OpenID provider. Beyond: 400. */
export const MAX_LOGOUT_TOKEN = 16 * KiB;

/** Milliseconds for which the answer 429 to a sign-in is delayed. */
export const SIGN_IN_REFUSAL_MS = 1000;

/**
 * Requests of one address in progress to forms, evaluations and the admin API. Beyond: 429 with `Retry-After`. Set with
 * `serve --max-concurrent`.
 */
export const DEFAULT_MAX_CONCURRENT = 256;

/** Readers of a feed at a time. Beyond: 429 with `Retry-After`. */
export const MAX_FEED_READERS = 8;

/** Milliseconds for which a reader of a feed or of a large evaluation may take nothing. Beyond: it gets no more. */
export const STALL_MS = 60_000;

/** Bytes of evaluations of all flags over 256 KB that are on their way, on each thread. Beyond: 429 with `Retry-After`. */
export const MAX_OWN_ANSWERS = 128 * MiB;

/** Open streams of change events. Beyond: 503 with `Retry-After`. */
export const MAX_STREAMS = 20_000;

/** Open streams of change events of one address. Beyond: 429 with `Retry-After`. */
export const MAX_STREAMS_OF_CLIENT = 1000;

/** Servers that follow this one at a time, on each thread. Beyond: 503 with `Retry-After`. */
export const MAX_FOLLOWERS = 1000;
