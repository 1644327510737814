import type { Page } from "../../base/pages.ts";
import { guardMetrics } from "../../experiments/guards/guard-metrics.ts";
import type { Counting, FlagChange } from "../../flags/change.ts";
import type { FlagPlace } from "../../flags/flag.ts";
import {
  type FoundRamp,
  type GuardAction,
  isHeld,
  type Ramp,
  type RampQuery,
  type RampReason,
  type RampStatus,
  restOf,
} from "../../flags/ramps/ramp.ts";
import { beginMeasurement, endMeasurement, runMeasurement } from "./experiments/measurements.ts";
import { amongProjects } from "./lists.ts";
import { pageCut, pageOf } from "./pages.ts";
import { environmentRow, IS_GUARDED, projectRow } from "./rows.ts";
import { type Work, all, first, only, run } from "./work.ts";

type Row = {
  project: string;
  environment: string;
  flag: string;
  variant: string;
  steps: string;
  every: number;
  startAt: number | null;
  status: RampStatus;
  reason: RampReason | null;
  nextAt: number | null;
  left: string;
  before: string;
  guarded: number;
  guards: string;
  onGuard: GuardAction;
  who: string;
  why: string | null;
  createdAt: number;
  isGuarded: number;
  flagCreatedAt: number | null;
  enabled: number;
  rules: string | null;
};

const FROM = `
  FROM ramps r
  JOIN environments e ON e.id = r.environment_id
  JOIN projects p ON p.id = e.project_id
  LEFT JOIN flags f ON f.project_id = e.project_id AND f.slug = r.flag
  LEFT JOIN flag_values v ON v.environment_id = r.environment_id AND v.flag_id = f.id`;

const SELECT = `
  SELECT p.slug AS project, e.slug AS environment, r.flag, r.variant, r.steps, r.every, r.start_at AS "startAt",
         r.status, r.reason, r.next_at AS "nextAt", r.left_state AS "left", r.before_state AS "before", r.guarded,
         r.guards, r.on_guard AS "onGuard", r.who, r.why, r.created_at AS "createdAt",
         ${IS_GUARDED} AS "isGuarded", f.created_at AS "flagCreatedAt", coalesce(v.enabled, 0) AS enabled, v.rules
  ${FROM}`;

/** The ramp of a flag that was deleted is not that of a later one of its name. */
const IS_OF_FLAG = "(f.id IS NULL OR r.reason IS NULL OR r.reason <> 'deleted')";

type Change<K> = FlagChange & { change: K };

export function* putRamp({ project, ramp, counting }: Change<"putRamp">, revision: number): Work<void> {
  const { environment, flag, variant, steps, every, startAt, status, reason, nextAt } = ramp;
  const { share, left, before, isGuarded, guards, onGuard, who, why, createdAt } = ramp;
  const { id: environmentId } = yield* environmentRow(project, environment);
  yield* run("DELETE FROM ramps WHERE environment_id = $environmentId AND flag = $flag", {
    environmentId,
    flag,
  });
  yield* run(
    `INSERT INTO ramps (environment_id, flag, variant, steps, every, start_at, status, reason, next_at, left_state,
       before_state, guarded, guards, on_guard, who, why, created_at, revision)
     VALUES ($environmentId, $flag, $variant, $steps, $every, $startAt, $status, $reason, $nextAt, $left,
       $before, $guarded, $guards, $onGuard, $who, $why, $createdAt, $revision)`,
    {
      environmentId,
      flag,
      variant,
      every,
      startAt,
      status,
      reason,
      nextAt,
      onGuard,
      who,
      why,
      createdAt,
      steps: JSON.stringify(steps),
      left: stateText({ ...left, share }),
      before: stateText(before),
      guarded: isGuarded ? 1 : 0,
      guards: JSON.stringify(guards),
      revision,
    },
  );
  if (guards.length > 0) yield* measure(ramp, environmentId, counting, revision);
}

/** Begins, pauses or ends the measurement that the guards of a ramp read. */
function* measure(
  ramp: Ramp,
  environmentId: number,
  counting: Counting | null,
  revision: number,
): Work<void> {
  const { flag, variant, status, guards } = ramp;
  if (!isHeld(ramp)) yield* endMeasurement(environmentId, flag);
  else if (counting === null) yield* runMeasurement(environmentId, flag, status === "running");
  else {
    const metrics = guardMetrics([], guards);
    // Guards against earlier weeks need the time of the start alone.
    const variants = metrics.length === 0 ? [] : [restOf(ramp), variant];
    yield* beginMeasurement({ id: revision, environmentId, flag, variants, metrics, ...counting });
  }
}

function* findRamp({ project, environment, flag }: FlagPlace): Work<FoundRamp | undefined> {
  const { id: environmentId } = yield* environmentRow(project, environment);
  const sql = `${SELECT} WHERE r.environment_id = $environmentId AND r.flag = $flag AND ${IS_OF_FLAG}`;
  const row = yield* first<Row>(sql, { environmentId, flag });
  return row && toFound(row);
}

