import type { Random } from "./ids.ts";

/** What new things are made with. */
export type Clockwork = {
  /** Milliseconds since 1970. */
  now: () => number;
  random: Random;
};

/** A timestamp in milliseconds since 1970 as ISO 8601. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
