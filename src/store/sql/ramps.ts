import type { Page } from "../../base/pages.ts";
import { guardMetrics } from "../../flags/ramps/guard.ts";
import type { Counting, FlagChange } from "../../flags/change.ts";
import type { FlagPlace } from "../../flags/flag.ts";
import { type FoundRamp, isHeld, type Ramp, type RampQuery, restOf } from "../../flags/ramps/ramp.ts";
import { beginMeasurement, endMeasurement, runMeasurement } from "./experiments/measurements.ts";
import { HELD_COLUMNS, heldFrom, type HeldRow, flagOf, stateOf, stateText } from "./held.ts";
import { amongProjects } from "./lists.ts";
import { pageCut, pageOf } from "./pages.ts";
import { environmentRow, IS_GUARDED, projectRow } from "./rows.ts";
import { type Work, all, fieldsOf, first, insert, only, run } from "./work.ts";

type Row = HeldRow &
  Omit<Ramp, "steps" | "share" | "left" | "before" | "isGuarded" | "guards"> & {
    steps: string;
    left: string;
    before: string;
    guarded: number;
    guards: string;
  };

const SELECT = `
  SELECT ${HELD_COLUMNS}, ${fieldsOf("h", "flag variant steps every startAt status reason nextAt")},
         h.left_state AS "left", h.before_state AS "before", ${fieldsOf("h", "guarded guards onGuard who why createdAt")}
  ${heldFrom("ramps")}`;

/** The ramp of a flag that was deleted is not that of a later one of its name. */
const IS_OF_FLAG = "(f.id IS NULL OR h.reason IS NULL OR h.reason <> 'deleted')";

type Change<K> = FlagChange & { change: K };

export function* putRamp({ project, ramp, counting }: Change<"putRamp">, revision: number): Work<void> {
  const { environment, share, left, before, isGuarded, ...columns } = ramp;
  const { flag, steps, guards } = columns;
  const { id: environmentId } = yield* environmentRow(project, environment);
  yield* run("DELETE FROM ramps WHERE environment_id = $environmentId AND flag = $flag", {
    environmentId,
    flag,
  });
  yield* insert("ramps", {
    ...columns,
    environmentId,
    steps: JSON.stringify(steps),
    leftState: stateText({ ...left, share }),
    beforeState: stateText(before),
    guarded: isGuarded ? 1 : 0,
    guards: JSON.stringify(guards),
    revision,
  });
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

export function* findRamp({ project, environment, flag }: FlagPlace): Work<FoundRamp | undefined> {
  const { id: environmentId } = yield* environmentRow(project, environment);
  const sql = `${SELECT} WHERE h.environment_id = $environmentId AND h.flag = $flag AND ${IS_OF_FLAG}`;
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
    AND (h.flag, e.slug) > ($flag, $in) ORDER BY h.flag, e.slug LIMIT $limit`;
  const from = { flag: after?.flag ?? "", in: after?.environment ?? "", limit: limit + 1 };
  const params = { projectId, ...from, ...(environment === null ? {} : { environment }) };
  const rows = all<Row>(sql, params, pageCut("left", "before", "rules"));
  return yield* pageOf(rows, limit, toFound);
}

function* heldRamps(projects: readonly string[] | null, limit: number): Work<FoundRamp[]> {
  const among = amongProjects("p.slug", projects);
  const sql = `${SELECT} WHERE h.status IN ('running', 'paused') ${among.sql}
    ORDER BY CASE WHEN h.next_at IS NULL THEN 1 ELSE 0 END, h.next_at, h.flag, e.slug LIMIT $limit`;
  return (yield* all<Row>(sql, { ...among.params, limit })).map(toFound);
}

function* rampsOfFlag(project: string, flag: string): Work<FoundRamp[]> {
  const { id: projectId } = yield* projectRow(project);
  const sql = `${SELECT} WHERE e.project_id = $projectId AND h.flag = $flag AND ${IS_OF_FLAG} ORDER BY e.slug`;
  return (yield* all<Row>(sql, { projectId, flag })).map(toFound);
}

export function* rampsOfEnvironment(environmentId: number): Work<FoundRamp[]> {
  const sql = `${SELECT} WHERE h.environment_id = $environmentId AND ${IS_OF_FLAG} ORDER BY h.flag`;
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
    `${SELECT} WHERE h.next_at IS NOT NULL AND (h.next_at <= $now OR f.id IS NULL OR v.revision > h.revision
       OR f.created_at > h.created_at OR ${IS_GUARDED} <> h.guarded)
     ORDER BY h.next_at, h.environment_id, h.flag LIMIT 1`,
    { now },
  );
  return row && toFound(row);
}

function toFound(row: Row): FoundRamp {
  const {
    project,
    isGuarded,
    flagCreatedAt: _createdAt,
    enabled: _enabled,
    rules: _rules,
    guarded,
    ...rest
  } = row;
  const { share, ...left } = stateOf(row.left);
  const ramp: Ramp = {
    ...rest,
    steps: JSON.parse(row.steps),
    share,
    left,
    before: stateOf(row.before),
    isGuarded: guarded === 1,
    guards: JSON.parse(row.guards),
  };
  return { project, ramp, flag: flagOf(row), isGuarded: isGuarded === 1 };
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
