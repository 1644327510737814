import { AppError } from "./errors.ts";

/** The versions of the setup and of access. Both only grow, unless the database goes back to an earlier state. */
export type Versions = {
  /** Grows by one with every change of the setup, by whichever process. */
  version: number;
  /** Grows with every change to who may do what: to tokens and users. */
  access: number;
  /** Differs after every change of the members of segments that forms fill. Absent for a store without segments. */
  memberships?: number;
  /** A random text for each of the last changes of a shared database, the newest first. Changes that were lost had other texts. */
  stamps?: readonly string[];
};

/** A store whose setup has a version. */
export type Versioned = {
  /** Reads the current version of the database. Throws `unavailable`. */
  readVersion(): Promise<Versions>;
  /**
   * Milliseconds for which a version is trusted, counted from the beginning of its read. A change of the setup fulfils only once every
   * process has stopped trusting versions that miss it. The same for every process on the database.
   */
  readonly staleness: number;
  /** Calls `changed` after each change of the setup that was applied through this store. */
  watch(changed: () => void): void;
};

/** The version that was read last: the same object until a different version is read. */
export type Known = Readonly<Omit<Versions, "memberships">> & {
  /** Differs once the database may have gone back to an earlier state, so that nothing from before may be used. */
  readonly generation: number;
};

/** Tracks the version of the setup in the database, for all caches of this process. */
export type Watch = {
  /**
   * The last version read, while it is still trusted; undefined once it is too old or this process changed the setup.
   */
  known: () => Known | undefined;
  /**
   * The trusted version, or one that is read now: data read from the store afterwards is at least as new. With
   * `isForced` only a read that begins now counts. Throws `unavailable`, without waiting if the last read failed.
   */
  current: (isForced?: boolean) => Promise<Known>;
  /** The version that was last read successfully, however old. */
  last: () => Known | undefined;
  /** The version of members that was read with the last one: caches that know no members stay as they are. */
  memberships: () => number;
  /**
   * Milliseconds since the last read that succeeded began, while reads fail; else 0. Once data of an earlier version was
   * answered, since the last one that found that version.
   */
  staleFor: () => number;
  /** Notes that data of a version is answered while reads fail, although a later version may be known. */
  fellBack: (at: Known) => void;
  /** Calls `changed` after each change by this process and each that a read of the version finds. Returns what ends that. */
  onChange: (changed: () => void) => () => void;
  /** How many reads of the version succeeded and failed. */
  counts: () => { succeeded: number; failed: number };
  /** Ends the reads in the background. */
  close: () => void;
};

/** Staleness in milliseconds from which a database counts as shared by several machines. */
const SHARED_FROM = 50;

/** Whether other machines may use the same database, so that reading its version costs a round trip. */
export function isShared({ staleness }: Pick<Versioned, "staleness">): boolean {
  return staleness >= SHARED_FROM;
}

/** The error of what is not in memory while the database does not answer. */
export function notInMemory(cause?: unknown): AppError {
  return new AppError("unavailable", "the database does not answer", { retryAfter: 1, cause });
}

/** Returns what a key has in memory, at once if that is current; undefined for a missing thing. */
export type Find<T> = (key: string) => T | undefined | Promise<T | undefined>;

/**
 * Caches what `load` returns for each key until the setup changes; `load` is given what it returned before. What is found
 * is at most as old as a trusted version; while reads of it fail, it is what was loaded last. The function returned throws `unavailable` if that is nothing, and what
 * `load` throws.
 */
export function createCache<T>(
  watch: Watch,
  load: (key: string, before: T | undefined) => Promise<T | undefined>,
): Find<T> {
  const kept = new Map<string, { at: Known; value: T }>();
  /** Loads under way, so that one change makes many readers load once. */
  const loading = new Map<string, { at: Known; value: Promise<T | undefined> }>();

  const loadAt = async (key: string, at: Known): Promise<T | undefined> => {
    const entry = kept.get(key);
    const value = await load(key, entry?.at.generation === at.generation ? entry.value : undefined);
    if (value === undefined) kept.delete(key);
    else kept.set(key, { at, value });
    return value;
  };
  const share = (key: string, at: Known): Promise<T | undefined> => {
    const shared = loading.get(key);
    if (shared?.at === at) return shared.value;
    const value = loadAt(key, at).finally(() => {
      if (loading.get(key)?.value === value) loading.delete(key);
    });
    loading.set(key, { at, value });
    return value;
  };
  const read = async (key: string): Promise<T | undefined> => {
    try {
      // Read first: a change during `load` then makes the entry outdated instead of hiding the change.
      const at = await watch.current();
      const entry = kept.get(key);
      return entry?.at === at ? entry.value : await share(key, at);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "unavailable") throw error;
      // A connection from before an outage fails once.
      if (!(await isCutOff(watch))) return share(key, await watch.current());
      const entry = kept.get(key);
      if (!entry) throw error;
      watch.fellBack(entry.at);
      return entry.value;
    }
  };
  return (key) => {
    const at = watch.known();
    const entry = kept.get(key);
    return at !== undefined && entry?.at === at ? entry.value : read(key);
  };
}

/** Whether the database does not answer; another read of the version decides if that is not known yet. */
async function isCutOff(watch: Watch): Promise<boolean> {
  if (watch.staleFor() > 0) return true;
  await watch.current(true).catch(() => {});
  return watch.staleFor() > 0;
}
