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

/** Field names that have a column of their own in a CSV export. */
export const MAX_CSV_FIELDS = 1000;
