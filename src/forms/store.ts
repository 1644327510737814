import type { AuditStore } from "../access/audit/audit-store.ts";
import type { Author } from "../access/caller.ts";
import type { ChangeStore } from "../access/door.ts";
import type { SecretStore } from "../access/store.ts";
import type { Versioned, Watch } from "../base/changes.ts";
import type { ClockAndRandom } from "../base/clock.ts";
import type { Page } from "../base/pages.ts";
import type { Blobs } from "../blobs/blobs.ts";
import type { Notes } from "../blobs/notes.ts";
import type { TargetChange } from "../delivery/change.ts";
import type { DeliveriesStore } from "../delivery/store.ts";
import type { NewDelivery } from "../delivery/delivery.ts";
import type { ProjectChange } from "../projects/change.ts";
import type { ProjectsStore } from "../projects/store.ts";
import type { FeedStore } from "./feeds/feed-store.ts";
import type { FormChange } from "./change.ts";
import type { Conditions, Insertion, StoredSubmission } from "./intake/insertion.ts";
import type { FilledSegment, FormRecord } from "./form.ts";
import type { OptInStore } from "./opt-in/opt-in-store.ts";
import type { FormPorts } from "./ports.ts";
import type { Shared } from "./shared.ts";
import type { Arrival, Scan, ScanStep, ScannedSubmission } from "./inbox/scan.ts";
import type { HandlingStore, MarkRecord } from "./inbox/handling-store.ts";
import type { RawSubmission, StoredFile, Submission, SubmissionPage, Standing } from "./submission.ts";
import type { ColumnName } from "./submission-columns.ts";
import type { LearningStore } from "./spam/learning-store.ts";
import type { SubmissionMark, SubmissionState } from "./submission-state.ts";

type FormStore = {
  /** By slug and project. Default: those of every project. */
  list(projects?: readonly string[] | null): Promise<FormRecord[]>;
  page(query: FormPageQuery): Promise<Page<FormRecord>>;
  /** The forms of that slug, by project, and one of that key. */
  named(slugOrKey: string): Promise<FormRecord[]>;
  /** By key alone, as in the URL that submissions are posted to, with what its project says. */
  findByKey(key: string): Promise<FormRecord | undefined>;
  /** The segments that the form of that key fills. */
  filledBy(key: string): Promise<FilledSegment[]>;
};

/** `after` is the form before the page; `projects` are null for every project. */
export type FormPageQuery = {
  limit: number;
  after?: { slug: string; project: string } | null;
  projects: readonly string[] | null;
};

