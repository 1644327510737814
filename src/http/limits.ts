import { KiB, MiB } from "../base/bytes.ts";

/** How much of a refused request is read, in bytes and milliseconds, so that its sender gets the answer. */
export const DRAIN = { bytes: 32 * MiB, ms: 30_000 } as const;

/** Wrong tokens from one address in a time before it has to wait. */
export const MAX_WRONG_TOKENS = { count: 20, seconds: 60 } as const;

/** Body of a request to the admin API, in bytes. */
export const MAX_ADMIN_BODY = MiB;

/** Body of a form that signs in or sets a password, in bytes. */
export const MAX_SIGN_IN_BODY = 8 * KiB;

/** How long a sign-in that is refused without a check of its password waits for the answer, in milliseconds. */
export const SIGN_IN_REFUSAL_MS = 1000;

/** Body of a request that applies a document or imports a flagd file, in bytes. */
export const MAX_IMPORT_BODY = 16 * MiB;

/** Limits of a body without the sections of a document, and of each entry of these. */
export const BODY_LIMITS = {
  /** Names in one object. */
  names: 20_000,
  /** Values at any depth; a text counts as one more for every 256 characters. */
  values: 300_000,
} as const;

/** Body of an upload of code references, in bytes. */
export const MAX_CODE_BODY = 16 * MiB;

/** Default number of concurrent requests from one address. */
export const DEFAULT_MAX_CONCURRENT = 256;

/** Concurrent streams of change events. */
export const MAX_STREAMS = 20_000;

/** Concurrent streams of change events of one address. */
export const MAX_STREAMS_OF_CLIENT = 1000;
