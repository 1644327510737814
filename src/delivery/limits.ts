/** Characters of a template for a subject or a text. */
export const MAX_TEMPLATE = 10_000;

/** Delays between the attempts of a delivery. */
export const MAX_RETRY_DELAYS = 20;

/** Seconds: the longest of these delays. */
export const MAX_RETRY_DELAY = 30 * 86_400;