export type SubmissionStore = HandlingStore &
  OptInStore & {
    /**
     * Decides in the transaction of the row, so that the conditions hold under concurrency. Throws `not_found` for the form;
     * `invalid`, and stores nothing, where `isAbandoned` returns true when the commit begins: the sender has disconnected;
     * `unavailable` where the upload note of its files was claimed, and, with the reason `UNKNOWN_OUTCOME`, where the database
     * went away before it said whether the row is stored.
     */
    insert(submission: StoredSubmission, isAbandoned?: () => boolean): Promise<Insertion>;
    /**
     * Newest first: at most `limit` submissions with an id below `before`, which need not exist, and no more than about
     * `MAX_PAGE_BYTES`, but at least one. In every state, unless some are given.
     */
    list(
      form: string,
      limit: number,
      before: string | null,
      states?: readonly SubmissionState[],
    ): Promise<SubmissionPage>;
    /**
     * One step through the submissions of a form, newest first: looks at no more than `limit` after `before`, and returns
     * submissions that fulfil the scan.
     */
    scan(form: string, scan: Scan): Promise<ScanStep>;
    find(id: string): Promise<Submission | undefined>;
    /** As `find`, with the data as text. */
    findRaw(id: string): Promise<RawSubmission | undefined>;
    /** The standing of submissions, by id. Unknown ids are left out. */
    standing(ids: readonly string[]): Promise<Record<string, Standing>>;
    /**
     * At most `limit` submissions of a form next to one: newer ones in ascending order, or older ones in descending order.
     * The submission of that id need not exist.
     */
    beside(
      form: string,
      id: string,
      direction: "newer" | "older",
      states: readonly SubmissionState[],
      limit: number,
    ): Promise<RawSubmission[]>;
    /** A step through at most `limit` forms: those with submissions in the states and below `before`, with the newest id. */
    newestOf(
      query: NewestQuery,
    ): Promise<{ forms: { formKey: string; newest: string }[]; next: number | null }>;
    /**
     * Marks submissions in one transaction and returns the ids that were not marked so before, which are recorded
     * with who marked them. Submissions that leave the spam folder get their deliveries, by id; with the reason
     * `manual`, which spam gets here, only deliveries that were cancelled are queued again.
     * Throws `not_found` for an unknown id, and changes nothing.
     */
    mark(
      ids: readonly string[],
      mark: SubmissionMark,
      deliveries: Readonly<Record<string, readonly NewDelivery[]>>,
      by: Author,
    ): Promise<string[]>;
    /** The newest `MAX_MARKS_KEPT` marks of a submission, oldest first; empty for an unknown id. */
    marks(id: string): Promise<MarkRecord[]>;
    /** Adds some submissions to the search index and removes some deleted ones. Returns whether any work is left. */
    updateIndex(): Promise<boolean>;
    /** How many submissions the search index lacks, at most, and whether it still has deleted ones. */
    indexBacklog(): Promise<{ missing: number; removals: boolean }>;
    /** Counts the submissions of the form with that key. Default: all states. */
    count(formKey: string, states?: readonly SubmissionState[]): Promise<number>;
    /** Counts of every form, by slug and project. */
    counts(): Promise<FormCounts[]>;
    /** Submissions stored in each span of hours, by the times of their creation; also those moved or deleted since. Without `spam`, none of it. */
    stored(formKey: string, spans: readonly Span[], spam?: boolean): Promise<StoredSum[]>;
    /** How many are there that are not spam, of spans in milliseconds since 1970, by their ids. */
    storedBetween(formKey: string, spans: readonly Span[]): Promise<number[]>;
    /** Why the newest spam of a form is spam: of at most `limit` submissions from a time on, newest first. */
    spamReasons(formKey: string, newest: Newest): Promise<string[]>;
    /** When the newest submissions of a form, without spam, got their first reply or were archived; newest first. */
    firstAnswers(formKey: string, newest: Newest): Promise<FirstAnswer[]>;
    /**
     * The oldest unread submission in the inbox of a form that has `unread` of them; null if they are not among the newest
     * `limit` submissions there.
     */
    oldestUnread(formKey: string, unread: number, limit: number): Promise<string | null>;
    /** Submissions of all forms, or of those of some projects, in each span, as `stored`. */
    storedIn(projects: readonly string[] | null, spans: readonly Span[]): Promise<StoredSum[]>;
    /** Number of unread submissions in the inboxes of all forms, or of those of some projects. */
    unread(projects?: readonly string[] | null): Promise<number>;
    /** The slugs of the forms whose counts are not those of their submissions. Reads every submission: for a check. */
    wrongCounts(): Promise<string[]>;
    /** Counts every submission again. Other writes wait: about a second for each million. */
    recount(): Promise<void>;
    /** Predicts the outcome of `insert` for the form with that key. Changes nothing. */
    predict(formKey: string, now: number, conditions: Conditions): Promise<Insertion>;
    /** Removes at most `limit` of what has expired of keys, challenges and contents each. Returns whether any may be left. */
    clearExpired(now: number, limit: number): Promise<boolean>;
    /**
     * Deletes submissions in these states, by default in all, and makes their files garbage. With `by`, it is in the audit log.
     * Returns the ids deleted.
     */
    delete(
      ids: readonly string[],
      states?: readonly SubmissionState[],
      by?: Author | null,
    ): Promise<string[]>;
    /** Some of the submissions that are too old to be kept, by their id; exact if `below` is null. */
    aged(query: AgedQuery): Promise<{ ids: string[]; next: string | null }>;
    /** Deletes those of `ids` that are still too old, as `delete` does. Returns how many. */
    deleteAged(aged: Aged, ids: string[], by?: Author | null): Promise<number>;
    /**
     * At most `limit` submissions of every form in the order in which they were stored, fewer where they are large. `after`
     * is `next` of the step before, 0 for the first step; `next` is null at the end.
     */
    scanAll(after: number, limit: number): Promise<{ items: ScannedSubmission[]; next: number | null }>;
    /** Deletes submissions as `delete` does, their idempotency keys and marks of automatic replies. Returns the ids that existed. */
    purge(
      submissions: { place: number; id: string }[],
      replyHashes: string[],
      by?: Author | null,
    ): Promise<string[]>;
    /**
     * Rewrites the database, so that nothing of deleted rows is left in its files. Other writes wait: about a second for
     * each 100 MB. Throws `unavailable` if that fails, or where a reader of the old state has not ended within seconds.
     */
    rewrite(): Promise<void>;
    /**
     * Removes at most `limit` submissions of a deleted form, as `delete` does. Returns their ids, or null if no deleted form
     * is left.
     */
    clearDeleted(limit: number): Promise<string[] | null>;
    /** Files sorted by blob key: at most `limit`, starting after the key `after`. */
    files(after: string, limit: number): Promise<StoredFile[]>;
    /** The total bytes of all files. */
    fileBytes(): Promise<number>;
    /** Returns the keys that neither a submission nor the garbage contains. */
    unreferenced(keys: string[]): Promise<string[]>;
    /**
     * Stores submissions from elsewhere, all in one transaction, except those whose id is known, and records whether they have
     * foreign ids; nothing is delivered. Throws `not_found` for the form.
     */
    import(formKey: string, submissions: ImportedSubmission[]): Promise<ImportResult>;
    /** Whether an import has brought ids to a form that do not begin with about the time of their submission. */
    hasForeignIds(formKey: string): Promise<boolean>;
    /** The greatest id of all submissions below one, or null. */
    newestId(below: string): Promise<string | null>;
    /** The submission of that id in the order of arrival, or null. */
    arrival(id: string): Promise<Arrival | null>;
    /**
     * The last submissions that arrived, the last one first. What is stored later has a greater place than these. Default: those
     * to the forms of every project.
     */
    lastArrivals(limit: number, projects?: readonly string[] | null): Promise<Arrival[]>;
  };

