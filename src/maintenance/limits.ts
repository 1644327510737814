/** Days of submissions in statistics. */
export const MAX_STATS_DAYS = 366;

/** Days of the numbers of Today, if none are named. */
export const DEFAULT_NUMBERS_DAYS = 7;
/** Days of these numbers. */
export const MAX_NUMBERS_DAYS = 90;

/** Hours of reads in statistics. */
export const MAX_STATS_HOURS = 720;

/** Queued or failed deliveries that statistics count. Beyond: the rest is not counted. */
export const MAX_STATS_DELIVERIES = 1000;
