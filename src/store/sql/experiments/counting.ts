import { EXPERIMENT_LIMITS } from "../../../experiments/limits.ts";
import {
  type CountRow,
  type MeasuredBatch,
  MIXED,
  packSeen,
  unpackSeen,
} from "../../../experiments/measurement.ts";
import type { Measured } from "../../../forms/intake/measured.ts";
import { allAmong, insertRows, runAmong } from "../lists.ts";
import { FOR_UPDATE, type Value, type Work, first, run } from "../work.ts";
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

/** Counts visitors with their conversions. The first exposure of a visitor decides; one to another variant takes it out. */
export function* countMeasured(measured: readonly Measured[]): Work<void> {
  const byMeasurement = Map.groupBy(measured, ({ measurement }) => measurement);
  for (const [id, own] of [...byMeasurement].toSorted(([a], [b]) => a - b)) yield* countIn(id, own);
}

function takeMeasured(batch: MeasuredBatch): Work<number | null> {
  return takeBatch(batch, countMeasured);
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

function* readSeen(id: number, measured: readonly { visitor: string }[]): Work<Map<string, number>> {
  const visitors = [...new Set(measured.map(({ visitor }) => visitor))];
  const rows = yield* allAmong<{ visitor: Uint8Array; seen: number }>(
    visitors.map((visitor) => Buffer.from(visitor, "hex")),
    (list) => `SELECT visitor, seen FROM measured_visitors WHERE measurement = $id AND visitor IN ${list}`,
    { id },
  );
  return new Map(rows.map(({ visitor, seen }) => [visitor.toHex(), seen]));
}

function* writeSeen(
  id: number,
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
): Work<void> {
  const rows: Value[][] = [];
  for (const [visitor, seen] of after) {
    if (seen === before.get(visitor)) continue;
    const bytes = Buffer.from(visitor, "hex");
    if (!before.has(visitor)) rows.push([id, bytes, seen]);
    else
      yield* run("UPDATE measured_visitors SET seen = $seen WHERE measurement = $id AND visitor = $visitor", {
        id,
        seen,
        visitor: bytes,
      });
  }
  yield* insertRows("INSERT INTO measured_visitors (measurement, visitor, seen)", rows, "");
}

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
    yield* runAmong(
      [...stored.keys()].map((visitor) => Buffer.from(visitor, "hex")),
      (list) => `DELETE FROM measured_visitors WHERE measurement = $id AND visitor IN ${list}`,
      { id },
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
