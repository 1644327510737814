import { KiB, MiB } from "../base/bytes.ts";

/** Bytes of a file. Beyond: 413, names the file. Set with `forms set --max-file-size`. */
export const DEFAULT_MAX_FILE_SIZE = MiB;

/** Files. Set with `forms set --max-files`. */
export const DEFAULT_MAX_FILES = 5;

/** The highest limit that a form can set for the bytes of one file. */
export const CEILING_FILE_SIZE = 10 * 1024 * MiB;

/** The highest limit that a form can set for the files of one submission. */
export const CEILING_FILES = 100;

/** Limits of a submission that an ordinary form never reaches. Sizes are bytes of UTF-8, inclusive. */
export const SUBMISSION_LIMITS = {
  /** Fields; each value of a repeated field counts. */
  fields: 200,
  /** Bytes of a field name. */
  fieldName: 200,
  /** Bytes of a text. Beyond: 413, names the field. */
  fieldValue: 256 * KiB,
  /** Bytes of a JSON or urlencoded body. */
  body: MiB,
  /** Levels of JSON: `{"a":1}` has 1. */
  depth: 16,
  /** Bytes of all text fields of a multipart body together. */
  multipartText: 4 * MiB,
  /** Bytes of all text fields as JSON: control characters take six bytes there, quotes and line breaks two. */
  json: 8 * MiB,
  /** Bytes of the headers of a part. */
  partHeaders: 16 * KiB,
  /** Bytes before the first and after the last boundary of a multipart body. Beyond: 400. */
  multipartPadding: 64 * KiB,
  /** Bytes of a file name. */
  fileName: 1024,
  /** Characters of a file's media type. */
  fileType: 255,
} as const;

/** Limits of feeds. */
export const FEED_LIMITS = {
  /** Feeds of a form. Beyond: 409. */
  feeds: 50,
  /** Submissions in a feed. Set with `feeds create --limit`. */
  items: 10_000,
  /** Submissions in a feed without `--limit`. Beyond: older ones are left out. */
  defaultItems: 1000,
  /** Approximate bytes of the submissions in a feed. Beyond: older ones are left out. */
  bytes: 16 * MiB,
  /** Fields of `feeds create --field`. */
  fields: 100,
  /** Characters of the name of a feed. */
  name: 200,
} as const;

/** Fields with their own column in a CSV export. Beyond: later ones share the column `otherFields`, as JSON. */
export const MAX_CSV_FIELDS = 1000;

/** Days of the numbers of a form. Set with `forms stats --days`. */
export const DEFAULT_FORM_DAYS = 30;

/** Limits of the numbers of a form. */
export const FORM_STATS = {
  /** The newest submissions that reasons of spam, first answers, filled-in fields and pages are read from. Beyond: older ones are left out. */
  sample: 200,
  /** Approximate bytes of these submissions. Beyond: older ones are left out. */
  bytes: 256 * KiB,
  /** Fields. Beyond: later ones are left out. */
  fields: 200,
  /** Reasons of spam, and pages. Beyond: rare ones are left out. */
  most: 10,
} as const;

/** Characters of an entry of `--spam-word` or `--spam-email`. */
export const MAX_SPAM_PATTERN = 100;

/** External checks of a form. */
export const MAX_CHECKS = 3;

/** Limits of external checks. */
export const EXTERNAL_CHECKS = {
  /** Milliseconds in which all checks of a form have to answer. Beyond: they fail. */
  time: 3000,
  /** Submissions that wait for checks, in each thread. Beyond: their checks fail at once. */
  waiting: 128,
  /** Submissions of one form that wait for checks, in each thread. Beyond: their checks fail at once. */
  waitingOfForm: 32,
  /** Characters of the fields of the submissions that wait for checks, in each thread. Beyond: their checks fail at once. */
  waitingCharacters: 32 * MiB,
  /** Characters of the reason in a verdict. Beyond: cut. */
  reason: 190,
  /** Characters of why checks failed. Beyond: cut. */
  failure: 500,
} as const;

/** Characters of an entry of `--allow-type`. */
export const MAX_FILE_TYPE = 127;

/** Characters of what a form records about a sender. */
export const METADATA_LIMITS = {
  /** Characters of a sender's user agent, with `--metadata`. Beyond: cut. */
  userAgent: 500,
  /** Characters of the address of the page that a sender came from. Beyond: cut. It has no query. */
  referrer: 2000,
  /** Characters of a sender's language. Beyond: cut. It is the first of `Accept-Language`. */
  language: 100,
} as const;

/** Limits of a search and of the filters of a list. */
export const SEARCH_LIMITS = {
  /** Characters of a search, or of a field and its text. */
  characters: 1000,
  /** Fields to filter by. */
  fields: 20,
  /** Different words of a submission that a search finds. Beyond: later ones are not found. */
  words: 5000,
} as const;

/** Submissions that are examined for a page with filters or a search. Beyond: the page is short; the next page continues. */
export const MAX_SCANNED = 10_000;

/** Submissions that one request marks or deletes by their ids. */
export const MAX_MARKED = 1000;

/** Ids in the answer to a mark or a deletion by filters. Beyond: only counted. */
export const MAX_BULK_IDS = 10_000;

/** Ids in the answer to a purge. Beyond: only counted. */
export const MAX_PURGE_IDS = 1000;

/** Marks in the timeline of a submission. Beyond: the oldest is dropped. */
export const MAX_MARKS_KEPT = 100;

/**
 * Assignments, labels, notes and replies in the timeline of a submission. Beyond: the oldest is dropped, notes and replies
 * last.
 */
export const MAX_EVENTS_KEPT = 200;

/** Limits of how people handle submissions. */
export const HANDLING_LIMITS = {
  /** Characters of a label of a submission. */
  label: 50,
  /** Labels of a submission. Beyond: 409. */
  labels: 20,
  /** Characters of a note on a submission. */
  note: 10_000,
  /** Characters of a reply to a submission, without what it quotes. */
  answer: 50_000,
  /** Characters of its subject. */
  subject: 200,
  /** Newest labeled submissions whose labels a page suggests. Beyond: type other labels. */
  offered: 200,
} as const;

/** Limits of an import. */
export const IMPORT_LIMITS = {
  /** Submissions in one request, which are stored together. Beyond: 413. */
  rows: 500,
  /** Bytes of a request with more than one submission. Beyond: 413. */
  batch: MiB,
  /** Bytes of a row. Beyond: 413, names the line. A row of CSV is measured in characters. */
  row: 9 * MiB,
  /** Bytes of a row, counting only the first 64 characters of each text. Beyond: 413, names the line. */
  bare: MiB + 16 * KiB,
  /** Characters of the variants of flags of a row. Beyond: 400, names the line. */
  flags: 8 * KiB,
  /** Characters of the text that a sender agreed to. Beyond: 400, names the line; of a form, the rest is left out. */
  consent: 4000,
} as const;

/** Limits of the filter that learns from marks. */
export const LEARNING = {
  /** Marks of each kind below which it decides nothing. */
  least: 20,
  /** Marks of each kind that a form keeps and its project learns from. Beyond: the oldest are forgotten. */
  examples: 1000,
  /** Characters of a submission that are read. Beyond: the rest is left out. */
  characters: 4000,
  /** Words and other features of a submission. Beyond: later ones are left out. */
  features: 800,
  /** Different features of all that a project learns from, newest first. Beyond: new ones are left out. */
  model: 250_000,
} as const;
