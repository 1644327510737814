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
export function watchChanges(store: Versioned): Changes {
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

/**
 * Keeps what `load` returns for each key until the setup changes. Between two looks for changes it is found without
 * waiting.
 */
export function createCache<T>(
  store: Versioned,
  load: (key: string) => Promise<T | undefined>,
): (key: string) => T | undefined | Promise<T | undefined> {
  const changes = watchChanges(store);
  const kept = new Map<string, { version: number; value: T }>();
  const read = async (key: string) => {
    // Looked first: a change that comes meanwhile makes the entry out of date, not the other way round.
    const version = await changes.look();
    const entry = kept.get(key);
    if (entry?.version === version) return entry.value;
    const value = await load(key);
    if (value === undefined) kept.delete(key);
    else kept.set(key, { version, value });
    return value;
  };
  return (key) => {
    const version = changes.known();
    const entry = kept.get(key);
    return entry && entry.version === version ? entry.value : read(key);
  };
}
