import type { Page, PageQuery } from "../base/pages.ts";
import type { SetResult } from "../base/result.ts";
import type { Form, FormPatch, FormRecord } from "./form.ts";
import type { FileInfo, StoredFile, Submission, SubmissionPage } from "./submission.ts";

export type FormStore = {
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

export type SubmissionStore = {
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

export type StoredSubmission = {
  id: string;
  /** The form's key: it outlives a slug. */
  formKey: string;
  /** A JSON object as text, as it came. */
  data: string;
  files: (FileInfo & { key: string })[];
  createdAt: number;
};
