import { AppError } from "../base/errors.ts";
import type { RateLimit } from "../forms/form.ts";
import { type Client, limitKey } from "./address.ts";

/** Most windows in memory; past it, those that have ended are removed. */
const MAX_WINDOWS = 10_000;

/** Counts something that `sender` did. Throws `rate_limited` with the seconds to wait past the limit. */
export type RateLimiter = (sender: string, limit: RateLimit) => void;

/**
 * Counts in fixed windows, each opened by the first event of a sender; a restart resets them. `what` is the plural noun for
 * the events in messages.
 */
export function createRateLimiter(now: () => number, what: string): RateLimiter {
  const windows = new Map<string, { endsAt: number; count: number }>();

  const forgetEnded = (at: number) => {
    for (const [sender, { endsAt }] of windows) if (endsAt <= at) windows.delete(sender);
    // Where all are open, the oldest are removed, so that memory stays bounded.
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
    throw new AppError("rate_limited", `too many ${what}: try again in ${formatDuration(wait)}`, {
      retryAfter: wait,
    });
  };
}

/**
 * Admits a request of a client and returns a function to call at its end. Throws `rate_limited` past the limits of the
 * client, which is one IPv4 address or IPv6 network. This machine has no limits.
 */
export type Guard = (client: Client) => () => void;

/** Limits each client to `concurrent` requests at a time and, unless `rate` is null, to that rate. */
export function createGuard(
  now: () => number,
  { concurrent, rate }: { concurrent: number; rate: RateLimit | null },
): Guard {
  const underWay = new Map<string, number>();
  const count = createRateLimiter(now, "requests");
  return (client) => {
    const network = limitKey(client);
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
      const remaining = underWay.get(network)! - 1;
      if (remaining > 0) underWay.set(network, remaining);
      else underWay.delete(network);
    };
  };
}

/** A duration such as `2 minutes`, rounded up. */
function formatDuration(seconds: number): string {
  const [size, unit] = seconds > 5400 ? [3600, "hour"] : seconds > 90 ? [60, "minute"] : [1, "second"];
  const count = Math.ceil(seconds / size);
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}
