/** Work that a server does beside answering. It is safe to run in several processes at once. */
export type Job = {
  name: string;
  /** Milliseconds between two runs, at most. */
  every: number;
  /** When a run is due before that, in milliseconds since 1970; null where none is. */
  next?: () => Promise<number | null>;
  run: () => Promise<void>;
};

export type Jobs = {
  /** Has every job check at once whether a run is due. */
  wake: () => void;
  /** Starts no more runs, and returns once those under way have ended. */
  stop: () => Promise<void>;
};

/** Runs each job at once and from then on. What a run throws is reported, and the job is tried again when it is due. */
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
        // Not at once: a disk that is full would fill the log too.
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
