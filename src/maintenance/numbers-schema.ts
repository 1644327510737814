import * as z from "zod/mini";

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
