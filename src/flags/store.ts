import type { ChangeStore } from "../access/door.ts";
import type { ClockAndRandom } from "../base/clock.ts";
import type { Versioned, Watch } from "../base/changes.ts";
import type { Page, PageQuery } from "../base/pages.ts";
import type { TallyStore } from "./reads/tally.ts";
import type { ProjectChange } from "../projects/change.ts";
import type { ProjectsStore } from "../projects/store.ts";
import type { FlagChange } from "./change.ts";
import type { TestContext } from "./contexts/test-context.ts";
import type { CodeList, CodePlace, CodeUploadRecord } from "./code/code-reference.ts";
import type { Feedback, FeedbackRecord, RatingCount } from "./previews/feedback.ts";
import {
  type FlagHead,
  type FlagPlace,
  type FlagRecord,
  type FlagStatus,
  type FlagValues,
  type PreviewedFlag,
} from "./flag.ts";
import type { FoundRamp, RampQuery } from "./ramps/ramp.ts";
import type { MemberState } from "./members.ts";
import type { Needs } from "./requires/requirement.ts";
import type { DueChange, ScheduledChange, ScheduledQuery } from "./schedule/scheduled-change.ts";
import type { SegmentPlace, SegmentRecord } from "./segment.ts";

/** The flags of one environment, newest first by creation, then by slug. */
export type FlagSelection = {
  /** Differs after every change to the flags of this environment, and is never used again. */
  revision: number;
  /** Reads the flags, which a caller that has this revision need not do. */
  flags(): Promise<FlagValues[]>;
  /** Reads the flags that are previews, in the same order. */
  previews(): Promise<PreviewedFlag[]>;
  /** Reads the segments of the environment, in their order. */
  segments(): Promise<SegmentRecord[]>;
  /** The state of the members of each segment that a form fills. */
  members(): Promise<MemberState[]>;
  /** The values of such a segment that were approved behind a revision of it. */
  membersSince(segment: string, revision: number): Promise<string[]>;
  /** The metadata of the flag set, a term of flagd, as JSON text of an object. */
  metadata: string;
};

/** The flags that two keys select. */
export type KeyedSelection = FlagSelection & {
  projectKey: string;
  /** The slugs of the project and the environment: `shop/production`. */
  place: string;
};

type FlagStore = {
  /** By slug. */
  list(project: string, environment: string): Promise<FlagRecord[]>;
  page(project: string, environment: string, query: PageQuery): Promise<Page<FlagRecord>>;
  find(where: FlagPlace): Promise<FlagRecord | undefined>;
  /** The flags of a project by slug. Throws `not_found`. */
  heads(project: string, query: PageQuery): Promise<Page<FlagHead>>;
  /** Summaries of flags in each environment of their project, by slug, then by environment. Throws `not_found`. */
  statuses(project: string, slugs: string[]): Promise<FlagStatus[]>;
  /**
   * The flags of the environment with a key, and the key of its project, which a reader has to know too; undefined for
   * an unknown environment.
   */
  select(environmentKey: string): Promise<KeyedSelection | undefined>;
  /** The flags of an environment by its slugs. Throws `not_found`. */
  selectIn(project: string, environment: string): Promise<FlagSelection>;
  /** The project of an environment that two keys select; undefined if they select none. */
  projectOf(projectKey: string, environmentKey: string): Promise<string | undefined>;
  /** The flags of an environment that have one of the slugs. Throws `not_found`. */
  among(project: string, environment: string, slugs: string[]): Promise<FlagRecord[]>;
  /** The flags of an environment that need others. Throws `not_found`. */
  needs(project: string, environment: string): Promise<Needs>;
  /** Flags that expire from `from` until before `to` in some projects, or with null in all: at most `limit`, the first to expire first. */
  expiring(
    span: { from: number; to: number },
    projects: readonly string[] | null,
    limit: number,
  ): Promise<ExpiringFlag[]>;
  /** The given slugs that are not flags of the project. Throws `not_found`. */
  missing(project: string, slugs: string[]): Promise<string[]>;
  /** Stores when flags were last read, which is not a change of the flags. Reads of missing flags are ignored. */
  markRead(reads: FlagRead[]): Promise<void>;
  /** When flags of an environment were last read, in milliseconds since 1970, by slug; without flags that never were. */
  reads(project: string, environment: string): Promise<Map<string, number>>;
};

/** A flag that expires, in milliseconds since 1970. */
export type ExpiringFlag = { project: string; environment: string; flag: string; expiresAt: number };

type SegmentStore = {
  /** By name. */
  list(project: string, environment: string): Promise<SegmentRecord[]>;
  page(project: string, environment: string, query: PageQuery): Promise<Page<SegmentRecord>>;
  find(where: SegmentPlace): Promise<SegmentRecord | undefined>;
};

type ScheduleStore = {
  /** In the order in which they are due, of every environment or of one. */
  page(project: string, environment: string | null, query: ScheduledQuery): Promise<Page<ScheduledChange>>;
  find(project: string, environment: string, id: string): Promise<ScheduledChange | undefined>;
  /** When the next change is due; null if none is. */
  nextAt(): Promise<number | null>;
  /** The next changes of some projects, or with null of all, at most `limit`. */
  next(projects: readonly string[] | null, limit: number): Promise<DueChange[]>;
  /** The earliest change that is due at `now`. */
  findDue(now: number): Promise<DueChange | undefined>;
};

