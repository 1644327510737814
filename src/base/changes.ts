/** The version of the setup, for values that are cached until the setup changes. */
export type Changes = {
  /** The version read within the last `VERSION_TTL_MS`; undefined where it is older or this process changed the setup. */
  knownVersion: () => number | undefined;
  /** Reads the version from the store: what is read from the store afterwards is at least as new. */
  readVersion: () => Promise<number>;
};

/**
 * Notices changes by this process at once and changes by other processes within `VERSION_TTL_MS`: reading the version
 * for every request would cost more than most answers.
 */
export function watchChanges(store: Versioned): Changes {
  let version = -1;
  let readAt = Number.NEGATIVE_INFINITY;
  let changes = 0;
  store.watch(() => {
    changes += 1;
    readAt = Number.NEGATIVE_INFINITY;
  });
  return {
    knownVersion: () => (performance.now() - readAt < VERSION_TTL_MS ? version : undefined),
    async readVersion() {
      const start = performance.now();
      const before = changes;
      const current = await store.version();
      version = Math.max(version, current);
      // A change during the read may be missing from its result.
      if (changes === before) readAt = start;
      return current;
    },
  };
}

/** Milliseconds for which a version that was read is relied on: the delay of changes by other processes. */
export const VERSION_TTL_MS = 2;

/** A store whose setup has a version. */
export type Versioned = {
  /** A number that grows with every change to projects, environments, flags or forms, by whichever process. */
  version(): Promise<number>;
  /** Calls `changed` after each such change that was applied through this store. */
  watch(changed: () => void): void;
};

/**
 * Caches what `load` returns for each key until the setup changes. The function returned answers without a promise while
 * the version is known.
 */
export function createCache<T>(
  store: Versioned,
  load: (key: string) => Promise<T | undefined>,
): (key: string) => T | undefined | Promise<T | undefined> {
  const changes = watchChanges(store);
  const kept = new Map<string, { version: number; value: T }>();
  const read = async (key: string) => {
    // Version first: a change during `load` then makes the entry outdated instead of hiding the change.
    const version = await changes.readVersion();
    const entry = kept.get(key);
    if (entry?.version === version) return entry.value;
    const value = await load(key);
    if (value === undefined) kept.delete(key);
    else kept.set(key, { version, value });
    return value;
  };
  return (key) => {
    const version = changes.knownVersion();
    const entry = kept.get(key);
    return entry && entry.version === version ? entry.value : read(key);
  };
}
