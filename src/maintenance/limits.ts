/** Days of submissions in statistics. */
export const MAX_STATS_DAYS = 366;

/** Hours of reads in statistics: as many as are kept. */
export const MAX_STATS_HOURS = 720;

/** Deliveries that statistics count of each status. */
export const MAX_STATS_DELIVERIES = 1000;
