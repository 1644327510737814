import { KiB, MiB } from "../base/bytes.ts";

/** Largest file of a submission unless the form says otherwise, in bytes, inclusive. */
export const DEFAULT_MAX_FILE_SIZE = MiB;

/** Files in one submission unless the form says otherwise. */
export const DEFAULT_MAX_FILES = 5;

/** What an operator may set at most: bytes of one file, files of one submission. */
export const CEILING_FILE_SIZE = 10 * 1024 * MiB;

export const CEILING_FILES = 100;

/** Limits of a submission that an ordinary form never meets. Sizes are bytes of UTF-8, inclusive. */
export const SUBMISSION_LIMITS = {
  /** Values, where a repeated field counts once for each. */
  fields: 200,
  fieldName: 200,
  fieldValue: 256 * KiB,
  /** A JSON or urlencoded body. */
  body: MiB,
  /** All text fields of a multipart body together. */
  multipartText: 4 * MiB,
  /** The header section of one part. */
  partHeaders: 16 * KiB,
  /** What may stand before the first and after the last boundary of a multipart body. */
  multipartPadding: 64 * KiB,
  /** Containers inside containers: `{"a":1}` is 1. */
  depth: 16,
  /** A file name as sent. */
  fileName: 1024,
  /** Characters of the media type that a file part names. */
  fileType: 255,
} as const;

/** Field names that have a column of their own in a CSV export. */
export const MAX_CSV_FIELDS = 1000;
