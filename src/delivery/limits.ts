/** Characters of a target, its URL included. */
export const MAX_TARGET = 2048;

/** Targets of a form, and of a project. */
export const MAX_TARGETS = 20;

/** Secrets of one webhook that can be valid at the same time, including those in an overlap. */
export const MAX_SECRETS = 5;

/** Seconds for which the old secret of a webhook signs too, after it was replaced. */
export const DEFAULT_OVERLAP = 86_400;

/** The most that {@link DEFAULT_OVERLAP} can be set to. */
export const MAX_OVERLAP = 30 * 86_400;

/** Seconds for which a target gathers notices, at most. */
export const MAX_DIGEST = 7 * 86_400;

/** Notices of one transaction that a target gets separately. More are sent as one digest. */
export const MAX_SINGLE_NOTICES = 20;

/** Notices that a digest contains. More are only counted. */
export const MAX_IN_DIGEST = 100;

/** Characters of a template for a subject or a text. */
export const MAX_TEMPLATE = 10_000;

/** Delays between the attempts of a delivery. */
export const MAX_RETRY_DELAYS = 20;

/** Seconds: the longest of these delays. */
export const MAX_RETRY_DELAY = 30 * 86_400;

/** Attempts of a delivery that are kept, the newest. */
export const MAX_ATTEMPTS_KEPT = 100;
