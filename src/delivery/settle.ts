import { DAY_MS } from "../base/days.ts";
import type { Random } from "../base/ids.ts";
import { type Attempt, failureOf } from "./attempt.ts";
import type { ClaimedDelivery, SettledDelivery } from "./store.ts";

/** How long ended deliveries are kept, in milliseconds. */
const DELIVERED_MS = 7 * DAY_MS;
const OTHERS_MS = 30 * DAY_MS;

/** Jitter: each delay grows by up to this fraction, to spread retries. */
const JITTER = 0.1;

type Settling = {
  /** When the attempt began and ended. */
  startedAt: number;
  now: number;
  /** Seconds after each failed attempt until the next one; no further attempt follows the last delay's. */
  retryDelays: readonly number[];
  random: Random;
};

/** The result of an attempt for its delivery: ended, or queued for the next attempt. */
export function settle(
  { id, attempts: before }: ClaimedDelivery,
  attempted: Attempt,
  { startedAt, now, retryDelays, random }: Settling,
): SettledDelivery {
  const { outcome, code, retryAfter } = attempted;
  const error = failureOf(attempted);
  const attempts = before + 1;
  // The clock may have been set back.
  const attempt = { at: startedAt, duration: Math.max(now - startedAt, 0) };
  const base = { id, attempts, code, error, attempt };
  if (outcome === "delivered") return { ...base, status: "delivered", dueAt: now + DELIVERED_MS };
  const delay = outcome === "retry" ? retryDelays[before] : undefined;
  if (delay === undefined) return { ...base, status: "failed", dueAt: now + OTHERS_MS };
  const jittered = delay * (1 + (JITTER * random(1)[0]!) / 255);
  return { ...base, status: "queued", dueAt: now + Math.round(Math.max(jittered, retryAfter ?? 0) * 1000) };
}

/** A delivery that is given up because what it needs is gone. */
export function cancelled({ id, attempts }: ClaimedDelivery, error: string, now: number): SettledDelivery {
  return { id, attempts, code: null, error, status: "cancelled", dueAt: removalOfCancelled(now) };
}

/** When a delivery that is cancelled at `now` is removed. */
export function removalOfCancelled(now: number): number {
  return now + OTHERS_MS;
}

/** A delivery that is queued again without an attempt. */
export function postponed({ id, attempts, code, error }: ClaimedDelivery, dueAt: number): SettledDelivery {
  return { id, attempts, code, error, status: "queued", dueAt };
}
