import { AppError } from "../base/errors.ts";
import { sha256 } from "../base/sum.ts";
import type { Counts } from "../base/threads/counts.ts";
import type { Rate } from "../base/units.ts";
import type { Shared } from "../forms/shared.ts";
import { type Client, limitKey } from "./address.ts";

/** Windows kept in memory. At this number, windows that have ended are removed. */
const MAX_WINDOWS = 10_000;

/** Counts something that `sender` did. Throws `rate_limited` with the seconds to wait past the limit. */
export type RateLimiter = (sender: string, limit: Rate) => void;

/** As {@link RateLimiter}, at once or later; also throws `unavailable` if the counts cannot be reached. */
export type SharedRateLimiter = (sender: string, limit: Rate) => void | Promise<void>;

type Window = { endsAt: number; count: number };

/** Counts of a server that all its threads share; null for one thread, which keeps them in its own memory. */
export type ThreadCounts = { windows: Counts; places: Counts } | null;

/**
 * Counts in fixed windows, each opened by the first event of a sender; a restart resets them. `what` is the plural noun for
 * the events in messages. Threads share the windows of one `name`.
 */
export function createRateLimiter(
  now: () => number,
  what: string,
  threads: ThreadCounts = null,
  name = what,
): RateLimiter {
  if (threads)
    return (sender, limit) => {
      const at = now();
      const window = threads.windows.count(`${name} ${sender}`, at, limit.seconds * 1000);
      if (window.count > limit.count) throw tooMany(what, window, at);
    };
  const windows = createWindows();
  return (sender, limit) => {
    const at = now();
    const window = windows.open(sender, at) ?? windows.set(sender, at, openWindow(at, limit));
    window.count += 1;
    if (window.count > limit.count) throw tooMany(what, window, at);
  };
}

/**
 * As {@link createRateLimiter}, but for all processes of a database together if these have shared counts: under a hash,
 * so that no address is stored.
 */
export function createSharedRateLimiter(
  now: () => number,
  what: string,
  shared: Pick<Shared, "count"> | null,
  threads: ThreadCounts = null,
): SharedRateLimiter {
  if (shared === null) return createRateLimiter(now, what, threads);
  /** Windows that are known to be full: the database is not asked for those. */
  const full = createWindows();
  return async (sender, limit) => {
    const at = now();
    const known = full.open(sender, at);
    if (known && known.count >= limit.count) throw tooMany(what, known, at);
    const window = await shared.count(sha256(`${what} ${sender}`), at, limit.seconds * 1000);
    if (window.count < limit.count) return;
    full.set(sender, at, window);
    if (window.count > limit.count) throw tooMany(what, window, at);
  };
}

function openWindow(at: number, { seconds }: Rate): Window {
  return { endsAt: at + seconds * 1000, count: 0 };
}

/** At most `MAX_WINDOWS` windows by sender. */
function createWindows() {
  const windows = new Map<string, Window>();

  const forgetEnded = (at: number) => {
    for (const [sender, { endsAt }] of windows) if (endsAt <= at) windows.delete(sender);
    // If all windows are open, the oldest are removed, so that memory stays bounded.
    for (const sender of windows.keys()) {
      if (windows.size < MAX_WINDOWS * 0.9) break;
      windows.delete(sender);
    }
  };

  return {
    /** The window of a sender that has not ended. */
    open(sender: string, at: number): Window | undefined {
      const window = windows.get(sender);
      return window && window.endsAt > at ? window : undefined;
    },
    set(sender: string, at: number, window: Window): Window {
      if (windows.size >= MAX_WINDOWS) forgetEnded(at);
      windows.delete(sender);
      windows.set(sender, window);
      return window;
    },
  };
}

function tooMany(what: string, { endsAt }: Window, at: number): AppError {
  const wait = Math.max(1, Math.ceil((endsAt - at) / 1000));
  return new AppError("rate_limited", `too many ${what}: try again in ${formatDuration(wait)}`, {
    retryAfter: wait,
  });
}

