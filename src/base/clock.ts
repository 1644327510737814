import type { Random } from "./ids.ts";

/** The clock and the source of randomness, which are passed to every operation that needs them. */
export type ClockAndRandom = {
  /** Milliseconds since 1970. */
  now: () => number;
  random: Random;
};

/** A call that is due later: `close` takes it back, and a process may end before a call that is `unref`. */
export type Timer = { close: () => unknown; unref: () => Timer };

/** All that the product asks the machine for in time and chance. */
export type Clock = {
  /** Milliseconds since 1970; may be set back. */
  now: () => number;
  /** Milliseconds that never go back, but stand still while a virtual machine is suspended. */
  steady: () => number;
  /** Calls `run` once so many milliseconds have passed, or each time they have. */
  after: (ms: number, run: () => void) => Timer;
  every: (ms: number, run: () => void) => Timer;
  sleep: (ms: number) => Promise<void>;
  /** Calls `run` after what the event loop has to do now. */
  soon: (run: () => void) => void;
  /** Cryptographically random bytes. */
  random: (length: number) => Uint8Array<ArrayBuffer>;
  uuid: () => string;
  /** Any number from 0 up to, but without, 1, which may be guessed. */
  fraction: () => number;
};

const MACHINE: Clock = {
  now: () => Date.now(),
  steady: () => performance.now(),
  after: (ms, run) => setTimeout(run, ms),
  every: (ms, run) => setInterval(run, ms),
  sleep: (ms) => Bun.sleep(ms),
  soon: (run) => void setImmediate(run),
  random: (length) => crypto.getRandomValues(new Uint8Array(length)),
  uuid: () => crypto.randomUUID(),
  fraction: () => Math.random(),
};

/** The only door to time and chance: the rule `house/one-clock` refuses others. */
export const clock: Clock = { ...MACHINE };

/** Replaces parts of the clock of this process, and restores the machine's for all others. */
export function setClock(parts: Partial<Clock> = {}): void {
  Object.assign(clock, MACHINE, parts);
}

/** A timestamp in milliseconds since 1970 as ISO 8601. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** The same, of a time that may be null. */
export function shownTime(ms: number | null): string | null {
  return ms === null ? null : isoTime(ms);
}
