import type { ChangeStore } from "../access/door.ts";
import type { Clockwork } from "../base/clock.ts";
import type { Versioned } from "../base/changes.ts";
import type { Page, PageQuery } from "../base/pages.ts";
import type { ProjectChange } from "../projects/change.ts";
import type { ProjectsStore } from "../projects/store.ts";
import type { FlagChange } from "./change.ts";
import type { FlagRead } from "./flag-read.ts";
import type { FlagPlace, FlagRecord } from "./flag.ts";
import type { DueChange, ScheduledChange, ScheduledQuery } from "./scheduled-change.ts";
import type { SegmentPlace, SegmentRecord } from "./segment.ts";

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

type FlagStore = {
  /** By slug. */
  list(project: string, environment: string): Promise<FlagRecord[]>;
  page(project: string, environment: string, query: PageQuery): Promise<Page<FlagRecord>>;
  find(where: FlagPlace): Promise<FlagRecord | undefined>;
  /** What the two keys select, or undefined. */
  select(projectKey: string, environmentKey: string): Promise<FlagSelection | undefined>;
  /** The same by the names. */
  selectIn(project: string, environment: string): Promise<FlagSelection>;
  /** Keeps when flags were last read. Reads of what is not there are left out; no reader takes this for a change. */
  markRead(reads: FlagRead[]): Promise<void>;
  /** When the flags of an environment were last read, in milliseconds since 1970, by slug; those that ever were. */
  reads(project: string, environment: string): Promise<Map<string, number>>;
};

type SegmentStore = {
  /** By name. */
  list(project: string, environment: string): Promise<SegmentRecord[]>;
  page(project: string, environment: string, query: PageQuery): Promise<Page<SegmentRecord>>;
  find(where: SegmentPlace): Promise<SegmentRecord | undefined>;
};

type ScheduleStore = {
  /** The next first; of every environment, or of one. */
  page(project: string, environment: string | null, query: ScheduledQuery): Promise<Page<ScheduledChange>>;
  find(project: string, environment: string, id: string): Promise<ScheduledChange | undefined>;
  /** When the next change is due; null where none is. */
  nextAt(): Promise<number | null>;
  /** The first of the changes that are due at `now`. */
  findDue(now: number): Promise<DueChange | undefined>;
};

export type FlagsStore = { flags: FlagStore; segments: SegmentStore; scheduled: ScheduleStore };

/** The part of the app that operations on flags and segments use. */
export type FlagsApp = Clockwork & {
  store: Versioned & ProjectsStore & FlagsStore & ChangeStore<ProjectChange | FlagChange>;
};
