import { MiB } from "../base/bytes.ts";

/** Characters of a target, its URL included. */
export const MAX_TARGET = 2048;

/** Headers of a target. Beyond: refused. */
export const MAX_HEADERS = 10;

/** Characters of the value of a header of a target. Beyond: refused. */
export const MAX_HEADER = 4096;

/** Characters of the body that a template of a target yields. Beyond: the delivery fails, and is not tried again. */
export const MAX_TARGET_BODY = 4 * MiB;

/** Targets of a form, and of a project. Beyond: 409. */
export const MAX_TARGETS = 20;

/**
 * Seconds for which the old secret of a webhook also signs after a rotation. Beyond: only the new secret signs. Set with
 * `targets rotate --overlap`.
 */
export const DEFAULT_OVERLAP = 86_400;

/** Seconds that `--overlap` takes at most. */
export const MAX_OVERLAP = 30 * 86_400;

/** Seconds that `--digest` takes at most. */
export const MAX_DIGEST = 7 * 86_400;

/** Notices of one change, such as an `apply`, that a target gets separately. Beyond: they are sent as one digest. */
export const MAX_SINGLE_NOTICES = 20;

/** Notices in a digest. Beyond: the others are counted. */
export const MAX_IN_DIGEST = 100;

/** Secrets of a webhook that have not ended. Beyond: 409. */
export const MAX_SECRETS = 5;

/** Characters of a template for a subject or a text. */
export const MAX_TEMPLATE = 10_000;

/** Entries of `--retry-delays`. Beyond: the server does not start. */
export const MAX_RETRY_DELAYS = 20;

/** Seconds that each of these delays takes at most. Beyond: the server does not start. */
export const MAX_RETRY_DELAY = 30 * 86_400;

/** Requests to confirm a submission. */
export const CONFIRMATION_LIMITS = {
  /** Requests of a form in an hour. Beyond: they wait. */
  ofForm: 100,
  /** Requests to a mailbox in a day, over all forms. Beyond: no request is sent. */
  ofMailbox: 3,
  /** Seconds between two requests to a mailbox. Beyond: one that comes sooner waits. */
  apart: 60,
} as const;

/** Automatic replies of a form, as they are queued and as they are sent. */
export const AUTOREPLY_LIMITS = {
  /** Replies of a form in an hour. Beyond: no reply is queued, and one that has waited for a mail server waits. */
  ofForm: 100,
  /** Seconds in which a mailbox gets one reply of a form. Beyond: no reply is queued, and one that has waited is cancelled. */
  apart: 86_400,
} as const;

/** Attempts of a delivery that are listed. Beyond: the oldest is dropped. */
export const MAX_ATTEMPTS_KEPT = 100;
