import type * as z from "zod/mini";
import { AppError } from "../base/errors.ts";
import type { attemptSchema, deliveryDetailsSchema, deliverySchema } from "./delivery-schema.ts";
import { TARGET_KINDS } from "./target.ts";

/** Deliveries by mail without a target: to addresses that the form notifies, and to the sender, by itself or by a person. */
const ADDRESSED = ["notification", "autoreply", "reply", "confirmation", "welcome"] as const;

/** Mail that a stranger can cause, to addresses that refuse it. */
const AUTOMATIC: ReadonlySet<string> = new Set<DeliveryKind>(["autoreply", "confirmation", "welcome"]);

export function isAutomatic(kind: string): boolean {
  return AUTOMATIC.has(kind);
}

type MailKind = "mail" | (typeof ADDRESSED)[number];

export const DELIVERY_KINDS = [...TARGET_KINDS, ...ADDRESSED] as const;

export type DeliveryKind = (typeof DELIVERY_KINDS)[number];

/** A submission, or notices of a project, on the way to one recipient. */
export type Delivery = z.infer<typeof deliverySchema>;

/** A delivery with its attempts. */
export type DeliveryDetails = z.infer<typeof deliveryDetailsSchema>;

/** An attempt of a delivery that has ended. */
export type DeliveryAttempt = z.infer<typeof attemptSchema>;

/** Deliveries that wait for the same receiver in one order: those of one target, or of a lane of mail. */
export type Lane = string;

/** The lane of mail for which a person waits; no target has this id. */
export const MAIL_LANE: Lane = "";

/** The lane of welcomes, of which thousands may wait: other mail goes before them. No target has this id. */
export const BULK_LANE: Lane = "bulk";

/** The lanes of all mail, which goes through one server. */
export const MAIL_LANES: readonly Lane[] = [MAIL_LANE, BULK_LANE];

export function isMail(kind: DeliveryKind): kind is MailKind {
  return kind === "mail" || isAddressed(kind);
}

export function isAddressed(kind: DeliveryKind): boolean {
  return ADDRESSED.some((each) => each === kind);
}

/** The target of a reply, or a welcome to a segment, as a store keeps it: a sender may get several, and a delivery is one of its submission, kind and target. */
export function replyTarget({ id, target }: { id: string; target: string }): string {
  return `${target}#${id}`;
}

/** The target of a delivery as a store keeps it, as it is shown. */
export function shownTarget(kind: DeliveryKind, target: string): string {
  return kind === "reply" || kind === "welcome" ? target.replace(/#[^#]*$/, "") : target;
}

export function laneOf({ kind, target }: { kind: DeliveryKind; target: string }): Lane {
  if (kind === "welcome") return BULK_LANE;
  return isMail(kind) ? MAIL_LANE : target;
}

export function noSuchDelivery(id: string): AppError {
  return new AppError("not_found", `delivery "${id}" does not exist`, { reason: "delivery-not-found" });
}

/** A delivery that begins when its submission is stored or leaves the spam folder. */
export type NewDelivery = {
  id: string;
  kind: DeliveryKind;
  target: string;
  /** The span of the request that makes it, as `traceparent`. */
  trace?: string | null;
  /** For an automatic reply: the store drops it if the hash is known, or too many of the form are younger than `since`. */
  limit?: { hash: string; expiresAt: number; since: number; most: number };
  /** For a request to confirm: how often its form may send one, and a mailbox get one, over all forms. */
  paces?: readonly Pace[];
};

/**
 * At most `most` by a hash within some milliseconds, and each so many after the one before. One that comes too soon is delayed, and
 * one too many is dropped, or delayed if it `waits`.
 */
export type Pace = { hash: string; most: number; within: number; apart: number; waits?: true };
