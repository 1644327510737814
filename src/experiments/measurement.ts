import type { Measured } from "../forms/intake/measured.ts";
import type { ExperimentCounts } from "./experiment.ts";

/** Bytes of a visitor in the store. */
export const VISITOR_BYTES = 8;

/** A count under way: visitors of a flag by variant, and which of them convert. It belongs to an experiment, or a step of a ramp. */
export type Measurement = {
  /** Never used again. */
  id: number;
  project: string;
  environment: string;
  environmentKey: string;
  flag: string;
  /** Names, by which visitors and conversions are stored as numbers. */
  variants: string[];
  metrics: string[];
  /** As hex. */
  salt: string;
  startedAt: number;
};

/** The visitors of a measurement from the pseudonyms of a `targetingKey`: without the salt they lead to no pseudonym. */
export function visitorsOf({ salt }: Pick<Measurement, "salt">): (pseudonym: string) => string {
  // The salt is put in once: a copy of the state takes a quarter of the time.
  const keyed = new Bun.CryptoHasher("sha256", Buffer.from(salt, "hex"));
  return (pseudonym) =>
    keyed
      .copy()
      .update(pseudonym)
      .digest("hex")
      .slice(0, VISITOR_BYTES * 2);
}

/** An idempotency key of a batch: hashes as hex, and when it expires, in milliseconds since 1970. */
export type BatchKey = { hash: string; content: string; expiresAt: number };

/** The rows of a batch at a time, and how many occurrences of it they count. */
export type MeasuredBatch = {
  measured: readonly Measured[];
  accepted: number;
  at: number;
  key: BatchKey | null;
};

/** The row of a visitor who has seen two variants, and counts for none. */
export const MIXED = -1;

/** The number that stores the variant of a visitor and the metrics converted, of which there are some. */
export function packSeen(variant: number, metrics: number, count: number): number {
  return variant * 2 ** count + metrics;
}

export function unpackSeen(seen: number, count: number): { variant: number; metrics: number } {
  return { variant: Math.floor(seen / 2 ** count), metrics: seen % 2 ** count };
}

/** Counts of a variant, by its number. Metric 0 counts visitors; the others count conversions. */
export type CountRow = { variant: number; metric: number; count: number };

/** Counts by names. */
export function countsOf(
  {
    variants,
    metrics,
    mixed,
    full,
  }: Pick<Measurement, "variants" | "metrics"> & Pick<ExperimentCounts, "mixed" | "full">,
  rows: readonly CountRow[],
): ExperimentCounts {
  const count = (variant: number, metric: number) =>
    rows.find((row) => row.variant === variant && row.metric === metric)?.count ?? 0;
  const counted = variants.map((name, variant) => {
    const conversions = metrics.map((metric, index) => [metric, count(variant, index + 1)] as const);
    return [name, { visitors: count(variant, 0), conversions: Object.fromEntries(conversions) }] as const;
  });
  return { mixed, full, variants: Object.fromEntries(counted) };
}
