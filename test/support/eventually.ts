/** What `check` returns once that is truthy; throws when it still is not after `ms` milliseconds. */
export async function eventually<T>(
  what: string,
  check: () => T | Promise<T>,
  ms = 30_000,
): Promise<NonNullable<T>> {
  const deadline = Date.now() + ms;
  for (;;) {
    const value = await check();
    if (value) return value;
    if (Date.now() > deadline) throw new Error(`still not so after ${ms} ms: ${what}`);
    await Bun.sleep(10);
  }
}
