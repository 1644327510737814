import { MiB } from "../base/bytes.ts";

/** Submissions waiting for the disk before further ones are told to come back. */
export const MAX_QUEUED_WRITES = 10_000;

export const MAX_QUEUED_BYTES = 64 * MiB;
