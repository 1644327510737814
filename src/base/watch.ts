import { clock } from "./clock.ts";
import { type Known, type Versioned, type Watch, isShared } from "./changes.ts";
import { watchShared } from "./watch-shared.ts";
import type { PublishedVersion } from "./threads/published-version.ts";
import type { SharedVersion } from "./threads/shared-version.ts";
import { watchThreads } from "./threads/watch-threads.ts";
import { type State, type Timing, createState } from "./watch-state.ts";

const TIMING: Timing = {
  steady: () => clock.steady(),
  wall: () => clock.now(),
  after(ms, run) {
    const timer = clock.after(ms, run);
    // A command ends although it has just read the version.
    timer.unref();
    return () => timer.close();
  },
};

/**
 * Watches the setup of a database, once in a process: changes by this process are known at once, and those of others
 * as soon as the version read before them is no longer trusted. The version of a shared database is read in the
 * background while it is used, so that no read waits, and cached data outlives an outage. `report` is called with
 * errors for the operator, and `note` when they are over. `threads` is for the threads of a server that has several.
 */
export function watchChanges(
  store: Versioned,
  report: (error: unknown) => void = () => {},
  timing: Timing = TIMING,
  note: (text: string) => void = () => {},
  threads: { version?: SharedVersion | null; published?: PublishedVersion | null } = {},
): Watch {
  const state = createState(report);
  const watch = isShared(store)
    ? watchShared(store, state, { report, note }, timing, threads.published)
    : threads.version
      ? watchThreads(store, state, threads.version)
      : watchLocal(store, state, timing);
  store.watch(state.changed);
  return watch;
}

/** A version read on this machine takes microseconds: it is done on demand, and its errors go to the reader. */
function watchLocal(store: Versioned, state: State, { steady }: Timing): Watch {
  let known: Known | undefined;
  let beganAt = Number.NEGATIVE_INFINITY;
  const { staleness } = store;
  // Before the change is announced.
  store.watch(() => (beganAt = Number.NEGATIVE_INFINITY));
  return {
    known: () => (steady() - beganAt < staleness ? known : undefined),
    async current(isForced = false) {
      const began = steady();
      if (known && !isForced && began - beganAt < staleness) return known;
      const before = state.changes();
      try {
        known = state.found(await store.readVersion());
      } catch (error) {
        state.counts.failed += 1;
        throw error;
      }
      // A change during the read may be missing from its result.
      if (state.changes() === before) beganAt = began;
      return known;
    },
    last: state.known,
    memberships: state.memberships,
    staleFor: () => 0,
    fellBack: () => {},
    onChange: state.onChange,
    counts: () => state.counts,
    close: () => {},
  };
}
