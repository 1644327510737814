import type { FormsApp, SubmissionStore } from "../forms/store.ts";
import type { Distribution } from "../base/metrics.ts";

/** The database as a whole. */
export type DatabaseStore = {
  /** What is wrong with the database file, in words; nothing where it is sound. Reads all of it. */
  check(): Promise<string[]>;
  /** Fulfils once reading and writing need to open nothing more: no limit of open files stops them any more. */
  opened(): Promise<void>;
  /** Throws `unavailable` unless the database answers. */
  ping(): Promise<void>;
  /** Throws `unavailable` unless a write would be taken now. */
  ready(): Promise<void>;
  stats(): Promise<StoreStats>;
  /** Finishes what is queued. */
  close(): Promise<void>;
};

/** A copy of a database as a backup holds it, which may have an older schema and is only read. */
export type Snapshot = {
  /** How many submissions and files there are, and the bytes of the files together. */
  counts(): Promise<{ submissions: number; files: number; bytes: number }>;
  files: SubmissionStore["files"];
  close(): Promise<void>;
};

/** How the store does, since it was opened. */
export type StoreStats = {
  /** Writes that wait, and about how many bytes they hold. */
  queued: number;
  queuedBytes: number;
  commitSeconds: Distribution;
  /** How many writes one commit took together. */
  commitWrites: Distribution;
  /** Of the database on its disk. */
  bytes: number;
};

/** The part of the app that checks and copies everything. */
export type MaintenanceApp = Omit<FormsApp, "store"> & { store: FormsApp["store"] & DatabaseStore };
