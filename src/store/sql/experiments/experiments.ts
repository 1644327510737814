import type { Page, PageQuery } from "../../../base/pages.ts";
import type { ExperimentChange } from "../../../experiments/change.ts";
import type {
  Experiment,
  ExperimentCounts,
  ExperimentPlace,
  ExperimentStatus,
  FoundExperiment,
} from "../../../experiments/experiment.ts";
import { guardMetrics } from "../../../experiments/guards/guard-metrics.ts";
import type { GuardAction, RampedState, RampReason } from "../../../flags/ramps/ramp.ts";
import { amongProjects } from "../lists.ts";
import { pageCut, pageOf } from "../pages.ts";
import { environmentRow, IS_GUARDED } from "../rows.ts";
import { type Work, all, first, run } from "../work.ts";
import { beginMeasurement, endMeasurement, runMeasurement } from "./measurements.ts";

type Row = {
  project: string;
  environment: string;
  name: string;
  flag: string;
  metrics: string;
  control: string;
  split: string;
  minDays: number;
  hypothesis: string | null;
  guards: string;
  onGuard: GuardAction;
  status: ExperimentStatus;
  reason: RampReason | null;
  startedAt: number | null;
  endedAt: number | null;
  left: string | null;
  before: string | null;
  guarded: number;
  decided: number;
  counts: string | null;
  who: string;
  why: string | null;
  createdAt: number;
  isGuarded: number;
  flagCreatedAt: number | null;
  enabled: number;
  rules: string | null;
};

const SELECT = `
  SELECT p.slug AS project, e.slug AS environment, x.name, x.flag, x.metrics, x.control, x.split,
         x.min_days AS "minDays", x.hypothesis, x.guards, x.on_guard AS "onGuard", x.status, x.reason,
         x.started_at AS "startedAt", x.ended_at AS "endedAt", x.left_state AS "left", x.before_state AS "before",
         x.guarded, x.decided, x.counts, x.who, x.why, x.created_at AS "createdAt",
         ${IS_GUARDED} AS "isGuarded", f.created_at AS "flagCreatedAt", coalesce(v.enabled, 0) AS enabled, v.rules
  FROM experiments x
  JOIN environments e ON e.id = x.environment_id
  JOIN projects p ON p.id = e.project_id
  LEFT JOIN flags f ON f.project_id = e.project_id AND f.slug = x.flag
  LEFT JOIN flag_values v ON v.environment_id = x.environment_id AND v.flag_id = f.id`;

type Change<K> = ExperimentChange & { change: K };

export function* putExperiment(
  { project, experiment, salt }: Change<"putExperiment">,
  revision: number,
): Work<void> {
  const { environment, name, flag, metrics, control, split, minDays, hypothesis, guards, onGuard } =
    experiment;
  const { status, reason, startedAt, endedAt, left, before, isGuarded, isDecided, who, why, createdAt } =
    experiment;
  const { id: environmentId } = yield* environmentRow(project, environment);
  const counts = yield* measure(experiment, environmentId, salt, revision);
  const own = { environmentId, name };
  yield* run("DELETE FROM experiments WHERE environment_id = $environmentId AND name = $name", own);
  yield* run(
    `INSERT INTO experiments (environment_id, name, flag, metrics, control, split, min_days, hypothesis, guards, on_guard,
       status, reason, started_at, ended_at, left_state, before_state, guarded, decided, counts, who, why, created_at, revision)
     VALUES ($environmentId, $name, $flag, $metrics, $control, $split, $minDays, $hypothesis, $guards, $onGuard,
       $status, $reason, $startedAt, $endedAt, $left, $before, $guarded, $decided, $counts, $who, $why, $createdAt, $revision)`,
    {
      ...own,
      flag,
      control,
      minDays,
      hypothesis,
      onGuard,
      status,
      reason,
      startedAt,
      endedAt,
      who,
      why,
      createdAt,
      revision,
      metrics: JSON.stringify(metrics),
      split: JSON.stringify(split),
      guards: JSON.stringify(guards),
      left: stateText(left),
      before: stateText(before),
      guarded: isGuarded ? 1 : 0,
      decided: isDecided ? 1 : 0,
      counts: counts === null ? null : JSON.stringify(counts),
    },
  );
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
  const sql = `${SELECT} WHERE x.environment_id = $environmentId AND x.name = $name`;
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
  const sql = `${SELECT} WHERE x.environment_id = $environmentId AND x.name > $after ORDER BY x.name LIMIT $limit`;
  const cut = pageCut("left", "before", "rules", "hypothesis");
  return yield* pageOf(all<Row>(sql, { environmentId, after, limit: limit + 1 }, cut), limit, toFound);
}

