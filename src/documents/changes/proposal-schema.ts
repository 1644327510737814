import * as z from "zod/mini";
import { PRESENTED_FACTORS } from "../../access/factors/second-factor.ts";
import { timestamp } from "../../base/slug-schema.ts";
import { differenceSchema } from "../document-schema.ts";
import { APPROVE_WITH, PROPOSAL_STATUSES } from "../../projects/approval.ts";

/** The effect of a change on people. */
export const impactSchema = z.object({
  /** The test contexts of the project that get another value, by name. */
  contexts: z.array(
    z.object({
      name: z.string(),
      environment: z.string(),
      flag: z.string(),
      before: z.string(),
      after: z.string(),
    }),
  ),
  /** How often the flags that it changes are read, averaged over the last 24 hours. */
  reads: z.array(z.object({ environment: z.string(), flag: z.string(), perHour: z.int() })),
  /** The same in words, as pages and messages have it. */
  lines: z.array(z.string()),
});

/** A proposal. */
export const proposalSchema = z.object({
  id: z.string(),
  project: z.string(),
  /** The environments that it reaches. */
  environments: z.array(z.string()),
  summary: z.string(),
  /** In the words of its author. */
  why: z.nullable(z.string()),
  /** Its author. */
  who: z.string(),
  /** The assistant that proposed it for `who`, by the name of its client; null for none. */
  via: z.nullable(z.string()),
  status: z.enum(PROPOSAL_STATUSES),
  /** Whether it would change something else now: it has to be refreshed. */
  isOutdated: z.boolean(),
  /** Approvals that it needs today. */
  needed: z.int(),
  /** The second factor that each approval takes today. */
  approveWith: z.nullable(z.enum(APPROVE_WITH)),
  /** The value of `If-Match` for its approval and its application. */
  etag: z.string(),
  differences: z.array(
    z.extend(differenceSchema, {
      kind: z.enum(["project", "environment", "segment", "flag", "form", "scheduled", "ramp", "experiment"]),
    }),
  ),
  /** Until it is closed, without the approvals of people who are gone or may not approve it any more. */
  reviews: z.array(
    z.object({
      who: z.string(),
      verdict: z.enum(["approved", "rejected"]),
      why: z.nullable(z.string()),
      at: timestamp,
      /** The second factor that was presented for it. */
      factor: z.nullable(z.enum(PRESENTED_FACTORS)),
    }),
  ),
  createdAt: timestamp,
  expiresAt: timestamp,
  appliedBy: z.nullable(z.string()),
  appliedAt: z.nullable(timestamp),
  /** Whether an administrator made it at once, without approvals. */
  bypass: z.boolean(),
  /** Whether the caller may approve it as it is, with a second factor where it takes one. Lists have none. */
  mayApprove: z.optional(z.boolean()),
  /** Its effect on people, while it is open and not outdated. Lists have none. */
  impact: z.optional(impactSchema),
  /** The address of its page in the dashboard; a path if the server does not know its own. Lists have none. */
  url: z.optional(z.string()),
});
