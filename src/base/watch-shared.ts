import { type Known, type Versioned, type Watch, notInMemory } from "./changes.ts";
import { AppError } from "./errors.ts";
import type { PublishedVersion } from "./threads/published-version.ts";
import type { State, Timing } from "./watch-state.ts";

/** How long reading the version may take, in milliseconds. */
const DEADLINE = 1000;
/** How long after the last read a process still reads the version in the background, in milliseconds. */
const IDLE_AFTER = 5000;

/** A moment on both clocks, and the number of changes that this process had made by then. */
type Beginning = { steady: number; wall: number; changes: number };
type Flight = { began: Beginning; found: Promise<Known> };

/**
 * Reads the version of a database that is a round trip away: one read at a time, and in the background while it is
 * used. It is `published` for the other threads of a server.
 */
export function watchShared(
  store: Versioned,
  state: State,
  { report, note }: { report: (error: unknown) => void; note: (text: string) => void },
  { steady, wall, after }: Timing,
  published: PublishedVersion | null = null,
): Watch {
  const { staleness } = store;
  if (published) store.watch(published.changed);
  let succeeded: Beginning | undefined;
  /** The last read that found each version, and that of the oldest one whose data is answered while reads fail. */
  const confirmed = new WeakMap<Known, Beginning>();
  let oldest: Beginning | undefined;
  let flight: Flight | undefined;
  let failure: { error: unknown } | undefined;
  let usedAt = Number.NEGATIVE_INFINITY;
  let cancelNext = () => {};
  let isClosed = false;

  const beginning = (): Beginning => ({ steady: steady(), wall: wall(), changes: state.changes() });
  /** Whether a version whose read began then is trusted by what starts at `start`. */
  const covers = (began: Beginning, start: Beginning) =>
    start.steady - began.steady < staleness &&
    start.wall - began.wall < staleness &&
    began.changes >= start.changes;

  const known = () => {
    usedAt = steady();
    if (succeeded === undefined || usedAt - succeeded.steady >= staleness) return undefined;
    return covers(succeeded, { steady: usedAt, wall: wall(), changes: state.changes() })
      ? state.known()
      : undefined;
  };

  const staleFor = () => {
    if (!failure || succeeded === undefined) return 0;
    const [now, since] = [beginning(), oldest ?? succeeded];
    return Math.max(now.steady - since.steady, now.wall - since.wall, 1);
  };

  const attempt = async (began: Beginning): Promise<Known> => {
    try {
      // A connection that was closed while idle fails once.
      const found = state.found(
        await within(() => store.readVersion().catch(() => store.readVersion()), after),
      );
      if (failure && !isClosed) note(answersAgain(staleFor()));
      succeeded = began;
      confirmed.set(found, began);
      oldest = undefined;
      failure = undefined;
      published?.publish({ ...found, memberships: state.memberships(), ...began });
      return found;
    } catch (error) {
      state.counts.failed += 1;
      if (!failure && !isClosed) report(cutOff(error));
      failure = { error };
      published?.fail();
      throw notInMemory(error);
    } finally {
      flight = undefined;
      planNext(began);
    }
  };
  const begin = (): Flight => {
    cancelNext();
    const began = beginning();
    flight = { began, found: attempt(began) };
    return flight;
  };
  const planNext = (began: Beginning) => {
    if (published?.wasUsed()) usedAt = steady();
    const isIdle = steady() - usedAt >= IDLE_AFTER;
    // While reads fail they go on, so that the end of it is noticed before the next read.
    if (isClosed || (isIdle && !failure)) return;
    const wait = staleness / 2 - (failure ? 0 : steady() - began.steady);
    cancelNext = after(Math.max(0, wait), () => {
      if (!flight) begin().found.catch(() => {});
    });
  };

  return {
    known,
    async current(isForced = false) {
      const trusted = known();
      if (trusted && !isForced) return trusted;
      const start = beginning();
      const suffices = ({ began }: Flight) =>
        covers(began, start) && (!isForced || began.steady >= start.steady);
      // A retry is already running; fail at once.
      if (failure) throw notInMemory(failure.error);
      for (;;) {
        const current: Flight = flight ?? begin();
        const found = await current.found;
        if (suffices(current)) return found;
      }
    },
    last: state.known,
    memberships: state.memberships,
    staleFor,
    fellBack(at) {
      const began = confirmed.get(at);
      if (began && began.steady < (oldest ?? succeeded ?? began).steady) oldest = began;
    },
    onChange: state.onChange,
    counts: () => state.counts,
    close() {
      isClosed = true;
      cancelNext();
    },
  };
}

function cutOff(cause: unknown): AppError {
  return new AppError("unavailable", "database unreachable: serving cached data", { cause });
}

/** `ms` is 0 if it has never answered before. */
function answersAgain(ms: number): string {
  return `the database answers again${ms === 0 ? "" : `, after ${Math.round(ms / 1000)} s`}`;
}

/** The result of `work`. Throws `unavailable` if that takes longer than `DEADLINE`. */
function within<T>(work: () => Promise<T>, after: Timing["after"]): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const late = () =>
    reject(new AppError("unavailable", `the database has not answered within ${DEADLINE} ms`));
  const cancel = after(DEADLINE, late);
  work().then(resolve, reject).finally(cancel);
  return promise;
}
