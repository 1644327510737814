import { AppError } from "../base/errors.ts";
import type { RateLimit } from "../forms/form.ts";
import { type Client, limitedAs } from "./address.ts";

/** Senders remembered at once; past it the windows that have ended are forgotten. */
const MAX_WINDOWS = 10_000;

/** Counts something that `sender` did. Throws `rate_limited` with the seconds to wait past the limit. */
export type RateLimiter = (sender: string, limit: RateLimit) => void;

/**
 * Counts `what`, a plural, in fixed windows, each opened by a sender's first; in memory: a restart forgets them.
 */
export function createRateLimiter(now: () => number, what: string): RateLimiter {
  const windows = new Map<string, { endsAt: number; count: number }>();

  const forgetEnded = (at: number) => {
    for (const [sender, { endsAt }] of windows) if (endsAt <= at) windows.delete(sender);
    // All are open: the oldest give way, so that memory stays bounded.
    for (const sender of windows.keys()) {
      if (windows.size < MAX_WINDOWS * 0.9) break;
      windows.delete(sender);
    }
  };

  return (sender, { count, seconds }) => {
    const at = now();
    let window = windows.get(sender);
    if (!window || window.endsAt <= at) {
      if (windows.size >= MAX_WINDOWS) forgetEnded(at);
      window = { endsAt: at + seconds * 1000, count: 0 };
      windows.delete(sender);
      windows.set(sender, window);
    }
    window.count += 1;
    if (window.count <= count) return;
    const wait = Math.max(1, Math.ceil((window.endsAt - at) / 1000));
    throw new AppError("rate_limited", `too many ${what}: try again in ${inWords(wait)}`, {
      retryAfter: wait,
    });
  };
}

/**
 * Lets a client begin a request and returns what to call at its end. Throws `rate_limited` where that client, which is
 * one IPv4 address or IPv6 network, has as many under way as it may, or began too many. This machine itself may do all.
 */
export type Guard = (client: Client) => () => void;

/** At most `concurrent` requests of a client under way at a time, and where `rate` is set so many in that time. */
export function createGuard(
  now: () => number,
  { concurrent, rate }: { concurrent: number; rate: RateLimit | null },
): Guard {
  const underWay = new Map<string, number>();
  const count = createRateLimiter(now, "requests");
  return (client) => {
    const network = limitedAs(client);
    if (network === null) return () => {};
    if (rate) count(network, rate);
    const before = underWay.get(network) ?? 0;
    if (before >= concurrent) {
      throw new AppError(
        "rate_limited",
        `more than ${concurrent} requests at a time come from your address`,
        {
          retryAfter: 1,
        },
      );
    }
    underWay.set(network, before + 1);
    return () => {
      const left = underWay.get(network)! - 1;
      if (left > 0) underWay.set(network, left);
      else underWay.delete(network);
    };
  };
}

/** A span as a person says it, rounded up. */
function inWords(seconds: number): string {
  const [size, unit] = seconds > 5400 ? [3600, "hour"] : seconds > 90 ? [60, "minute"] : [1, "second"];
  const count = Math.ceil(seconds / size);
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}
