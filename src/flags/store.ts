import type { Author } from "../access/caller.ts";
import type { Page, PageQuery } from "../base/pages.ts";
import type { SetResult } from "../base/result.ts";
import type { FlagRead } from "./flag-read.ts";
import type { ChangedFlag, FlagPatch, FlagPlace, FlagRecord } from "./flag.ts";
import type { Change, ChangeQuery } from "./history.ts";
import type { ImportPlan, ImportResult } from "./import.ts";
import type { Promotion, PromotionOrder } from "./promotion.ts";
import type { ScheduledQuery } from "./schedule.ts";
import type { DueChange, ScheduledChange } from "./scheduled-change.ts";
import type { SegmentPlace, SegmentRecord } from "./segment.ts";

export type FlagStore = {
  /**
   * Applies `applyPatch` to the flag in that environment. A new flag is off in the others. Throws `conflict` unless
   * the flag is at the `expected` revision, where one is given.
   */
  set(where: FlagPlace, patch: FlagPatch, by: Author, expected?: number | null): Promise<ChangedFlag>;
  /** Sets it to what it was after the revision `to`; throws as `stateAfter` does, and `conflict` as `set` does. */
  rollback(where: FlagPlace, to: number, by: Author, expected?: number | null): Promise<ChangedFlag>;
  /** Copies values between environments; without an author it only tells what it would do. */
  promote(project: string, order: PromotionOrder, by: Author | null): Promise<Promotion>;
  /** By slug. */
  list(project: string, environment: string): Promise<FlagRecord[]>;
  page(project: string, environment: string, query: PageQuery): Promise<Page<FlagRecord>>;
  find(where: FlagPlace): Promise<FlagRecord | undefined>;
  /** `expected` is the newest of its revisions in any environment. */
  delete(project: string, slug: string, by: Author, expected?: number | null): Promise<void>;
  /** What the two keys select, or undefined. */
  select(projectKey: string, environmentKey: string): Promise<FlagSelection | undefined>;
  /** Keeps when flags were last read. Reads of what is not there are left out; no reader looks for this as a change. */
  markRead(reads: FlagRead[]): Promise<void>;
  /** When the flags of an environment were last read, in milliseconds since 1970, by slug; those that ever were. */
  reads(project: string, environment: string): Promise<Map<string, number>>;
  /** The same by the names. */
  selectIn(project: string, environment: string): Promise<FlagSelection>;
  /** Does all of the plan or nothing; a dry run only tells what it would do. */
  import(
    where: { project: string; environment: string },
    plan: ImportPlan,
    by: Author,
    dryRun: boolean,
  ): Promise<ImportResult>;
};

export type SegmentStore = {
  /** Creates it or gives it another rule, as JSON text. Throws `conflict` as `flags.set` does. */
  set(
    where: SegmentPlace,
    rule: string,
    by: Author,
    expected?: number | null,
  ): Promise<{ record: SegmentRecord; result: SetResult }>;
  /** By name. */
  list(project: string, environment: string): Promise<SegmentRecord[]>;
  page(project: string, environment: string, query: PageQuery): Promise<Page<SegmentRecord>>;
  find(where: SegmentPlace): Promise<SegmentRecord | undefined>;
  delete(where: SegmentPlace, by: Author, expected?: number | null): Promise<void>;
};

export type HistoryStore = {
  /** Newest first. */
  list(project: string, query: ChangeQuery): Promise<Page<Change>>;
};

export type ScheduleStore = {
  insert(project: string, change: ScheduledChange): Promise<ScheduledChange>;
  /** The next first; of every environment, or of one. */
  list(project: string, environment: string | null, query: ScheduledQuery): Promise<Page<ScheduledChange>>;
  delete(project: string, environment: string, id: string): Promise<void>;
  /** When the next change is due; null where none is. */
  nextAt(): Promise<number | null>;
  /**
   * Makes every change that is due at `now`, in order of time, and forgets it: once, also where several processes
   * try. One that cannot be made any more is recorded as such.
   */
  applyDue(now: number): Promise<DueChange[]>;
};

/** The flags of one environment, newest first by creation, then by slug. */
export type FlagSelection = {
  /** Differs after every change to the flags of this environment, and is never used again. */
  revision: number;
  /** Only read where the revision is not the one the caller has. */
  flags(): Promise<FlagRecord[]>;
  /** What rules of these flags refer to, in the order in which they were made. */
  segments(): Promise<SegmentRecord[]>;
  /** What flagd calls the metadata of the flag set, as a JSON object. */
  metadata: string;
};