export function* experimentsOfEnvironment(environmentId: number): Work<FoundExperiment[]> {
  const sql = `${SELECT} WHERE x.environment_id = $environmentId ORDER BY x.name`;
  return (yield* all<Row>(sql, { environmentId })).map(toFound);
}

const HOLDS = "x.status IN ('running', 'paused')";

function* holdingExperiments(project: string, environment: string): Work<FoundExperiment[]> {
  const { id: environmentId } = yield* environmentRow(project, environment);
  const sql = `${SELECT} WHERE x.environment_id = $environmentId AND ${HOLDS} ORDER BY x.name`;
  return (yield* all<Row>(sql, { environmentId })).map(toFound);
}

function* heldExperiments(projects: readonly string[] | null, limit: number): Work<FoundExperiment[]> {
  const among = amongProjects("p.slug", projects);
  const sql = `${SELECT} WHERE ${HOLDS} ${among.sql} ORDER BY x.started_at, x.name, e.slug LIMIT $limit`;
  return (yield* all<Row>(sql, { ...among.params, limit })).map(toFound);
}

function* findChanged(): Work<FoundExperiment | undefined> {
  const row = yield* first<Row>(
    `${SELECT} WHERE (${HOLDS} AND (f.id IS NULL OR f.created_at > x.started_at))
       OR (x.status = 'running' AND (v.revision > x.revision OR ${IS_GUARDED} <> x.guarded))
     ORDER BY x.environment_id, x.name LIMIT 1`,
  );
  return row && toFound(row);
}

function toFound(row: Row): FoundExperiment {
  const { project, environment, name, flag, control, minDays, hypothesis, onGuard, status, reason } = row;
  const { startedAt, endedAt, who, why, createdAt, flagCreatedAt } = row;
  const experiment: Experiment = {
    environment,
    name,
    flag,
    control,
    minDays,
    hypothesis,
    onGuard,
    status,
    reason,
    startedAt,
    endedAt,
    who,
    why,
    createdAt,
    metrics: JSON.parse(row.metrics),
    split: JSON.parse(row.split),
    guards: JSON.parse(row.guards),
    left: stateOf(row.left),
    before: stateOf(row.before),
    isGuarded: row.guarded === 1,
    isDecided: row.decided === 1,
    counts: row.counts === null ? null : JSON.parse(row.counts),
  };
  const current = { enabled: row.enabled === 1, rules: row.rules, createdAt: flagCreatedAt! };
  return {
    project,
    experiment,
    flag: flagCreatedAt === null ? null : current,
    isGuarded: row.isGuarded === 1,
  };
}

function stateText(state: RampedState | null): string | null {
  if (state === null) return null;
  const { enabled, rules } = state;
  return JSON.stringify({ enabled, rules: rules === null ? null : JSON.parse(rules) });
}

function stateOf(text: string | null): RampedState | null {
  if (text === null) return null;
  const { enabled, rules } = JSON.parse(text) as { enabled: boolean; rules: object | null };
  return { enabled, rules: rules === null ? null : JSON.stringify(rules) };
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
