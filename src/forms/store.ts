import type { ChangeStore } from "../access/door.ts";
import type { Versioned } from "../base/changes.ts";
import type { Clockwork } from "../base/clock.ts";
import type { Page, PageQuery } from "../base/pages.ts";
import type { Blobs } from "../blobs/blobs.ts";
import type { FormChange } from "./change.ts";
import type { FormRecord } from "./form.ts";
import type { FileInfo, StoredFile, Submission, SubmissionPage } from "./submission.ts";

type FormStore = {
  /** By slug. */
  list(): Promise<FormRecord[]>;
  page(query: PageQuery): Promise<Page<FormRecord>>;
  find(slugOrKey: string): Promise<FormRecord | undefined>;
  /** By key alone, as in the URL that submissions are posted to. */
  findByKey(key: string): Promise<FormRecord | undefined>;
};

export type SubmissionStore = {
  /**
   * Throws `not_found` for the form; `invalid`, and stores nothing, where `isAbandoned` returns true when the commit
   * begins: the sender has disconnected.
   */
  insert(submission: StoredSubmission, isAbandoned?: () => boolean): Promise<void>;
  /**
   * Newest first: at most `limit` submissions with an id below `before`, which need not exist, and no more than about
   * `MAX_PAGE_BYTES`, but at least one.
   */
  list(form: string, limit: number, before: string | null): Promise<SubmissionPage>;
  find(id: string): Promise<Submission | undefined>;
  count(form: string): Promise<number>;
  /** Deletes a submission and records its files as loose. Returns whether it existed. */
  delete(id: string): Promise<boolean>;
  /** Removes at most `limit` submissions of deleted forms, as `delete` does. Returns whether any may be left. */
  clearDeleted(limit: number): Promise<boolean>;
  /** Files sorted by blob key: at most `limit`, starting after the key `after`. */
  files(after: string, limit: number): Promise<StoredFile[]>;
  /** The total bytes of all files. */
  fileBytes(): Promise<number>;
  /** The blob keys of at most `limit` loose files: recorded for removal, because their submission was deleted. */
  looseFiles(limit: number): Promise<string[]>;
  forgetLooseFiles(keys: string[]): Promise<void>;
  /** Those of `keys` that neither a submission nor the record of loose files contains. */
  unreferenced(keys: string[]): Promise<string[]>;
  /** The greatest id of all submissions; null where there is none. */
  newestId(): Promise<string | null>;
};

export type StoredSubmission = {
  id: string;
  /** The key of the form, because its slug may be reused. */
  formKey: string;
  /** A JSON object as text, as the sender sent it. */
  data: string;
  files: (FileInfo & { key: string })[];
  createdAt: number;
};

export type FormsStore = { forms: FormStore; submissions: SubmissionStore };

/** The part of the app that operations on forms and submissions use. */
export type FormsApp = Clockwork & {
  store: Versioned & FormsStore & ChangeStore<FormChange>;
  blobs: Blobs;
  /** Ids of submissions, each greater than the one before. */
  nextId: () => string;
};
