import type { FlagsApp } from "../flags/store.ts";
import type { FormsApp, SubmissionStore } from "../forms/store.ts";
import type { Distribution } from "../base/metrics.ts";

/** The database as a whole. */
export type DatabaseStore = {
  /** The problems of the database file as messages; empty for an intact file. Reads all of it. */
  check(): Promise<string[]>;
  /** Fulfils once all files of the database are open, so that a limit of open files no longer affects it. */
  opened(): Promise<void>;
  /** Throws `unavailable` unless the database answers. */
  ping(): Promise<void>;
  /** Throws `unavailable` unless a write would be accepted now. */
  ready(): Promise<void>;
  stats(): Promise<StoreStats>;
  /** Fingerprints of what may have changed, by whichever process. */
  activity(): Promise<Activity>;
  /** Finishes the queued writes and closes the database. */
  close(): Promise<void>;
};

/** A text for each kind of data, which differs once some of it has changed. */
export type Activity = { setup: string; submissions: string; deliveries: string };

/** The read-only copy of a database in a backup, which may have an older schema. */
export type Snapshot = {
  /** The number of submissions and files, and the total bytes of the files. */
  counts(): Promise<{ submissions: number; files: number; bytes: number }>;
  files: SubmissionStore["files"];
  close(): Promise<void>;
};

/** Statistics of the store since it was opened. */
export type StoreStats = {
  /** Writes that wait for a commit. */
  queued: number;
  /** Approximate bytes of these writes. */
  queuedBytes: number;
  commitSeconds: Distribution;
  /** Writes in one commit. */
  commitWrites: Distribution;
  /** Size of the database on disk. */
  bytes: number;
};

/** The part of the app that checks and backups use. */
export type MaintenanceApp = Omit<FormsApp, "store"> & { store: FormsApp["store"] & DatabaseStore };

/** The part of the app that statistics use. */
export type StatsApp = Omit<FormsApp, "store"> & { store: FormsApp["store"] & FlagsApp["store"] };
