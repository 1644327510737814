/** Calls `load` once and shares its result; a failed load is tried again by the next call. */
export function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () =>
    (loaded ??= load().catch((error: unknown) => {
      loaded = undefined;
      throw error;
    }));
}

/** Calls `make` at the first call, and returns what it made from then on. */
export function lazy<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

/** The same object, with members that are made at their first use. */
export function addLazily<T extends object, M extends Readonly<Record<string, () => unknown>>>(
  target: T,
  makers: M,
): T & { -readonly [K in keyof M]: ReturnType<M[K]> } {
  for (const [name, make] of Object.entries(makers)) {
    const keep = (value: unknown) =>
      Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
    const get = () => {
      const value = make();
      keep(value);
      return value;
    };
    Object.defineProperty(target, name, { get, set: keep, enumerable: true, configurable: true });
  }
  return target as T & { -readonly [K in keyof M]: ReturnType<M[K]> };
}
