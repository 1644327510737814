import { MiB } from "./bytes.ts";

/** The duration of a flush that is aimed at, in milliseconds. Commits of other processes wait for two or three flushes. */
const FLUSH_MS = 5;
const MIN_SIZE = MiB / 4;
const MAX_SIZE = 16 * MiB;

/** How many bytes of a large file are written between two flushes. */
export type Pace = {
  size: number;
  /** Adapts `size` to the duration of the last flush, in milliseconds. */
  adjust(ms: number): void;
};

/**
 * Returns a pace for writing a large file on a disk that a server uses. A single flush at the end would delay the
 * commits of the server for as long as the whole file takes.
 */
export function createPace(): Pace {
  return {
    size: MiB,
    adjust(ms) {
      const factor = Math.min(2, Math.max(0.25, FLUSH_MS / ms));
      this.size = Math.round(Math.min(MAX_SIZE, Math.max(MIN_SIZE, this.size * factor)));
    },
  };
}
