import { MiB } from "../base/bytes.ts";

/** Bytes of a request body. Beyond: 413. */
export const MAX_ADMIN_BODY = MiB;

/** Bytes of the body of an import or of `apply`. Beyond: 413. */
export const MAX_IMPORT_BODY = 16 * MiB;

/** Bytes of the body of an upload. Beyond: 413. */
export const MAX_CODE_BODY = 16 * MiB;

/** Limits of a body without the sections of a document, and of each entry of these. */
export const BODY_LIMITS = {
  /** Names in one object of a body; in a document, names in one object of a flag, a segment or a form. */
  names: 20_000,
  /**
   * Values in a body, at any depth; a text counts one more for every 256 characters; in a document, values of a flag, a
   * segment or a form.
   */
  values: 300_000,
} as const;
