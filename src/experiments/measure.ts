import type { Measured } from "../forms/intake/measured.ts";
import { type Measurement, visitorOf } from "./measurement.ts";

/** A visitor got a variant of a flag, or did something. Visitors have the pseudonyms of assignments; empty for none. */
export type Occurrence =
  | { visitor: string; exposure: string; variant: string }
  | { visitor: string; event: string };

/** The rows that occurrences in an environment count in, and how many occurrences these are. Throws `unavailable`. */
export type Measure = (
  environmentKey: string,
  occurrences: readonly Occurrence[],
) => Promise<{ measured: Measured[]; accepted: number }>;

/** The measurements under way in an environment, by its key; at once if they are in memory. */
export type LiveIn<T extends Measurement = Measurement> = (
  environmentKey: string,
) => readonly T[] | Promise<readonly T[]>;

export function createMeasure(liveIn: LiveIn): Measure {
  return async (environmentKey, occurrences) => {
    const live = await liveIn(environmentKey);
    const measured: Measured[] = [];
    let accepted = 0;
    for (const occurrence of occurrences) {
      if (occurrence.visitor === "") continue;
      const rows = live.flatMap((measurement) => rowOf(measurement, occurrence) ?? []);
      measured.push(...rows);
      if (rows.length > 0) accepted += 1;
    }
    return { measured, accepted };
  };
}

/** The row that counts an occurrence in a measurement; null if that does not use it. */
function rowOf(measurement: Measurement, occurrence: Occurrence): Measured | null {
  const { id, flag, variants, metrics } = measurement;
  const visitor = () => visitorOf(measurement, occurrence.visitor);
  if ("event" in occurrence) {
    const bit = metrics.indexOf(`event:${occurrence.event}`);
    return bit === -1 ? null : { measurement: id, visitor: visitor(), variant: null, metrics: 1 << bit };
  }
  const variant = occurrence.exposure === flag ? variants.indexOf(occurrence.variant) : -1;
  return variant === -1 ? null : { measurement: id, visitor: visitor(), variant, metrics: 0 };
}
