import { type Known, type Watch, notInMemory } from "../changes.ts";
import type { PublishedRead, PublishedVersion } from "./published-version.ts";
import type { SharedClock } from "./shared-clock.ts";

/** How another thread reaches the watch of the main thread. */
export type MainWatch = {
  /** Makes the main thread read the version, unless it trusts one. Throws `unavailable`. */
  read: (isForced: boolean) => Promise<unknown>;
  /** Calls `told` once the main thread has published another version. */
  onNews: (told: () => void) => void;
};

/**
 * Watches a shared database in another thread than the main one, which reads the version for all: what it has published is
 * trusted here for as long as there.
 */
export function watchPublished(
  published: PublishedVersion,
  staleness: number,
  clock: SharedClock & { wall: () => number },
  main: MainWatch,
): Watch {
  const watchers = new Set<() => void>();
  let read: PublishedRead | undefined;
  let known: Known | undefined;
  /** The last read that found each version, and that of the oldest one whose data is answered while reads fail. */
  const confirmed = new WeakMap<Known, PublishedRead>();
  let oldest: PublishedRead | undefined;

  const isTrusted = (): boolean =>
    read !== undefined &&
    read.changes === published.changes() &&
    clock.late() - read.steady < staleness &&
    clock.wall() - read.wall < staleness;
  const take = () => {
    read = published.newest();
    if (!read) return;
    const { version, access, generation } = read;
    const isSame = known?.version === version && known.access === access && known.generation === generation;
    if (!known || !isSame) known = { version, access, generation };
    confirmed.set(known, read);
    oldest = undefined;
    if (isSame) return;
    for (const changed of watchers) changed();
  };
  const trusted = (): Known | undefined => {
    published.use();
    if (isTrusted()) return known;
    take();
    return isTrusted() ? known : undefined;
  };
  main.onNews(take);
  return {
    known: trusted,
    async current(isForced = false) {
      const current = trusted();
      if (current && !isForced) return current;
      // A retry is already running; fail at once.
      if (published.isFailing()) throw notInMemory();
      await main.read(isForced);
      take();
      return known!;
    },
    last: () => known,
    memberships: () => read?.memberships ?? 0,
    staleFor() {
      if (!published.isFailing() || !read) return 0;
      const since = oldest ?? read;
      return Math.max(clock.late() - since.steady, clock.wall() - since.wall, 1);
    },
    fellBack(at) {
      const found = confirmed.get(at);
      if (found && found.steady < (oldest ?? read ?? found).steady) oldest = found;
    },
    onChange(changed) {
      watchers.add(changed);
      return () => void watchers.delete(changed);
    },
    counts: () => ({ succeeded: 0, failed: 0 }),
    close: () => {},
  };
}
