import { MiB } from "../base/bytes.ts";

/** Body of a request to the admin API, in bytes. */
export const MAX_ADMIN_BODY = MiB;

/** Body of a request that applies a document or imports a flagd file, in bytes. */
export const MAX_IMPORT_BODY = 16 * MiB;

/** Body of an upload of code references, in bytes. */
export const MAX_CODE_BODY = 16 * MiB;

/** Limits of a body without the sections of a document, and of each entry of these. */
export const BODY_LIMITS = {
  /** Names in one object. */
  names: 20_000,
  /** Values at any depth; a text counts as one more for every 256 characters. */
  values: 300_000,
} as const;