/**
 * Admits a request of a client and returns a function to call at its end. Throws `rate_limited` past the limits of the
 * client, which is one IPv4 address or IPv6 network. This machine has no limits.
 */
export type Guard = (client: () => Client) => () => void;

type GuardLimits = { concurrent: number; rate: Rate | null };

/**
 * Limits each client to `concurrent` requests at a time and, unless `rate` is null, to that rate. Threads count together what
 * has the same name.
 */
export function createGuard(
  now: () => number,
  { concurrent, rate }: GuardLimits,
  threads: ThreadCounts = null,
  what = "requests",
): Guard {
  if (threads) return guardThreads(now, { concurrent, rate }, threads, what);
  type Request = { client: () => Client; network?: string | null };
  /** Requests under way whose client was not needed yet: reading an address costs a twentieth of a submission. */
  const unknown = new Set<Request>();
  /** Requests under way of each other client. */
  const counts = new Map<string, number>();
  const count = createRateLimiter(now, "requests");
  let underWay = 0;

  const identify = (request: Request): string | null => {
    if (request.network === undefined) request.network = limitKey(request.client());
    unknown.delete(request);
    return request.network;
  };
  const add = (network: string | null, step: 1 | -1) => {
    if (network === null) return;
    const total = (counts.get(network) ?? 0) + step;
    if (total > 0) counts.set(network, total);
    else counts.delete(network);
  };
  return (client) => {
    const request: Request = { client };
    if (rate) {
      const network = identify(request);
      if (network !== null) count(network, rate);
    }
    // Fewer requests than one client may have: no client can be over its limit.
    if (underWay >= concurrent) {
      for (const each of unknown) add(identify(each), 1);
      const network = identify(request);
      if (network !== null && (counts.get(network) ?? 0) >= concurrent) throw tooManyAtOnce(concurrent);
    }
    if (request.network === undefined) unknown.add(request);
    else add(request.network, 1);
    underWay += 1;
    return () => {
      underWay -= 1;
      if (!unknown.delete(request)) add(request.network!, -1);
    };
  };
}

/** As {@link createGuard}, for all threads together. */
function guardThreads(
  now: () => number,
  { concurrent, rate }: GuardLimits,
  threads: NonNullable<ThreadCounts>,
  what: string,
): Guard {
  const count = createRateLimiter(now, "requests", threads, "all requests");
  return (client) => {
    const network = limitKey(client());
    if (network === null) return () => {};
    if (rate) count(network, rate);
    if (concurrent === Number.POSITIVE_INFINITY) return () => {};
    const key = `${what} ${network}`;
    if (!threads.places.enter(key, concurrent)) throw tooManyAtOnce(concurrent);
    return () => threads.places.leave(key);
  };
}

/**
 * Gives out at most `most` places of each key, for all threads together. Returns a function that frees the place; null if all are
 * taken.
 */
export function createPlaces(
  threads: ThreadCounts,
  name: string,
  most: number,
): (key: string) => (() => void) | null {
  const counts = new Map<string, number>();
  return (key) => {
    if (threads) {
      const place = `${name} ${key}`;
      return threads.places.enter(place, most) ? () => threads.places.leave(place) : null;
    }
    const taken = counts.get(key) ?? 0;
    if (taken >= most) return null;
    counts.set(key, taken + 1);
    return () => {
      const left = counts.get(key)! - 1;
      if (left === 0) counts.delete(key);
      else counts.set(key, left);
    };
  };
}

function tooManyAtOnce(concurrent: number): AppError {
  return new AppError("rate_limited", `more than ${concurrent} requests at a time come from your address`, {
    retryAfter: 1,
  });
}

/** A duration such as `2 minutes`, rounded up. */
function formatDuration(seconds: number): string {
  const [size, unit] = seconds > 5400 ? [3600, "hour"] : seconds > 90 ? [60, "minute"] : [1, "second"];
  const count = Math.ceil(seconds / size);
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}
