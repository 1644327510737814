import type { TokenStore } from "./access/store.ts";
import type { Versioned } from "./base/changes.ts";
import type { Clockwork } from "./base/clock.ts";
import type { Blobs } from "./blobs/blobs.ts";
import type { SetupStore } from "./documents/store.ts";
import type { FlagStore, HistoryStore, ScheduleStore, SegmentStore } from "./flags/store.ts";
import type { FormStore, SubmissionStore } from "./forms/store.ts";
import type { DatabaseStore } from "./maintenance/store.ts";
import type { EnvironmentStore, ProjectStore } from "./projects/store.ts";

/** What every operation of the product is given. */
export type App = Clockwork & {
  store: Store;
  blobs: Blobs;
  /** Ids of submissions, each greater than the one before. */
  nextId: () => string;
};

/**
 * What the product needs of a database. Each method is one transaction, durable when its promise fulfils.
 * Methods that name a thing throw `not_found` where it is missing, unless they return undefined for it; inserts
 * throw `conflict` for a name that is taken; all throw `unavailable` where the database is locked, full or
 * read-only. Times are milliseconds since 1970. A `list` holds everything, a `page` no more than about `MAX_PAGE_BYTES`.
 */
export type Store = {
  projects: ProjectStore;
  environments: EnvironmentStore;
  flags: FlagStore;
  segments: SegmentStore;
  changes: HistoryStore;
  scheduled: ScheduleStore;
  setup: SetupStore;
  forms: FormStore;
  submissions: SubmissionStore;
  tokens: TokenStore;
} & Versioned &
  DatabaseStore;
