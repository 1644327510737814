import { clock } from "../clock.ts";

/**
 * The steady clock of the main thread, in milliseconds, as another thread knows it: it is at least `early` and at most
 * `late`. Each thread counts from its own start.
 */
export type SharedClock = { early: () => number; late: () => number };

/** The clock in the main thread itself. */
export const MAIN_CLOCK: SharedClock = { early: () => clock.steady(), late: () => clock.steady() };

/** Milliseconds between the two bounds that are good enough: a twentieth of what a look at SQLite is trusted for. */
const GOOD = 0.1;
const MOST_TRIES = 20;

/** Compares the clock of this thread with that of the main thread, which `ask` returns. */
export async function readClock(ask: () => Promise<number>): Promise<SharedClock> {
  let [low, high] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let tries = 0; tries < MOST_TRIES && high - low > GOOD; tries += 1) {
    const before = clock.steady();
    const there = await ask();
    const after = clock.steady();
    low = Math.max(low, there - after);
    high = Math.min(high, there - before);
  }
  return { early: () => clock.steady() + low, late: () => clock.steady() + high };
}
