import type { Page, PageQuery } from "../../../base/pages.ts";
import type { ExperimentChange } from "../../../experiments/change.ts";
import type {
  Experiment,
  ExperimentCounts,
  ExperimentPlace,
  FoundExperiment,
} from "../../../experiments/experiment.ts";
import { guardMetrics } from "../../../flags/ramps/guard.ts";
import { HELD_COLUMNS, heldFrom, type HeldRow, flagOf, stateOf, stateText } from "../held.ts";
import { amongProjects } from "../lists.ts";
import { pageCut, pageOf } from "../pages.ts";
import { environmentRow, IS_GUARDED } from "../rows.ts";
import { type Work, all, fieldsOf, first, insert, run } from "../work.ts";
import { beginMeasurement, endMeasurement, runMeasurement } from "./measurements.ts";

type Row = HeldRow &
  Omit<
    Experiment,
    "metrics" | "split" | "guards" | "left" | "before" | "isGuarded" | "isDecided" | "counts"
  > & {
    metrics: string;
    split: string;
    guards: string;
    left: string | null;
    before: string | null;
    guarded: number;
    decided: number;
    counts: string | null;
  };

const FIELDS =
  "name flag metrics control split minDays hypothesis guards onGuard status reason startedAt endedAt";

const SELECT = `
  SELECT ${HELD_COLUMNS}, ${fieldsOf("h", FIELDS)}, h.left_state AS "left", h.before_state AS "before",
         ${fieldsOf("h", "guarded decided counts who why createdAt")}
  ${heldFrom("experiments")}`;

type Change<K> = ExperimentChange & { change: K };

export function* putExperiment(
  { project, experiment, salt }: Change<"putExperiment">,
  revision: number,
): Work<void> {
  const { environment, left, before, isGuarded, isDecided, ...columns } = experiment;
  const { metrics, split, guards, name } = columns;
  const { id: environmentId } = yield* environmentRow(project, environment);
  const counts = yield* measure(experiment, environmentId, salt, revision);
  const own = { environmentId, name };
  yield* run("DELETE FROM experiments WHERE environment_id = $environmentId AND name = $name", own);
  yield* insert("experiments", {
    ...columns,
    environmentId,
    metrics: JSON.stringify(metrics),
    split: JSON.stringify(split),
    guards: JSON.stringify(guards),
    leftState: left && stateText(left),
    beforeState: before && stateText(before),
    guarded: isGuarded ? 1 : 0,
    decided: isDecided ? 1 : 0,
    counts: counts && JSON.stringify(counts),
    revision,
  });
}

/** Begins, pauses, resumes or ends the measurement of an experiment. Returns the counts of one that has ended. */
function* measure(
  experiment: Experiment,
  environmentId: number,
  salt: string | null,
  revision: number,
): Work<ExperimentCounts | null> {
  const { flag, status, split, metrics, guards, startedAt } = experiment;
  if (status === "draft") return null;
  if (status === "ended") return experiment.counts ?? (yield* endMeasurement(environmentId, flag)) ?? null;
  if (salt === null) {
    yield* runMeasurement(environmentId, flag, status === "running");
    return null;
  }
  yield* beginMeasurement({
    id: revision,
    environmentId,
    flag,
    variants: Object.keys(split),
    metrics: guardMetrics(metrics, guards),
    salt,
    startedAt: startedAt!,
  });
  return null;
}

export function* deleteExperiment({
  project,
  environment,
  experiment,
}: Change<"deleteExperiment">): Work<void> {
  const { id: environmentId } = yield* environmentRow(project, environment);
  const own = { environmentId, name: experiment };
  yield* run("DELETE FROM experiments WHERE environment_id = $environmentId AND name = $name", own);
}

function* findExperiment({
  project,
  environment,
  experiment,
}: ExperimentPlace): Work<FoundExperiment | undefined> {
  const { id: environmentId } = yield* environmentRow(project, environment);
  const sql = `${SELECT} WHERE h.environment_id = $environmentId AND h.name = $name`;
  const row = yield* first<Row>(sql, { environmentId, name: experiment });
  return row && toFound(row);
}

function* countExperiments(project: string, environment: string): Work<number> {
  const { id: environmentId } = yield* environmentRow(project, environment);
  const sql = "SELECT count(*) AS count FROM experiments WHERE environment_id = $environmentId";
  return (yield* first<{ count: number }>(sql, { environmentId }))!.count;
}

function* pageExperiments(
  project: string,
  environment: string,
  { limit, after = "" }: PageQuery,
): Work<Page<FoundExperiment>> {
  const { id: environmentId } = yield* environmentRow(project, environment);
  const sql = `${SELECT} WHERE h.environment_id = $environmentId AND h.name > $after ORDER BY h.name LIMIT $limit`;
  const cut = pageCut("left", "before", "rules", "hypothesis");
  return yield* pageOf(all<Row>(sql, { environmentId, after, limit: limit + 1 }, cut), limit, toFound);
}

export function* experimentsOfEnvironment(environmentId: number): Work<FoundExperiment[]> {
  const sql = `${SELECT} WHERE h.environment_id = $environmentId ORDER BY h.name`;
  return (yield* all<Row>(sql, { environmentId })).map(toFound);
}

const HOLDS = "h.status IN ('running', 'paused')";

function* holdingExperiments(project: string, environment: string): Work<FoundExperiment[]> {
  const { id: environmentId } = yield* environmentRow(project, environment);
  const sql = `${SELECT} WHERE h.environment_id = $environmentId AND ${HOLDS} ORDER BY h.name`;
  return (yield* all<Row>(sql, { environmentId })).map(toFound);
}

function* heldExperiments(projects: readonly string[] | null, limit: number): Work<FoundExperiment[]> {
  const among = amongProjects("p.slug", projects);
  const sql = `${SELECT} WHERE ${HOLDS} ${among.sql} ORDER BY h.started_at, h.name, e.slug LIMIT $limit`;
  return (yield* all<Row>(sql, { ...among.params, limit })).map(toFound);
}

function* findChanged(): Work<FoundExperiment | undefined> {
  const row = yield* first<Row>(
    `${SELECT} WHERE (${HOLDS} AND (f.id IS NULL OR f.created_at > h.started_at))
       OR (h.status = 'running' AND (v.revision > h.revision OR ${IS_GUARDED} <> h.guarded))
     ORDER BY h.environment_id, h.name LIMIT 1`,
  );
  return row && toFound(row);
}

function toFound(row: Row): FoundExperiment {
  const { project, isGuarded, flagCreatedAt: _createdAt, enabled: _enabled, rules: _rules, ...rest } = row;
  const { guarded, decided, ...columns } = rest;
  const experiment: Experiment = {
    ...columns,
    metrics: JSON.parse(row.metrics),
    split: JSON.parse(row.split),
    guards: JSON.parse(row.guards),
    left: row.left === null ? null : stateOf(row.left),
    before: row.before === null ? null : stateOf(row.before),
    isGuarded: guarded === 1,
    isDecided: decided === 1,
    counts: row.counts === null ? null : JSON.parse(row.counts),
  };
  return { project, experiment, flag: flagOf(row), isGuarded: isGuarded === 1 };
}

export const experiments = {
  reads: {
    find: findExperiment,
    count: countExperiments,
    held: heldExperiments,
    holding: holdingExperiments,
    findChanged,
  },
  readsAtOnce: { page: pageExperiments },
};
