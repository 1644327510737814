import { MiB } from "../base/bytes.ts";

/** How much of a refused request is still read, and for how long, so that its sender gets the answer. */
export const DRAIN = { bytes: 32 * MiB, ms: 30_000 } as const;

/** Wrong tokens from one address, in so many seconds, before it has to wait. */
export const MAX_WRONG_TOKENS = { count: 20, seconds: 60 } as const;

export const MAX_ADMIN_BODY = MiB;

export const MAX_IMPORT_BODY = 16 * MiB;

/** Requests of one address under way at a time, unless told. */
export const DEFAULT_MAX_CONCURRENT = 256;

/** Streams of change events open at a time, together and of one address. */
export const MAX_STREAMS = 20_000;

export const MAX_STREAMS_OF_CLIENT = 1000;
