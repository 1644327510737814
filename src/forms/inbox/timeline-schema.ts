import * as z from "zod/mini";
import { timestamp } from "../../base/slug-schema.ts";
import { attemptSchema } from "../../delivery/delivery-schema.ts";
import { DELIVERY_STATUSES } from "../../delivery/delivery-status.ts";
import { SUBMISSION_MARKS } from "../submission-state.ts";
import { type HandlingKind, TEXT_MEMBERS } from "./handling.ts";

/** A delivery, in an event about it. */
const about = {
  delivery: z.string(),
  /** `webhook`, a chat service, `notification`, `autoreply` or `reply`. */
  kind: z.string(),
  /** The id of the target, or the mail address. */
  target: z.string(),
};

/** An event with the text that {@link TEXT_MEMBERS} names. */
function handled<K extends HandlingKind, T extends z.ZodMiniType>(kind: K, text: T) {
  const member = { [TEXT_MEMBERS[kind]]: text } as Record<(typeof TEXT_MEMBERS)[K], T>;
  return z.object({ event: z.literal(kind), at: timestamp, ...member, who: z.string() });
}

/** An event of a submission, with its time. */
export const timelineEventSchema = z.discriminatedUnion("event", [
  z.object({
    event: z.literal("stored"),
    at: timestamp,
    /** Why it was stored as spam; null if it was not. */
    spam: z.nullable(z.string()),
    /** The same in words. */
    explanation: z.nullable(z.string()),
  }),
  z.object({
    event: z.literal("marked"),
    at: timestamp,
    mark: z.enum(SUBMISSION_MARKS),
    /** The user, the token, or the person on the machine of the data. */
    who: z.string(),
  }),
  // The user who looks after it from then on; null for none.
  handled("assigned", z.nullable(z.string())),
  handled("labeled", z.string()),
  handled("unlabeled", z.string()),
  handled("noted", z.string()),
  z.object({
    event: z.literal("answered"),
    at: timestamp,
    /** The text of the mail, without its quotation. */
    text: z.string(),
    who: z.string(),
    /** The delivery of the mail, which is removed before the answer. */
    delivery: z.string(),
  }),
  z.object({
    event: z.literal("queued"),
    at: timestamp,
    ...about,
    /** Current status of the delivery. */
    status: z.enum(DELIVERY_STATUSES),
    /** When it is attempted next; null once it has ended, and while it waits for a mail server. */
    nextAt: z.nullable(timestamp),
    /** Why its last attempt failed, or why it waits; null for neither. */
    error: z.nullable(z.string()),
  }),
  z.extend(attemptSchema, { event: z.literal("attempted"), ...about }),
  z.object({
    event: z.literal("skipped"),
    at: timestamp,
    /** The kind of the delivery that cannot be made. */
    kind: z.literal("autoreply"),
    /** Why, in words. */
    error: z.string(),
  }),
]);
