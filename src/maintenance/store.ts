import type { FlagsApp } from "../flags/store.ts";
import type { FormsApp, SubmissionStore } from "../forms/store.ts";
import type { Distribution } from "../base/metrics.ts";
import type { Stage } from "./column.ts";
import type { TableName } from "./tables.ts";

/** The servers that use a shared database, by ids in hex. Facts are JSON, as {@link RunningServer}. */
export type Servers = {
  /** Records that a server runs, which it repeats every minute, and removes stopped ones. */
  note(id: string, facts: string): Promise<void>;
  /** Records that a server has ended. */
  forget(id: string): Promise<void>;
  /** The facts of running servers, in no order; a killed one counts for two and a half minutes. */
  list(): Promise<string[]>;
  /** Wakes the jobs of all servers that listen, for a process that has changed something and has no jobs. */
  wake(): Promise<void>;
  /** Calls `woken` after each {@link wake}, and after any that may have been missed, until the returned function is called. */
  listen(woken: () => void): () => void;
};

/** The database as a whole. */
export type DatabaseStore = {
  /** Null for a database that one server uses. */
  servers: Servers | null;
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
  /**
   * All rows that a copy takes, as of the moment at which reading begins, in the order of `PORTABLE_TABLES`. Others go on to
   * write. `progress` receives approximate bytes.
   */
  dump(progress?: (done: number, total: number) => void): Dump;
  /**
   * Fills a store that is empty, and counts its submissions. Ids are kept. The search index is filled later, as for new
   * submissions. The setup version comes last, so that an unfinished store never passes for a complete one. Throws
   * `conflict` for a store that has rows.
   */
  fill(dump: Dump): Promise<void>;
  moving(): Promise<MovingStore>;
  /** Finishes the queued writes and closes the database. */
  close(): Promise<void>;
};

/** A value of a dump. Numbers are safe integers. */
export type PortableValue = string | number | Uint8Array | null;

/** Rows of one table, with the values of its columns in their order: at most some hundreds, and a few megabytes. */
export type Batch = { table: TableName; rows: PortableValue[][] };

export type Dump = AsyncIterable<Batch>;

/**
 * The part of a store that only a move uses, besides a dump. Nothing else writes to the store that data is moved into.
 */
export type MovingStore = {
  /**
   * Marks a store that is empty as the target of a move, until it is released: servers refuse it if the database can say so.
   * Throws `conflict` for a store with data that no unfinished move has brought.
   */
  begin(): Promise<void>;
  /** Lets servers use a target into which nothing was brought. Throws `conflict` for one with data. */
  giveUp(): Promise<void>;
  /**
   * Replaces all rows of the tables of a stage, in one transaction. A form that has submissions is not removed, but counts as
   * deleted.
   */
  replace(stage: Exclude<Stage, "submissions">, dump: Dump): Promise<void>;
  /** The ids among rows of `submissions` that the store lacks, or has in another state. */
  outdated(submissions: Batch): Promise<Set<string>>;
  /** Inserts submissions and files that the store lacks, and updates the state of submissions that it has. */
  receive(batch: Batch): Promise<void>;
  /** A page of the ids of all submissions, and where the next one begins; null behind the last. */
  ids(after: string | null): Promise<{ ids: string[]; next: string | null }>;
  /** The ids that no submission of the store has. */
  unknown(ids: readonly string[]): Promise<string[]>;
  /** Removes submissions and all that refers to them. Their files are garbage from then on. */
  remove(ids: readonly string[]): Promise<void>;
  /** Counts the submissions of a target, and lets servers use it. */
  release(): Promise<void>;
};

/** A text for each kind of data, which differs once some of it has changed. */
export type Activity = { setup: string; access: string; submissions: string; deliveries: string };

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
