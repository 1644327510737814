/** Days of submissions in statistics. */
export const MAX_STATS_DAYS = 366;

/** Hours of reads in statistics. As many are kept. */
export const MAX_STATS_HOURS = 720;

/** Queued or failed deliveries that statistics count. Beyond: the rest is not counted. */
export const MAX_STATS_DELIVERIES = 1000;
