import { clock } from "./clock.ts";
import { HOUR_MS } from "./days.ts";

/** Background work of a server. It is safe to run in several processes at once. */
export type Job = {
  name: string;
  /** Milliseconds between two runs, at most. */
  every: number;
  /** When a run is due earlier than that, in milliseconds since 1970; null for not earlier. */
  next?: () => Promise<number | null>;
  /** Whether a wake makes it run, once `every` has passed since its last run. Default: a wake checks `next` alone. */
  runsOnWake?: true;
  /** Whether it may rest in an idle process. Default: yes. */
  mayRest?: () => boolean;
  run: () => Promise<void>;
};

export type Jobs = {
  /** Checks at once whether a run is due, of every job or of the one of that name, since something has changed. */
  wake: (name?: string) => void;
  /** Starts no more runs, and returns once those under way have ended. */
  stop: () => Promise<void>;
};

/**
 * Runs each job at once and then whenever it is due: intervals do not depend on the clock, which may be set back, and only
 * what `next` returns is a time of `now`. After an error the job runs again after `every`; the error is reported, again each hour
 * while it is the same, and that the job works again. No job runs again before `least` milliseconds have passed unless it may not
 * rest, its `next` says so or a wake makes it run, so that an idle process rests.
 */
export function startJobs(
  jobs: Job[],
  now: () => number,
  report: (error: unknown) => void,
  least = 0,
  recovered: (text: string) => void = () => {},
): Jobs {
  const stopping = new AbortController();
  const states = jobs.map(({ name }) => ({ name, isWoken: false, wake: () => {} }));

  /** Sleeps until the time is over or the job is woken, which may have happened since it last began to check. */
  const sleep = async (state: (typeof states)[number], ms: number) => {
    if (state.isWoken) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    state.wake = resolve;
    const timer = clock.after(Math.max(1, ms), resolve);
    await promise;
    timer.close();
  };
  const loop = async ({ every, next, runsOnWake, mayRest = () => true, run }: Job, index: number) => {
    const state = states[index]!;
    let due = clock.steady();
    let ranAt = Number.NEGATIVE_INFINITY;
    let failed: { error: string; until: number } | undefined;
    while (!stopping.signal.aborted) {
      if (state.isWoken && runsOnWake) due = Math.min(due, ranAt + every);
      state.isWoken = false;
      try {
        const isDue = due <= clock.steady();
        if (isDue) {
          ranAt = clock.steady();
          await run();
          due = ranAt + (mayRest() ? Math.max(every, least) : every);
        }
        const at = (await next?.()) ?? null;
        if (at !== null) due = Math.min(due, clock.steady() + at - now());
        if (isDue && failed) recovered(`background work goes on: ${state.name}`);
        if (isDue) failed = undefined;
      } catch (error) {
        // An immediate retry, or a line for each, would fill the log while, for example, the disk is full.
        due = clock.steady() + every;
        const isKnown = failed?.error === String(error) && clock.steady() < failed.until;
        if (!isKnown) report(error);
        if (!isKnown) failed = { error: String(error), until: clock.steady() + HOUR_MS };
      }
      if (!stopping.signal.aborted) await sleep(state, due - clock.steady());
    }
  };
  const wake = (name?: string) => {
    for (const state of states) {
      if (name !== undefined && name !== state.name) continue;
      state.isWoken = true;
      state.wake();
    }
  };

  const loops = jobs.map(loop);
  return {
    wake,
    async stop() {
      stopping.abort();
      wake();
      await Promise.all(loops);
    },
  };
}
