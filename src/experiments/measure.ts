/** A visitor got a variant of a flag, or did something. Visitors have the pseudonyms of assignments. */
export type Occurrence =
  | { visitor: string; exposure: string; variant: string }
  | { visitor: string; event: string };

/** An idempotency key of a batch: hashes as hex, and when it expires, in milliseconds since 1970. */
export type BatchKey = { hash: string; content: string; expiresAt: number };

/** What happened in an environment, in order; `at` is in milliseconds since 1970. */
export type Batch = {
  environmentKey: string;
  occurrences: readonly Occurrence[];
  at: number;
  key: BatchKey | null;
};

/** How many occurrences of a batch something that runs counts, and how many nothing does. */
export type Measured = { accepted: number; ignored: number };

/**
 * The port of measurements. One transaction takes a batch, which is durable when the promise fulfils. With the key of an
 * earlier batch it returns what that returned, and counts nothing; null if that had other content. Throws `unavailable`.
 */
export type MeasurementsStore = {
  measurements: { measure(batch: Batch): Promise<Measured | null> };
};