type RampStore = {
  /** The last ramp of the flag there. Throws `not_found` for the environment. */
  find(where: FlagPlace): Promise<FoundRamp | undefined>;
  /** By flag and environment, of every environment or of one. Throws `not_found`. */
  page(project: string, environment: string | null, query: RampQuery): Promise<Page<FoundRamp>>;
  /** The name of the experiment that holds the flag there. Throws `not_found` for the environment. */
  experimentOn(where: FlagPlace): Promise<string | undefined>;
  /** Ramps that are running or paused in some projects, or with null in all, at most `limit`; the next step first. */
  held(projects: readonly string[] | null, limit: number): Promise<FoundRamp[]>;
  /** The ramps of a flag in every environment, by environment. Throws `not_found` for the project. */
  ofFlag(project: string, flag: string): Promise<FoundRamp[]>;
  /** When the next step is due; null if none is. */
  nextAt(): Promise<number | null>;
  /** The first running ramp that is due at `now`, or whose flag or environment was changed since it was stored. */
  findDue(now: number): Promise<FoundRamp | undefined>;
};

/** Selects code references of a project; `after` is the cursor of the list before. */
export type CodeQuery = {
  flag?: string | undefined;
  branch?: string | undefined;
  projectName?: string | undefined;
  limit: number;
  after?: string | undefined;
};

/** A list of references with its upload. */
export type StoredCodeList = CodeUploadRecord & CodeList & { cursor: string };

type CodeStore = {
  /** The uploads of a project, each with an id that other uploads may have later. Throws `not_found`. */
  uploads(project: string): Promise<(CodeUploadRecord & { id: number })[]>;
  /** The slugs in an upload, sorted, after a slug. */
  slugs(upload: number, after: string, limit: number): Promise<string[]>;
  /** By upload, slug and part. Throws `invalid` for a cursor that is none, `not_found`. */
  page(project: string, query: CodeQuery): Promise<Page<StoredCodeList>>;
  /**
   * Stores an upload in the place of the one with the same branch and name. Beyond `most` uploads of the project, the
   * one that was stored longest ago is removed. Throws `not_found`.
   */
  replace(project: string, upload: CodeUploadRecord, lists: CodeList[], most: number): Promise<void>;
  /** Removes an upload with its references. Throws `not_found` for the project. */
  remove(project: string, place: CodePlace): Promise<void>;
};

/** A flag in one environment, or with null in all of them. */
export type FeedbackPlace = { project: string; environment: string | null; flag: string };

/** A feedback to store, about a flag of the environment that two keys select. */
export type NewFeedback = Feedback & {
  id: string;
  projectKey: string;
  environmentKey: string;
  flag: string;
  createdAt: number;
};

/** Selects feedback from the smallest id `from`, before the id `before`; null does not limit it. */
export type FeedbackQuery = { limit: number; from: string | null; before: string | null };

type FeedbackStore = {
  /**
   * Stores a feedback and returns its id; if one with the same hash has not expired, returns the id of that, and stores
   * nothing. Null if the flag does not exist.
   */
  insert(feedback: NewFeedback, recent: { hash: string; expiresAt: number }): Promise<string | null>;
  /** Newest first. */
  page(place: FeedbackPlace, query: FeedbackQuery): Promise<Page<FeedbackRecord>>;
  /** Counts the next `limit` in the order of their ids, after one; `next` is the last of them, null at the end. */
  count(
    place: FeedbackPlace,
    after: string | null,
    limit: number,
  ): Promise<{ counts: RatingCount[]; next: string | null }>;
  /** Returns whether it existed. */
  delete(project: string, id: string): Promise<boolean>;
  /** Deletes at most `limit`, and returns how many it deleted. */
  deleteSome(place: FeedbackPlace, limit: number): Promise<number>;
};

type TestContextStore = {
  /** By name. Throws `not_found`. */
  list(project: string): Promise<TestContext[]>;
};

export type FlagsStore = {
  flags: FlagStore;
  segments: SegmentStore;
  scheduled: ScheduleStore;
  ramps: RampStore;
  code: CodeStore;
  feedback: FeedbackStore;
  tallies: TallyStore;
  flagNotices: FlagNoticeStore;
  testContexts: TestContextStore;
};

/** A flag that is stale since a time; that made it so from another one on. */
export type StaleSince = { slug: string; since: number; from: number };

type FlagNoticeStore = {
  /** When a flag expires next of which no notice was given; null for never. */
  nextExpiry(): Promise<number | null>;
  /**
   * Queues notices of at most `limit` flags that expired until `now`, each once, whichever process asks. Returns their
   * projects, and whether any may be left.
   */
  expire(now: number, limit: number): Promise<{ projects: string[]; isLeft: boolean }>;
  /** The projects that have an enabled target. */
  listening(): Promise<string[]>;
  /**
   * Queues a notice of each flag of a project that is stale, or removable, now and was not before. Returns how many there
   * are.
   */
  mark(
    what: "stale" | "removable",
    project: string,
    flags: readonly StaleSince[],
    now: number,
  ): Promise<number>;
};

/** The part of the app that operations on flags and segments use. */
export type FlagsApp = ClockAndRandom & {
  watch: Watch;
  store: Versioned & ProjectsStore & FlagsStore & ChangeStore<ProjectChange | FlagChange>;
};

/** A read of a flag, or of all flags of the environment if `slug` is null. */
export type FlagRead = { environmentKey: string; slug: string | null; at: number };
