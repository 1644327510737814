import type { StoredFilter } from "./filters.ts";
import type { SearchTerms } from "./search-text.ts";
import type { RawSubmission } from "../submission.ts";

/** Position of a submission in the order of arrival, independent of its id: each new submission has a greater place. */
export type Arrival = { id: string; place: number };

/** A submission of a scan of every form. */
export type ScannedSubmission = {
  place: number;
  id: string;
  /** The slugs of the project and of the form. */
  project: string;
  form: string;
  formKey: string;
  /** A JSON object as text, as it was sent. */
  data: string;
  /** The number of its files. */
  files: number;
};

/** Range of submissions that a step reads, and the filter on them. Times are milliseconds since 1970. */
export type Scan = StoredFilter & {
  /** Only what had arrived by this place; null for all. */
  upTo: number | null;
  /** Only what may have these terms; the driver may return more. What is not in the search index is left out. */
  terms: SearchTerms | null;
  before: string | null;
  limit: number;
  /** Approximate bytes of text that one step reads, unless its first submission is larger. */
  bytes: number;
};

/** `next` is the id of the last one that was looked at, to go on before; null at the end. */
export type ScanStep = { submissions: RawSubmission[]; next: string | null };
