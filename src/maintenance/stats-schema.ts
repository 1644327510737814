import * as z from "zod/mini";

/** Statistics of the admin API, for callers that may read everything. */
export const statsSchema = z.object({
  /** Number of submissions in each folder of each form; `unread` are those in the inbox that have not been read. */
  forms: z.array(
    z.object({
      /** The slugs of the project and of the form. */
      project: z.string(),
      form: z.string(),
      name: z.string(),
      inbox: z.int(),
      unread: z.int(),
      spam: z.int(),
      archived: z.int(),
      unconfirmed: z.int(),
    }),
  ),
  /** Submissions by day, in UTC, and form: how many were stored in the inbox and in the spam folder. Days without any are left out. */
  submissions: z.array(
    z.object({ day: z.string(), project: z.string(), form: z.string(), inbox: z.int(), spam: z.int() }),
  ),
  /** Reads of flags by hour and environment: of one flag each, and of all. Hours without any are left out. */
  reads: z.array(
    z.object({ hour: z.string(), project: z.string(), environment: z.string(), one: z.int(), all: z.int() }),
  ),
  /** Deliveries that wait and that have failed; no more than 1,000 of each are counted. */
  deliveries: z.object({ queued: z.int(), failed: z.int() }),
  /** How long commits took, in milliseconds, by minute; empty unless a server answers. */
  commits: z.array(
    z.object({ at: z.string(), commits: z.int(), p50: z.number(), p99: z.number(), max: z.number() }),
  ),
});

/** How many, and how many in as many days before; null for a caller that may not read them. */
const counted = z.nullable(z.object({ total: z.int(), before: z.int(), byDay: z.array(z.int()) }));

/** The numbers of some days. */
export const numbersSchema = z.object({
  /** Oldest first and today included, as dates. */
  days: z.array(z.string()),
  /** Submissions that were stored in the inbox. */
  submissions: counted,
  /** Submissions that were stored as spam. */
  spam: counted,
  /**
   * Seconds from a submission to its first reply or to the archive: of the newest ones of each day, how many have one, the
   * median of these, of as many days before, and by day; null without any.
   */
  answers: z.nullable(
    z.object({
      answered: z.int(),
      of: z.int(),
      median: z.nullable(z.int()),
      before: z.nullable(z.int()),
      byDay: z.array(z.nullable(z.int())),
    }),
  ),
  /** Requests that read flags, each for one flag or for all. */
  reads: counted,
});
