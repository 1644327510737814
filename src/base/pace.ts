/** About how long one flush may take, in milliseconds. Commits of others wait for two or three of them. */
const FLUSH_MS = 5;
const MiB = 1024 * 1024;
const LEAST = MiB / 4;
const MOST = 16 * MiB;

/** How much of a large file is written between two flushes. */
export type Pace = {
  /** Bytes. */
  size: number;
  /** Adapts to a disk that took that many milliseconds for the last flush. */
  took(ms: number): void;
};

/**
 * A pace for writing a large file beside others who need the disk: flushed once at its end, it would hold up their
 * commits for as long as all of it takes.
 */
export function createPace(): Pace {
  return {
    size: MiB,
    took(ms) {
      const factor = Math.min(2, Math.max(0.25, FLUSH_MS / ms));
      this.size = Math.round(Math.min(MOST, Math.max(LEAST, this.size * factor)));
    },
  };
}
