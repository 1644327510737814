import type { Known, Versioned, Versions, Watch } from "../changes.ts";
import type { State } from "../watch-state.ts";
import type { VersionRead, SharedVersion } from "./shared-version.ts";

/**
 * Watches a database of this machine in one of several threads: a read of the version by any of them counts for all, and a change by one
 * is known to all before it is answered.
 */
export function watchThreads(store: Versioned, state: State, shared: SharedVersion): Watch {
  const { staleness } = store;
  let known: Known | undefined;
  let [beganAt, covered] = [Number.NEGATIVE_INFINITY, -1];
  const isTrusted = (began: number, changes: number) =>
    shared.changes() === changes && shared.clock.late() - began < staleness;
  const take = (read: VersionRead, isOwn: boolean): Known => {
    [beganAt, covered] = [read.beganAt, read.changes];
    return (known = state.found(versionsOf(read), isOwn));
  };
  // Before the change is announced.
  store.watch(shared.changed);
  return {
    known: () => (isTrusted(beganAt, covered) ? known : undefined),
    async current(isForced = false) {
      if (!isForced) {
        if (known && isTrusted(beganAt, covered)) return known;
        const newest = shared.newest();
        if (isTrusted(newest.beganAt, newest.changes)) return take(newest, false);
      }
      const [began, changes] = [shared.clock.early(), shared.changes()];
      try {
        const read = versionsOf(await store.readVersion());
        return take(shared.publish({ ...read, beganAt: began, changes }), true);
      } catch (error) {
        state.counts.failed += 1;
        throw error;
      }
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

function versionsOf({ version, access, memberships = 0 }: Versions): Required<Omit<Versions, "stamps">> {
  return { version, access, memberships };
}
