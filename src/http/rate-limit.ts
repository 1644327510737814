import { AppError } from "../errors.ts";
import type { RateLimit } from "../forms.ts";

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

/** A span as a person says it, rounded up. */
function inWords(seconds: number): string {
  const [size, unit] = seconds > 5400 ? [3600, "hour"] : seconds > 90 ? [60, "minute"] : [1, "second"];
  const count = Math.ceil(seconds / size);
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}
