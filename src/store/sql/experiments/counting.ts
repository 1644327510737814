import { EXPERIMENT_LIMITS } from "../../../experiments/limits.ts";
import {
  type CountRow,
  type MeasuredBatch,
  MIXED,
  packSeen,
  unpackSeen,
  VISITOR_BYTES,
} from "../../../experiments/measurement.ts";
import type { Measured } from "../../../forms/intake/measured.ts";
import { insertRows } from "../lists.ts";
import { FOR_UPDATE, type Work, all, first, run } from "../work.ts";
import { takeBatch } from "./batches.ts";
import { clearVisitors, COLUMNS, findCounts, liveMeasurements, type Row } from "./measurements.ts";

/** Changes of counts, by variant and metric. */
class Deltas {
  readonly #sums = new Map<string, CountRow>();

  add(variant: number, metric: number, count: number): void {
    const key = `${variant} ${metric}`;
    const sum = this.#sums.get(key);
    if (sum) sum.count += count;
    else this.#sums.set(key, { variant, metric, count });
  }

  /** Adds a visitor with the metrics converted, or with -1 takes one out. */
  addVisitor(variant: number, metrics: number, count: 1 | -1): void {
    this.add(variant, 0, count);
    for (let [bits, metric] = [metrics, 1]; bits > 0; bits >>>= 1, metric += 1)
      if (bits & 1) this.add(variant, metric, count);
  }

