import type { Store } from "../app.ts";

/** Tells whether what was read from the store before still holds. */
export type Changes = {
  /** The version of the setup, where it was looked at within `LOOK_MS` and nothing changed here since; no waiting. */
  known: () => number | undefined;
  /** Looks now. What is read from the store afterwards is at least that new. */
  look: () => Promise<number>;
};

/**
 * Looks for changes by other processes at most every `LOOK_MS`, however often it is asked, and sees those of this
 * process at once: asking the store for every request would cost more than most answers.
 */
export function watchChanges(store: Store): Changes {
  let version = -1;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let changes = 0;
  store.watch(() => {
    changes += 1;
    lookedAt = Number.NEGATIVE_INFINITY;
  });
  return {
    known: () => (performance.now() - lookedAt < LOOK_MS ? version : undefined),
    async look() {
      const at = performance.now();
      const before = changes;
      const seen = await store.version();
      version = Math.max(version, seen);
      // A look counts only where nothing changed while it went on.
      if (changes === before) lookedAt = at;
      return seen;
    },
  };
}

/** How long what is kept in memory may go without a look for changes by other processes, in milliseconds. */
export const LOOK_MS = 2;

/** What changes by other processes are noticed by. */
export type Versioned = {
  /** A number that grows with every change to projects, environments, flags or forms, by whichever process. */
  version(): Promise<number>;
  /** Calls back after each such change that was made through this store. */
  watch(changed: () => void): void;
};