function* pageRamps(
  project: string,
  environment: string | null,
  { limit, after }: RampQuery,
): Work<Page<FoundRamp>> {
  const { id: projectId } = yield* projectRow(project);
  if (environment !== null) yield* environmentRow(project, environment);
  const place = environment === null ? "" : "AND e.slug = $environment";
  const sql = `${SELECT} WHERE e.project_id = $projectId ${place} AND ${IS_OF_FLAG}
    AND (r.flag, e.slug) > ($flag, $in) ORDER BY r.flag, e.slug LIMIT $limit`;
  const from = { flag: after?.flag ?? "", in: after?.environment ?? "", limit: limit + 1 };
  const params = { projectId, ...from, ...(environment === null ? {} : { environment }) };
  const rows = all<Row>(sql, params, pageCut("left", "before", "rules"));
  return yield* pageOf(rows, limit, toFound);
}

function* heldRamps(projects: readonly string[] | null, limit: number): Work<FoundRamp[]> {
  const among = amongProjects("p.slug", projects);
  const sql = `${SELECT} WHERE r.status IN ('running', 'paused') ${among.sql}
    ORDER BY CASE WHEN r.next_at IS NULL THEN 1 ELSE 0 END, r.next_at, r.flag, e.slug LIMIT $limit`;
  return (yield* all<Row>(sql, { ...among.params, limit })).map(toFound);
}

function* rampsOfFlag(project: string, flag: string): Work<FoundRamp[]> {
  const { id: projectId } = yield* projectRow(project);
  const sql = `${SELECT} WHERE e.project_id = $projectId AND r.flag = $flag AND ${IS_OF_FLAG} ORDER BY e.slug`;
  return (yield* all<Row>(sql, { projectId, flag })).map(toFound);
}

export function* rampsOfEnvironment(environmentId: number): Work<FoundRamp[]> {
  const sql = `${SELECT} WHERE r.environment_id = $environmentId AND ${IS_OF_FLAG} ORDER BY r.flag`;
  return (yield* all<Row>(sql, { environmentId })).map(toFound);
}

function* experimentOn({ project, environment, flag }: FlagPlace): Work<string | undefined> {
  const { id: environmentId } = yield* environmentRow(project, environment);
  const row = yield* first<{ name: string }>(
    `SELECT name FROM experiments
     WHERE environment_id = $environmentId AND flag = $flag AND status IN ('running', 'paused')`,
    { environmentId, flag },
  );
  return row?.name;
}

function* nextStep(): Work<number | null> {
  const sql = "SELECT min(next_at) AS at FROM ramps WHERE next_at IS NOT NULL";
  const { at } = yield* only<{ at: number | null }>(sql);
  return at;
}

/** The first running ramp that is due at `now`, or whose flag or environment was changed since it was stored. */
function* findDueRamp(now: number): Work<FoundRamp | undefined> {
  const row = yield* first<Row>(
    `${SELECT} WHERE r.next_at IS NOT NULL AND (r.next_at <= $now OR f.id IS NULL OR v.revision > r.revision
       OR f.created_at > r.created_at OR ${IS_GUARDED} <> r.guarded)
     ORDER BY r.next_at, r.environment_id, r.flag LIMIT 1`,
    { now },
  );
  return row && toFound(row);
}

function toFound(row: Row): FoundRamp {
  const { project, environment, flag, variant, every, startAt, status, reason, nextAt } = row;
  const { onGuard, who, why, createdAt, flagCreatedAt } = row;
  const { share, ...left } = stateOf(row.left);
  const ramp: Ramp = {
    environment,
    flag,
    variant,
    every,
    startAt,
    status,
    reason,
    nextAt,
    onGuard,
    who,
    why,
    createdAt,
    steps: JSON.parse(row.steps),
    share,
    left,
    before: stateOf(row.before),
    isGuarded: row.guarded === 1,
    guards: JSON.parse(row.guards),
  };
  const current = { enabled: row.enabled === 1, rules: row.rules, createdAt: flagCreatedAt! };
  return { project, ramp, flag: flagCreatedAt === null ? null : current, isGuarded: row.isGuarded === 1 };
}

function stateText({ rules, ...state }: Ramp["before"]): string {
  return JSON.stringify({ ...state, rules: rules === null ? null : JSON.parse(rules) });
}

function stateOf(text: string): Ramp["before"] {
  const { rules, ...state } = JSON.parse(text) as Omit<Ramp["before"], "rules"> & { rules: object | null };
  return { ...state, rules: rules === null ? null : JSON.stringify(rules) };
}

export const ramps = {
  reads: {
    find: findRamp,
    held: heldRamps,
    ofFlag: rampsOfFlag,
    experimentOn,
    nextAt: nextStep,
    findDue: findDueRamp,
  },
  readsAtOnce: { page: pageRamps },
};
