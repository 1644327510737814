import type { ExperimentCounts } from "../../../experiments/experiment.ts";
import { countsOf, type CountRow, type Measurement } from "../../../experiments/measurement.ts";
import type { FlagPlace } from "../../../flags/flag.ts";
import { environmentRow } from "../rows.ts";
import { FOR_UPDATE, SKIP_LOCKED, type Work, all, first, insert, run } from "../work.ts";

/** A row of a measurement. */
export type Row = {
  id: number;
  variants: string;
  metrics: string;
  running: number;
  visitors: number;
  mixed: number;
  filled: number;
};

export const COLUMNS = "id, variants, metrics, running, visitors, mixed, filled";

/** A measurement that begins: `id` is the revision of its change. */
export type Beginning = {
  id: number;
  environmentId: number;
  flag: string;
  variants: readonly string[];
  metrics: readonly string[];
  salt: string;
  startedAt: number;
};

/** Begins a measurement of a flag, in the place of an earlier one. */
export function* beginMeasurement(beginning: Beginning): Work<void> {
  const { variants, metrics, salt, ...columns } = beginning;
  yield* endMeasurement(columns.environmentId, columns.flag);
  yield* insert("measurements", {
    ...columns,
    variants: JSON.stringify(variants),
    metrics: JSON.stringify(metrics),
    salt: Buffer.from(salt, "hex"),
    running: 1,
    visitors: 0,
    mixed: 0,
    filled: 0,
  });
}

/** Counts, or does not for a time. */
export function* runMeasurement(environmentId: number, flag: string, isRunning: boolean): Work<void> {
  yield* run(
    "UPDATE measurements SET running = $running WHERE environment_id = $environmentId AND flag = $flag",
    { environmentId, flag, running: isRunning ? 1 : 0 },
  );
}

/** Ends the measurement of a flag, and returns its counts. The salt is deleted at once, the rows of visitors later. */
export function* endMeasurement(environmentId: number, flag: string): Work<ExperimentCounts | undefined> {
  const own = { environmentId, flag };
  const counts = yield* readCounts(own, FOR_UPDATE);
  yield* run("DELETE FROM measurements WHERE environment_id = $environmentId AND flag = $flag", own);
  return counts;
}

function* readCounts(
  own: { environmentId: number; flag: string },
  lock = "",
): Work<ExperimentCounts | undefined> {
  const row = yield* first<Row>(
    `SELECT ${COLUMNS} FROM measurements WHERE environment_id = $environmentId AND flag = $flag ${lock}`,
    own,
  );
  if (!row) return undefined;
  const rows = yield* all<CountRow>(
    "SELECT variant, metric, count FROM measured_counts WHERE measurement = $id",
    { id: row.id },
  );
  return countsOf(shapeOf(row), rows);
}

function shapeOf({ variants, metrics, mixed, filled }: Row) {
  return {
    variants: JSON.parse(variants) as string[],
    metrics: JSON.parse(metrics) as string[],
    mixed,
    full: filled === 1,
  };
}

export function* findCounts({ project, environment, flag }: FlagPlace): Work<ExperimentCounts | undefined> {
  const { id: environmentId } = yield* environmentRow(project, environment);
  return yield* readCounts({ environmentId, flag });
}

/** The measurements that count now, or all. */
export function* liveMeasurements(isRunning: boolean): Work<Measurement[]> {
  type Live = Omit<Measurement, "variants" | "metrics" | "salt"> & {
    variants: string;
    metrics: string;
    salt: Uint8Array;
  };
  const rows = yield* all<Live>(
    `SELECT m.id, p.slug AS project, e.slug AS environment, e.key AS "environmentKey", m.flag, m.variants, m.metrics,
            m.salt, m.started_at AS "startedAt"
     FROM measurements m JOIN environments e ON e.id = m.environment_id JOIN projects p ON p.id = e.project_id
     ${isRunning ? "WHERE m.running = 1" : ""} ORDER BY m.id`,
  );
  return rows.map(({ variants, metrics, salt, ...row }) => ({
    ...row,
    variants: JSON.parse(variants),
    metrics: JSON.parse(metrics),
    salt: salt.toHex(),
  }));
}

/** Removes at most `limit` visitors of measurements that have ended, one after the other. Returns whether any may be left. */
export function* clearVisitors(limit: number): Work<boolean> {
  for (let after = -1; ;) {
    const next = yield* first<{ id: number; live: number | null }>(
      `SELECT v.measurement AS id, m.id AS live FROM measured_visitors v
       LEFT JOIN measurements m ON m.id = v.measurement
       WHERE v.measurement > $after ORDER BY v.measurement LIMIT 1`,
      { after },
    );
    if (!next) return false;
    if (next.live === null) {
      const sql = `DELETE FROM measured_visitors WHERE measurement = $id AND visitor IN
        (SELECT visitor FROM measured_visitors WHERE measurement = $id LIMIT $limit ${SKIP_LOCKED})`;
      yield* run(sql, { id: next.id, limit });
      return true;
    }
    after = next.id;
  }
}
