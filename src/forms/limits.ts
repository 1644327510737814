import { KiB, MiB } from "../base/bytes.ts";

/** Default for the largest file of a submission, in bytes, inclusive. */
export const DEFAULT_MAX_FILE_SIZE = MiB;

/** Default for the files in one submission. */
export const DEFAULT_MAX_FILES = 5;

/** The highest limit that a form can set for the bytes of one file. */
export const CEILING_FILE_SIZE = 10 * 1024 * MiB;

/** The highest limit that a form can set for the files of one submission. */
export const CEILING_FILES = 100;

/** Limits of a submission that an ordinary form never reaches. Sizes are bytes of UTF-8, inclusive. */
export const SUBMISSION_LIMITS = {
  /** Values of text fields; every value of a repeated field counts. */
  fields: 200,
  fieldName: 200,
  fieldValue: 256 * KiB,
  /** A JSON or urlencoded body. */
  body: MiB,
  /** All text fields of a multipart body together. */
  multipartText: 4 * MiB,
  /** Text fields as JSON, which writes a control character as six bytes, and a quote or a line break as two. */
  json: 8 * MiB,
  /** The header section of one part. */
  partHeaders: 16 * KiB,
  /** Bytes before the first and after the last boundary of a multipart body. */
  multipartPadding: 64 * KiB,
  /** Nested containers: `{"a":1}` is 1. */
  depth: 16,
  /** A file name as sent. */
  fileName: 1024,
  /** Characters of the media type of a file. */
  fileType: 255,
} as const;

/** Limits of feeds. */
export const FEED_LIMITS = {
  /** Feeds of a form. */
  feeds: 50,
  /** The highest limit of a feed, in submissions. */
  items: 10_000,
  /** The limit of a feed that names none. */
  defaultItems: 1000,
  /** About how many bytes of submissions a feed shows; older ones are left out. */
  bytes: 16 * MiB,
  /** Fields of \`feeds create --field\`. */
  fields: 100,
  /** Characters of its name. */
  name: 200,
} as const;

/** Field names that have a column of their own in a CSV export. */
export const MAX_CSV_FIELDS = 1000;

/** Characters of a word or pattern of a form's lists for spam. */
export const MAX_SPAM_PATTERN = 100;

/** Characters of an entry of a form's list of allowed file types. */
export const MAX_FILE_TYPE = 127;

/** Characters of what a form records about a sender. */
export const METADATA_LIMITS = {
  userAgent: 500,
  /** The address of a page without its query. */
  referrer: 2000,
  /** The first language of `Accept-Language`. */
  language: 100,
} as const;

/** Limits of a search and of the filters of a list. */
export const SEARCH_LIMITS = {
  /** Characters of a search, or of the text for a field. */
  characters: 1000,
  /** Fields that a list can be filtered by. */
  fields: 20,
  /** Different words of a submission, from its first, that a search finds. */
  words: 5000,
} as const;

/** Submissions that one request examines for a page. Beyond this, the page is short and the next one continues. */
export const MAX_SCANNED = 10_000;

/** Submissions that one mark or deletion can name. */
export const MAX_MARKED = 1000;

/** Ids that a mark or a deletion of everything that a filter selects returns. */
export const MAX_BULK_IDS = 10_000;

/** Ids that a purge returns. */
export const MAX_PURGE_IDS = 1000;

/** Marks of a submission that are kept, the newest. */
export const MAX_MARKS_KEPT = 100;

/** Events of a submission that are kept, besides its marks. */
export const MAX_EVENTS_KEPT = 200;

/** Limits of how people handle submissions. Texts are in characters. */
export const HANDLING_LIMITS = {
  label: 50,
  /** Labels of one submission. */
  labels: 20,
  note: 10_000,
  /** The text of an answer, without what it quotes. */
  answer: 50_000,
  subject: 200,
  /** Newest labeled submissions whose labels a page suggests. */
  offered: 200,
} as const;

/** Limits of an import. */
export const IMPORT_LIMITS = {
  /** Submissions in one request, which are stored together. */
  rows: 500,
  /** Bytes of a request with more than one submission. */
  batch: MiB,
  /** Bytes of one line of JSON, or characters of one row of CSV. */
  row: 9 * MiB,
  /** The same without what follows the first characters of each text: as much as a submission and its details can be. */
  bare: MiB + 16 * KiB,
  /** Characters of the variants of flags of a submission, as JSON. */
  flags: 8 * KiB,
} as const;