  rows(): CountRow[] {
    const changed = [...this.#sums.values()].filter(({ count }) => count !== 0);
    return changed.toSorted((a, b) => a.variant - b.variant || a.metric - b.metric);
  }
}

/**
 * Counts visitors and their conversions. The first exposure of a visitor decides; an exposure to another variant
 * removes the visitor.
 */
export function* countMeasured(measured: readonly Measured[]): Work<void> {
  const byMeasurement = Map.groupBy(measured, ({ measurement }) => measurement);
  for (const [id, own] of [...byMeasurement].toSorted(([a], [b]) => a - b)) yield* countIn(id, own);
}

function* takeMeasured(batch: MeasuredBatch): Work<{ accepted: number | null; isRepeat: boolean }> {
  const { measured, ...taken } = yield* takeBatch(batch);
  yield* countMeasured(measured);
  return taken;
}

function* countIn(id: number, measured: readonly Measured[]): Work<void> {
  const row = yield* lockMeasurement(id);
  if (!row || row.running === 0) return;
  const count = (JSON.parse(row.metrics) as string[]).length;
  const stored = yield* readSeen(id, measured);
  const now = new Map(stored);
  const deltas = new Deltas();
  let { visitors, mixed, filled } = row;
  for (const { visitor, variant, metrics } of measured) {
    const seen = now.get(visitor);
    if (seen === MIXED) continue;
    if (seen === undefined) {
      if (variant === null) continue;
      if (visitors >= EXPERIMENT_LIMITS.visitors) {
        filled = 1;
        continue;
      }
      visitors += 1;
      now.set(visitor, packSeen(variant, metrics, count));
      deltas.addVisitor(variant, metrics, 1);
      continue;
    }
    const before = unpackSeen(seen, count);
    if (variant !== null && variant !== before.variant) {
      mixed += 1;
      now.set(visitor, MIXED);
      deltas.addVisitor(before.variant, before.metrics, -1);
      continue;
    }
    const after = before.metrics | metrics;
    if (after === before.metrics) continue;
    now.set(visitor, packSeen(before.variant, after, count));
    for (let [bits, metric] = [after & ~before.metrics, 1]; bits > 0; bits >>>= 1, metric += 1)
      if (bits & 1) deltas.add(before.variant, metric, 1);
  }
  yield* writeSeen(id, stored, now);
  yield* writeCounts(id, deltas.rows());
  if (visitors !== row.visitors || mixed !== row.mixed || filled !== row.filled)
    yield* setTotals(id, { visitors, mixed, filled });
}

function lockMeasurement(id: number): Work<Row | undefined> {
  return first(`SELECT ${COLUMNS} FROM measurements WHERE id = $id ${FOR_UPDATE}`, { id });
}

/** Visitors, as hex, in the order of their rows: each page of a large table is then read and written once. */
function listOf(visitors: Iterable<string>): string {
  return JSON.stringify([...visitors].toSorted());
}

function* readSeen(id: number, measured: readonly { visitor: string }[]): Work<Map<string, number>> {
  const rows = yield* all<{ visitor: Uint8Array; seen: number }>(
    `SELECT visitor, seen FROM measured_visitors
     WHERE measurement = $id AND visitor IN (SELECT unhex(value) FROM json_each($visitors))`,
    { id, visitors: listOf(new Set(measured.map(({ visitor }) => visitor))) },
  );
  return new Map(rows.map(({ visitor, seen }) => [visitor.toHex(), seen]));
}

function* writeSeen(
  id: number,
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
): Work<void> {
  const rows: string[] = [];
  for (const [visitor, seen] of after) if (seen !== before.get(visitor)) rows.push(`${visitor}${seen}`);
  if (rows.length === 0) return;
  yield* run(
    `INSERT INTO measured_visitors (measurement, visitor, seen)
     SELECT CAST($id AS BIGINT), unhex(visitor), CAST(seen AS BIGINT)
     FROM (SELECT substr(value, 1, ${DIGITS}) AS visitor, substr(value, ${DIGITS + 1}) AS seen FROM json_each($rows)) AS given
     WHERE true ON CONFLICT (measurement, visitor) DO UPDATE SET seen = excluded.seen`,
    { id, rows: listOf(rows) },
  );
}

/** Digits of a visitor as hex. */
const DIGITS = VISITOR_BYTES * 2;

function* writeCounts(id: number, rows: readonly CountRow[]): Work<void> {
  yield* insertRows(
    "INSERT INTO measured_counts (measurement, variant, metric, count)",
    rows.map(({ variant, metric, count }) => [id, variant, metric, count]),
    `ON CONFLICT (measurement, variant, metric) DO UPDATE SET count = measured_counts.count + excluded.count`,
  );
}

function setTotals(id: number, totals: { visitors: number; mixed: number; filled: number }): Work<number> {
  return run(
    "UPDATE measurements SET visitors = $visitors, mixed = $mixed, filled = $filled WHERE id = $id",
    { id, ...totals },
  );
}

/** Takes visitors out, as if they had never come. */
function* forgetVisitors(visitors: readonly Pick<Measured, "measurement" | "visitor">[]): Work<void> {
  const byMeasurement = Map.groupBy(visitors, ({ measurement }) => measurement);
  for (const [id, own] of [...byMeasurement].toSorted(([a], [b]) => a - b)) {
    const row = yield* lockMeasurement(id);
    if (!row) continue;
    const count = (JSON.parse(row.metrics) as string[]).length;
    const stored = yield* readSeen(id, own);
    if (stored.size === 0) continue;
    const deltas = new Deltas();
    let { mixed } = row;
    for (const [, seen] of stored) {
      if (seen === MIXED) mixed -= 1;
      else deltas.addVisitor(unpackSeen(seen, count).variant, unpackSeen(seen, count).metrics, -1);
    }
    yield* run(
      `DELETE FROM measured_visitors
       WHERE measurement = $id AND visitor IN (SELECT unhex(value) FROM json_each($visitors))`,
      { id, visitors: listOf(stored.keys()) },
    );
    yield* writeCounts(id, deltas.rows());
    yield* setTotals(id, { visitors: row.visitors - stored.size, mixed, filled: row.filled });
  }
}

export const measurements = {
  reads: { live: () => liveMeasurements(true), kept: () => liveMeasurements(false) },
  readsAtOnce: { counts: findCounts },
  writes: { count: countMeasured, take: takeMeasured, forget: forgetVisitors, clear: clearVisitors },
  weights: {
    count: (measured: readonly Measured[]) => 100 + measured.length * 100,
    take: ({ measured }: MeasuredBatch) => 100 + measured.length * 100,
  },
};
