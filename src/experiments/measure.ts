import type { Measured } from "../forms/intake/measured.ts";
import type { Measurement } from "./measurement.ts";

/** A visitor got a variant of a flag, or did something. Visitors have the pseudonyms of assignments; empty for none. */
export type Occurrence =
  | { visitor: string; exposure: string; variant: string }
  | { visitor: string; event: string };

/** The rows that occurrences in an environment count in, and how many occurrences these are. Throws `unavailable`. */
export type Measure = (
  environmentKey: string,
  occurrences: readonly Occurrence[],
) => Promise<{ measured: Measured[]; accepted: number }>;

/** A measurement under way. */
export type Live = Pick<Measurement, "id" | "flag" | "variants" | "metrics"> & {
  /** As {@link visitorsOf} returns it. */
  visitorOf: (pseudonym: string) => string;
};

/** The measurements under way in an environment, by its key; at once if they are in memory. */
export type LiveIn<T extends Live = Live> = (environmentKey: string) => readonly T[] | Promise<readonly T[]>;

export function createMeasure(liveIn: LiveIn): Measure {
  return async (environmentKey, occurrences) => {
    const live = await liveIn(environmentKey);
    const measured: Measured[] = [];
    let accepted = 0;
    for (const occurrence of occurrences) {
      if (occurrence.visitor === "") continue;
      const before = measured.length;
      for (const measurement of live) {
        const row = rowOf(measurement, occurrence);
        if (row !== null) measured.push(row);
      }
      if (measured.length > before) accepted += 1;
    }
    return { measured, accepted };
  };
}

/** The row that counts an occurrence in a measurement; null if that does not use it. */
function rowOf({ id, flag, variants, metrics, visitorOf }: Live, occurrence: Occurrence): Measured | null {
  if ("event" in occurrence) {
    const bit = metrics.indexOf(`event:${occurrence.event}`);
    if (bit === -1) return null;
    return { measurement: id, visitor: visitorOf(occurrence.visitor), variant: null, metrics: 1 << bit };
  }
  if (occurrence.exposure !== flag) return null;
  const variant = variants.indexOf(occurrence.variant);
  return variant === -1
    ? null
    : { measurement: id, visitor: visitorOf(occurrence.visitor), variant, metrics: 0 };
}
