import { MiB } from "../base/bytes.ts";

/** Writes that wait for the disk. Beyond: 503 with `Retry-After`. */
export const MAX_QUEUED_WRITES = 10_000;

/** Serving threads. Beyond: the server does not start. Set with `serve --threads`. */
export const MAX_THREADS = 64;

/**
 * Milliseconds for which writes may be at the disk without an answer before the server is not ready. Beyond: `/readyz`
 * answers 503.
 */
export const WRITER_READY_MS = 10_000;
/**
 * Milliseconds for the same before the server is not healthy; a purge that rewrites the database file is not counted.
 * Beyond: `/healthz` answers 503.
 */
export const WRITER_HEALTHY_MS = 30_000;

/** Approximate bytes of the writes that wait for the disk. Beyond: 503 with `Retry-After`. */
export const MAX_QUEUED_BYTES = 64 * MiB;

/**
 * Milliseconds for which answers from memory are trusted while other processes make changes. Beyond: the database is
 * read.
 */
export const SQLITE_STALENESS_MS = 2;

/**
 * Milliseconds for the same with a PostgreSQL database, and for which a change waits after its commit. Beyond: the
 * database is read. All replicas must use the same value.
 */
export const POSTGRES_STALENESS_MS = 100;

/**
 * Milliseconds for which a submission is sent to PostgreSQL again if the answer was lost. Beyond: 503 with
 * `Retry-After`, and the submission is withdrawn when the database answers, unless a repeat may have been answered with
 * it.
 */
export const POSTGRES_UNKNOWN_MS = 30_000;

/** Milliseconds for which a submission waits until it is sent to PostgreSQL. Beyond: 503 with `Retry-After`. */
export const POSTGRES_QUEUE_MS = 4000;
