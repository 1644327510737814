/** Background work of a server. It is safe to run in several processes at once. */
export type Job = {
  name: string;
  /** Milliseconds between two runs, at most. */
  every: number;
  /** When a run is due earlier than that, in milliseconds since 1970; null for not earlier. */
  next?: () => Promise<number | null>;
  run: () => Promise<void>;
};

export type Jobs = {
  /** Checks at once, for every job, whether a run is due. */
  wake: () => void;
  /** Starts no more runs, and returns once those under way have ended. */
  stop: () => Promise<void>;
};

/** Runs each job at once and then whenever it is due. An error of a run is reported; the job runs again after `every`. */
export function startJobs(jobs: Job[], now: () => number, report: (error: unknown) => void): Jobs {
  const wakers = new Set<() => void>();
  const stopping = new AbortController();

  const sleep = (ms: number) =>
    new Promise<void>((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        wakers.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, Math.max(1, ms));
      wakers.add(wake);
    });
  const loop = async ({ every, next, run }: Job) => {
    let due = now();
    while (!stopping.signal.aborted) {
      try {
        if (due <= now()) {
          due = now() + every;
          await run();
        }
        due = Math.min(due, (await next?.()) ?? due);
      } catch (error) {
        // An immediate retry would fill the log while, for example, the disk is full.
        due = now() + every;
        report(error);
      }
      if (!stopping.signal.aborted) await sleep(due - now());
    }
  };
  const wake = () => wakers.forEach((each) => each());

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