/** Number of submissions in each folder of a form. `unread` counts unread ones in the inbox. */
export type FormCounts = {
  formKey: string;
  /** The slug of the project. */
  project: string;
  /** The slug of the form. */
  form: string;
  name: string;
  inbox: number;
  unread: number;
  spam: number;
  archived: number;
  unconfirmed: number;
};

/** The hours since 1970, or the milliseconds, from `from` until before `to`. */
export type Span = { from: number; to: number };

/** How many submissions were stored in the inbox and in the spam folder. */
export type StoredSum = { inbox: number; spam: number };

/** At most `limit` submissions from a time on, and before another one, in milliseconds since 1970, by their ids. */
export type Newest = { since: number; until?: number | undefined; limit: number };

/** When a submission was stored and first answered, in milliseconds since 1970; null for not yet. */
export type FirstAnswer = { createdAt: number; at: number | null };

/** The submissions of a form in one state from before a time, in milliseconds since 1970. */
export type Aged = { formKey: string; state: SubmissionState; createdBefore: number };

/** A step through the ids between `after` and `below`: at most `limit` submissions are looked at. Null for no bound. */
export type AgedQuery = Aged & { after: string | null; below: string | null; limit: number };

/** `after` is `next` of the step before, 0 for the first step. */
export type NewestQuery = {
  states: readonly SubmissionState[];
  before: string | null;
  after: number;
  limit: number;
};

/** A submission from elsewhere, without its files. */
export type ImportedSubmission = {
  id: string;
  /** A JSON object as text. */
  data: string;
  /** Milliseconds since 1970. */
  createdAt: number;
  state: SubmissionState;
  /** Why it is spam; null in any other folder. */
  spam: string | null;
  read: boolean;
} & Partial<Pick<Submission, ColumnName>>;

/** How many were stored; how many were known, and how many of these belong to other forms. */
export type ImportResult = { imported: number; skipped: number; elsewhere: number };

export type FormsStore = {
  feeds: FeedStore;
  forms: FormStore;
  submissions: SubmissionStore;
  learning: LearningStore;
  secrets: SecretStore;
  /** Null if one process serves the database. */
  shared: Shared | null;
} & AuditStore &
  DeliveriesStore;

/** The part of the app that operations on forms and submissions use. */
export type FormsApp = ClockAndRandom &
  FormPorts & {
    watch: Watch;
    store: Versioned &
      FormsStore &
      Pick<ProjectsStore, "projects"> &
      ChangeStore<FormChange | TargetChange | ProjectChange>;
    blobs: Blobs;
    notes: Notes;
    /** Ids of submissions and deliveries, each greater than the one before. */
    nextId: () => string;
    /** Called once deliveries are queued, so that a server sends them at once. */
    onQueued: () => void;
    /** Called once submissions are marked or answered, so that a server learns from them soon; absent where no job does. */
    onMarked?: () => void;
  };
