import type { Random } from "./ids.ts";

/** The clock and the source of randomness, which are passed to every operation that needs them. */
export type ClockAndRandom = {
  /** Milliseconds since 1970. */
  now: () => number;
  random: Random;
};

/** A timestamp in milliseconds since 1970 as ISO 8601. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
