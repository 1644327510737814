/** Milliseconds between two looks, the longer the more time has gone: looking takes time from what is waited for. */
const [SHORTEST, LONGEST] = [10, 100];

/** What `check` returns once that is truthy; throws when it still is not after `ms` milliseconds. */
export async function eventually<T>(
  what: string,
  check: () => T | Promise<T>,
  ms = 30_000,
): Promise<NonNullable<T>> {
  const start = Date.now();
  for (;;) {
    const value = await check();
    if (value) return value;
    const waited = Date.now() - start;
    if (waited > ms) throw new Error(`still not so after ${ms} ms: ${what}`);
    await Bun.sleep(Math.min(LONGEST, Math.max(SHORTEST, waited / 10)));
  }
}
