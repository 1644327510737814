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
  /** Only by the key in its address. */
  findByKey(key: string): Promise<FormRecord | undefined>;
};

export type SubmissionStore = {
  /**
   * Throws `not_found` for the form; `invalid`, and stores nothing, where nobody waits for the submission any more as its
   * commit begins.
   */
  insert(submission: StoredSubmission, isAbandoned?: () => boolean): Promise<void>;
  /**
   * Newest first: at most `limit` of those older than `before`, which need not exist any more, and at least one
   * but no more than about `MAX_PAGE_BYTES` of them.
   */
  list(form: string, limit: number, before: string | null): Promise<SubmissionPage>;
  find(id: string): Promise<Submission | undefined>;
  count(form: string): Promise<number>;
  /** Its files are loose from then on. Returns whether there was such a submission. */
  delete(id: string): Promise<boolean>;
  /** Removes at most `limit` submissions of deleted forms, as `delete` does. Returns whether any may be left. */
  clearDeleted(limit: number): Promise<boolean>;
  /** Files by blob key, those after one; at most `limit`. */
  files(after: string, limit: number): Promise<StoredFile[]>;
  /** The bytes of all files together. */
  fileBytes(): Promise<number>;
  /** The blob keys of at most `limit` files that no submission needs any more. */
  looseFiles(limit: number): Promise<string[]>;
  forgetLooseFiles(keys: string[]): Promise<void>;
  /** Of these blob keys, the ones that no submission refers to and that are not loose. */
  unreferenced(keys: string[]): Promise<string[]>;
  /** The greatest id of all submissions; null where there is none. */
  newestId(): Promise<string | null>;
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

export type FormsStore = { forms: FormStore; submissions: SubmissionStore };

/** The part of the app that operations on forms and submissions use. */
export type FormsApp = Clockwork & {
  store: Versioned & FormsStore & ChangeStore<FormChange>;
  blobs: Blobs;
  /** Ids of submissions, each greater than the one before. */
  nextId: () => string;
};
