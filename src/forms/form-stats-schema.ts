import * as z from "zod/mini";
import { timestamp } from "../base/slug-schema.ts";

/** How many, and how many in as many days before. */
const counted = { total: z.int(), before: z.int(), byDay: z.array(z.int()) };

/** The numbers of a form. */
export const formStatsSchema = z.object({
  /** The days of the numbers, oldest first and today included, as dates. */
  days: z.array(z.string()),
  /** Submissions that were stored in the inbox. */
  submissions: z.object(counted),
  /** Submissions that were stored as spam; of the newest ones, how many are spam for each reason, most first. */
  spam: z.object({
    ...counted,
    reasons: z.array(z.object({ reason: z.string(), count: z.int() })),
  }),
  /**
   * Seconds from a submission to its first reply or to the archive: of the newest ones, how many have one, the median of
   * these, and by day; null without any.
   */
  answers: z.object({
    answered: z.int(),
    of: z.int(),
    median: z.nullable(z.int()),
    byDay: z.array(z.nullable(z.int())),
  }),
  /** The newest submission that is not spam, and the page that it was sent from, if the form records that. */
  last: z.nullable(
    z.object({ id: z.string(), createdAt: timestamp, title: z.string(), from: z.nullable(z.string()) }),
  ),
  /** Submissions that the members below are of: the newest ones that are not spam. */
  sample: z.int(),
  /** The fields of the schema in its order, then others, and how many submissions have a value in each. */
  fields: z.array(z.object({ field: z.string(), filled: z.int() })),
  /** The pages that submissions were sent from, without protocol, most first; empty unless the form records them. */
  pages: z.array(z.object({ page: z.string(), count: z.int() })),
});
