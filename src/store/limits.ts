import { MiB } from "../base/bytes.ts";

/** Writes that may wait for a commit; further ones are refused with `unavailable`. */
export const MAX_QUEUED_WRITES = 10_000;

/** Threads of a server that may serve. */
export const MAX_THREADS = 64;

/** Milliseconds for which a batch may be at the writer before the server is not ready, and before it is not healthy. */
export const WRITER_READY_MS = 10_000;
export const WRITER_HEALTHY_MS = 30_000;

/** Approximate bytes of the writes that may wait for a commit. */
export const MAX_QUEUED_BYTES = 64 * MiB;

/** Milliseconds for which a version read from the SQLite file is trusted: the delay of changes by other processes. */
export const SQLITE_STALENESS_MS = 2;

/**
 * Milliseconds for which a version read from PostgreSQL is trusted, and for which a change waits after its commit. All
 * replicas must use the same value.
 */
export const POSTGRES_STALENESS_MS = 100;

/**
 * Milliseconds for which a submission is sent to PostgreSQL again if the answer was lost, before it is refused and
 * withdrawn.
 */
export const POSTGRES_UNKNOWN_MS = 30_000;

/** Milliseconds for which a submission waits until it is sent to PostgreSQL, before it is refused. */
export const POSTGRES_QUEUE_MS = 4000;
