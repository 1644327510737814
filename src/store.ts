import type { StoredFile } from "./check.ts";
import type { Environment } from "./environments.ts";
import type { Distribution } from "./metrics.ts";
import type { ChangedFlag, FlagPatch, FlagRecord, SetResult } from "./flags.ts";
import type { Author, Change, ChangeQuery } from "./history.ts";
import type { ImportPlan, ImportResult } from "./import.ts";
import type { Page, PageQuery } from "./pages.ts";
import type { Promotion, PromotionOrder } from "./promotion.ts";
import type { DueChange, ScheduledChange, ScheduledQuery } from "./schedule.ts";
import type { SegmentRecord } from "./segments.ts";
import type { Form, FormPatch, FormRecord } from "./forms.ts";
import type { Project } from "./projects.ts";
import type { FlagRead } from "./reads.ts";
import type { Setup, SetupChange } from "./setup.ts";
import type { FileInfo, Submission, SubmissionPage } from "./submissions.ts";
import type { Scope, Token, TokenPlace } from "./tokens.ts";

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

type ProjectStore = {
  insert(project: Project & { createdAt: number }, who: string): Promise<Project>;
  /** By slug, as the environments in each. */
  list(): Promise<Project[]>;
  page(query: PageQuery): Promise<Page<Project>>;
  find(slug: string): Promise<Project | undefined>;
  delete(slug: string): Promise<void>;
};

type EnvironmentStore = {
  /** With `from`, the values of that environment's flags and its segments are copied, each as a change of its own. */
  insert(
    project: string,
    environment: Environment & { createdAt: number },
    from: string | null,
    who: string,
  ): Promise<Environment>;
  /** By slug. */
  list(project: string): Promise<Environment[]>;
  lock(
    project: string,
    slug: string,
    locked: boolean,
    by: Author,
  ): Promise<{ environment: Environment; result: SetResult }>;
  delete(project: string, slug: string, by: Author): Promise<void>;
};

type FlagStore = {
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

type SegmentStore = {
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

type HistoryStore = {
  /** Newest first. */
  list(project: string, query: ChangeQuery): Promise<Page<Change>>;
};

type ScheduleStore = {
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

type SetupStore = {
  /** As of one moment: these projects of those that exist, or all, and the forms where they are asked for. */
  read(projects: string[] | null, forms: boolean): Promise<Setup>;
  /**
   * Makes all of the changes or none; returns the blob keys of files of deleted forms. Throws `conflict` unless the
   * setup is still at that version.
   */
  apply(changes: SetupChange[], version: number, by: Author): Promise<string[]>;
};

type FormStore = {
  insert(form: FormRecord): Promise<Form>;
  update(slugOrKey: string, patch: FormPatch, now: number): Promise<{ form: Form; result: SetResult }>;
  /** By slug. */
  list(): Promise<Form[]>;
  page(query: PageQuery): Promise<Page<Form>>;
  find(slugOrKey: string): Promise<Form | undefined>;
  /** Only by the key in its address. */
  findByKey(key: string): Promise<Form | undefined>;
  /** Removes the form and its submissions; returns the blob keys of their files. */
  delete(slugOrKey: string): Promise<string[]>;
};

type SubmissionStore = {
  /** Throws `invalid`, and stores nothing, where nobody waits for the submission any more as its commit begins. */
  insert(submission: StoredSubmission, isAbandoned?: () => boolean): Promise<void>;
  /**
   * Newest first: at most `limit` of those older than `before`, which need not exist any more, and at least one
   * but no more than about `MAX_PAGE_BYTES` of them.
   */
  list(form: string, limit: number, before: string | null): Promise<SubmissionPage>;
  find(id: string): Promise<Submission | undefined>;
  count(form: string): Promise<number>;
  /** Returns the blob keys of its files. */
  delete(id: string): Promise<string[]>;
  /** Files by blob key, those after one; at most `limit`. */
  files(after: string, limit: number): Promise<StoredFile[]>;
  /** The bytes of all files together. */
  fileBytes(): Promise<number>;
  /** Of these blob keys, the ones that no submission refers to. */
  unreferenced(keys: string[]): Promise<string[]>;
  /** The greatest id of all submissions; null where there is none. */
  newestId(): Promise<string | null>;
};

type TokenStore = {
  insert(token: StoredToken): Promise<Token>;
  /** By name. */
  list(): Promise<Token[]>;
  page(query: PageQuery): Promise<Page<Token>>;
  /** By the hash of its secret; with the keys of the environment that it is limited to. */
  find(hash: string): Promise<(Token & { keys?: EnvironmentKeys }) | undefined>;
  delete(name: string): Promise<void>;
};

/** What changes by other processes are noticed by. */
type Versioned = {
  /** A number that grows with every change to projects, environments, flags or forms, by whichever process. */
  version(): Promise<number>;
  /** Calls back after each such change that was made through this store. */
  watch(changed: () => void): void;
};

/** The database as a whole. */
type DatabaseStore = {
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
  files: Store["submissions"]["files"];
  close(): Promise<void>;
};

/** What selects an environment, as readers send it. */
export type EnvironmentKeys = { projectKey: string; environmentKey: string };

export type FlagPlace = { project: string; environment: string; flag: string };
export type SegmentPlace = { project: string; environment: string; segment: string };

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

export type StoredSubmission = {
  id: string;
  /** The form's key: it outlives a slug. */
  formKey: string;
  /** A JSON object as text, as it came. */
  data: string;
  files: (FileInfo & { key: string })[];
  createdAt: number;
};

export type StoredToken = {
  name: string;
  hash: string;
  scopes: Scope[];
  /** What it is limited to. */
  place: TokenPlace | null;
  createdAt: number;
  expiresAt: number | null;
};
