import { HOUR_MS } from "../base/days.ts";
import { isoTime } from "../base/clock.ts";
import type { Attempt } from "./attempt.ts";
import { isAutomatic, isMail } from "./delivery.ts";
import type { ClaimedDelivery } from "./store.ts";

/** Receivers that are remembered while they fail; the oldest is forgotten for another. */
const MAX_FAILING = 1000;

/** A receiver that fails. */
type Failing = { since: number; loggedAt: number; attempts: number };

/** Takes the result of an attempt; `isLast` is true if the delivery is not tried again. */
export type NoteAttempt = (
  owner: string,
  delivery: ClaimedDelivery,
  attempt: Attempt,
  isLast: boolean,
) => void;

/**
 * Logs receivers that fail: at the first failure, hourly while they fail, and once they work again. A last failure, which
 * has a line of its own, is only counted.
 */
export function createFailureLog(
  now: () => number,
  line: (level: "info" | "warn", text: string) => void,
): NoteAttempt {
  const failing = new Map<string, Failing>();

  const succeeded = (key: string, name: string) => {
    const entry = failing.get(key);
    if (!failing.delete(key)) return;
    const attempts = entry!.attempts === 1 ? "1 failed attempt" : `${entry!.attempts} failed attempts`;
    line("info", `${name} works again, after ${attempts} since ${isoTime(entry!.since)}`);
  };
  const failed = (key: string, name: string, error: string, isLast: boolean) => {
    const at = now();
    const entry = failing.get(key) ?? { since: at, loggedAt: -Infinity, attempts: 0 };
    entry.attempts += 1;
    const isFirst = entry.attempts === 1;
    // The clock may have been set back.
    if (isLast || Math.abs(at - entry.loggedAt) >= HOUR_MS) {
      entry.loggedAt = at;
      const since = isFirst ? "" : `, since ${isoTime(entry.since)}`;
      if (!isLast)
        line("warn", `${name} fails: ${error} (${entry.attempts} so far${since}); it is tried again`);
    }
    failing.set(key, entry);
    if (failing.size > MAX_FAILING) failing.delete(failing.keys().next().value!);
  };

  return (owner, delivery, { outcome, error, isTargetDown }, isLast) => {
    const { kind, target } = delivery;
    const isServerDown = isMail(kind) && isTargetDown;
    if (outcome === "delivered" && isMail(kind)) succeeded("mail", "the mail server");
    // Anyone can have replies sent to addresses that refuse them.
    if (isAutomatic(kind) && !isServerDown) return;
    const [key, name] = isServerDown
      ? ["mail", "the mail server"]
      : isMail(kind)
        ? [`${owner} ${target}`, kind === "reply" ? `a reply of ${owner}` : `a notification of ${owner}`]
        : [target, `target ${target} of ${owner} (${kind})`];
    if (outcome === "delivered") succeeded(key, name);
    else failed(key, name, error ?? "no answer", isLast);
  };
}
