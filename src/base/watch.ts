import { type Known, type Look, type Versioned, type Watch, isShared, notInMemory } from "./changes.ts";
import { AppError } from "./errors.ts";

/** The clocks and the timer of a watch, in milliseconds. */
export type Timing = {
  /** Never goes back, but stands still while a virtual machine is suspended. */
  steady: () => number;
  /** Since 1970; may be set back. */
  wall: () => number;
  /** Calls `run` after a time, unless the function returned is called before. */
  after: (ms: number, run: () => void) => () => void;
};

/** How long a look may take, in milliseconds. */
const DEADLINE = 1000;
/** How long after the last read a process still looks in the background, in milliseconds. */
const IDLE_AFTER = 5000;

const TIMING: Timing = {
  steady: () => performance.now(),
  wall: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    // A command ends although it has just looked.
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/**
 * Watches the setup of a database, once in a process: changes by this process are known at once, and those of others as
 * soon as no earlier look is trusted any more. A shared database is looked at in the background while somebody reads, so
 * that no read waits, and what is in memory outlives it. `report` is given what the operator has to know, and `note` that
 * it is over.
 */
export function watchChanges(
  store: Versioned,
  report: (error: unknown) => void = () => {},
  timing: Timing = TIMING,
  note: (text: string) => void = () => {},
): Watch {
  const state = createState(report);
  const watch = isShared(store)
    ? watchShared(store, state, { report, note }, timing)
    : watchLocal(store, state, timing);
  store.watch(state.changed);
  return watch;
}

/** What looks have found, and who wants to know. */
function createState(report: (error: unknown) => void) {
  const watchers = new Set<() => void>();
  const counts = { succeeded: 0, failed: 0 };
  let known: Known | undefined;
  let changes = 0;
  const tell = () => {
    for (const changed of watchers) changed();
  };
  return {
    counts,
    known: () => known,
    /** How many changes this process has made: a look that began before one may miss it. */
    changes: () => changes,
    changed: () => {
      changes += 1;
      tell();
    },
    onChange: (changed: () => void) => {
      watchers.add(changed);
      return () => void watchers.delete(changed);
    },
    /** Records what a look found. Looks are recorded in the order in which they began. */
    found(look: Look): Known {
      counts.succeeded += 1;
      const before = known;
      if (before && isSame(before, look)) return before;
      const isBroken = before !== undefined && !follows(look, before);
      known = { ...look, era: (before?.era ?? 0) + (isBroken ? 1 : 0) };
      if (isBroken && !isFarBehind(before, look))
        report(new AppError("unavailable", lostChanges(before, known)));
      if (before) tell();
      return known;
    },
  };
}

function isSame(before: Look, now: Look): boolean {
  return now.version === before.version && now.access === before.access && stampOf(now) === stampOf(before);
}

function stampOf({ stamps }: Look): string | undefined {
  return stamps?.[0];
}

/** Whether the database is known to have all changes that it had: it may have lost some, and got as many others since. */
function follows(now: Look, before: Look): boolean {
  if (now.version < before.version || now.access < before.access) return false;
  const stamp = stampOf(before);
  if (stamp === undefined || now.stamps === undefined) return true;
  return now.stamps[now.version - before.version] === stamp;
}

/** Whether so many changes were made since that the database no longer has the stamp, if it ever had. */
function isFarBehind(before: Look, { version, stamps }: Look): boolean {
  return stamps !== undefined && version - before.version >= stamps.length;
}

function lostChanges(before: Look, now: Look): string {
  const [from, to] = [`${before.version}.${before.access}`, `${now.version}.${now.access}`];
  const what = from === to ? `is at ${to} by others` : `was at ${from} and is now at ${to}`;
  return `the database has lost changes: its setup ${what}; nothing in memory is used any more`;
}

type State = ReturnType<typeof createState>;

/** A look at a database on this machine takes microseconds: it is made when somebody reads, and its errors are theirs. */
function watchLocal(store: Versioned, state: State, { steady }: Timing): Watch {
  let known: Known | undefined;
  let beganAt = Number.NEGATIVE_INFINITY;
  const { staleness } = store;
  // Before anybody is told of the change.
  store.watch(() => (beganAt = Number.NEGATIVE_INFINITY));
  return {
    known: () => (steady() - beganAt < staleness ? known : undefined),
    async look(isForced = false) {
      const began = steady();
      if (known && !isForced && began - beganAt < staleness) return known;
      const before = state.changes();
      try {
        known = state.found(await store.look());
      } catch (error) {
        state.counts.failed += 1;
        throw error;
      }
      // A change during the look may be missing from its result.
      if (state.changes() === before) beganAt = began;
      return known;
    },
    last: state.known,
    staleFor: () => 0,
    onChange: state.onChange,
    counts: () => state.counts,
    close: () => {},
  };
}

/** A moment on both clocks, and the number of changes that this process had made by then. */
type Beginning = { steady: number; wall: number; changes: number };
type Flight = { began: Beginning; found: Promise<Known> };

/** Looks at a database that is a round trip away: one at a time, and in the background while somebody reads. */
function watchShared(
  store: Versioned,
  state: State,
  { report, note }: { report: (error: unknown) => void; note: (text: string) => void },
  { steady, wall, after }: Timing,
): Watch {
  const { staleness } = store;
  let succeeded: Beginning | undefined;
  let flight: Flight | undefined;
  let failure: { error: unknown } | undefined;
  let usedAt = Number.NEGATIVE_INFINITY;
  let cancelNext = () => {};
  let isClosed = false;

  const beginning = (): Beginning => ({ steady: steady(), wall: wall(), changes: state.changes() });
  /** Whether a look that began then is trusted by what starts at `start`. */
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
    const now = beginning();
    return Math.max(now.steady - succeeded.steady, now.wall - succeeded.wall, 1);
  };

  const attempt = async (began: Beginning): Promise<Known> => {
    try {
      // A connection that was closed while idle fails once.
      const found = state.found(await within(() => store.look().catch(() => store.look()), after));
      if (failure && !isClosed) note(answersAgain(staleFor()));
      succeeded = began;
      failure = undefined;
      return found;
    } catch (error) {
      state.counts.failed += 1;
      if (!failure && !isClosed) report(cutOff(error));
      failure = { error };
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
    const isIdle = steady() - usedAt >= IDLE_AFTER;
    // While looks fail they go on, so that the end of it is noticed before the next read.
    if (isClosed || (isIdle && !failure)) return;
    const wait = staleness / 2 - (failure ? 0 : steady() - began.steady);
    cancelNext = after(Math.max(0, wait), () => {
      if (!flight) begin().found.catch(() => {});
    });
  };

  return {
    known,
    async look(isForced = false) {
      const trusted = known();
      if (trusted && !isForced) return trusted;
      const start = beginning();
      const suffices = ({ began }: Flight) =>
        covers(began, start) && (!isForced || began.steady >= start.steady);
      // What fails is being looked at already: nobody waits for that.
      if (failure) throw notInMemory(failure.error);
      for (;;) {
        const current: Flight = flight ?? begin();
        const found = await current.found;
        if (suffices(current)) return found;
      }
    },
    last: state.known,
    staleFor,
    onChange: state.onChange,
    counts: () => state.counts,
    close() {
      isClosed = true;
      cancelNext();
    },
  };
}

function cutOff(cause: unknown): AppError {
  return new AppError("unavailable", "the database does not answer: what is in memory is served", { cause });
}

/** `ms` is 0 where it has never answered before. */
function answersAgain(ms: number): string {
  return `the database answers again${ms === 0 ? "" : `, after ${Math.round(ms / 1000)} s`}`;
}

/** The result of `work`. Throws `unavailable` where that takes longer than `DEADLINE`. */
function within<T>(work: () => Promise<T>, after: Timing["after"]): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const late = () =>
    reject(new AppError("unavailable", `the database has not answered within ${DEADLINE} ms`));
  const cancel = after(DEADLINE, late);
  work().then(resolve, reject).finally(cancel);
  return promise;
}
