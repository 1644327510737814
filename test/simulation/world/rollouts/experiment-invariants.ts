import { createAssignments } from "../../../../src/experiments/assignment.ts";
import { MIXED, unpackSeen, visitorsOf } from "../../../../src/experiments/measurement.ts";
import type { Evidence } from "../world.ts";
import { LAB, REPORTED, type Visits } from "./experiments.ts";
import type { Entry, Expected } from "./ramp-history.ts";
import { requireNotices } from "./rollout-invariants.ts";

type Row = {
  id: number;
  flag: string;
  environmentId: number;
  environmentKey: string;
  variants: string;
  metrics: string;
  salt: Uint8Array;
  visitors: number;
  mixed: number;
};

/** Counts are those of the rows of visitors, who have done that; what has ended has no rows and no salt; guards fire once. */
export function requireExperiments(world: Evidence, visits: Visits): void {
  const { db, violated } = world;
  const rows = db
    .query<Row, []>(
      `SELECT m.id, m.flag, m.environment_id AS environmentId, e.key AS environmentKey, m.variants, m.metrics, m.salt,
              m.visitors, m.mixed FROM measurements m JOIN environments e ON e.id = m.environment_id`,
    )
    .all();
  for (const row of rows) {
    requireHeld(world, row);
    requireCounts(world, row);
    requireVisits(world, row, visits);
  }
  const left = db
    .query<{ count: number }, []>(
      "SELECT count(*) AS count FROM measured_visitors WHERE measurement NOT IN (SELECT id FROM measurements)",
    )
    .get()!;
  if (left.count > 0) violated(`${left.count} visitors are kept of measurements that have ended`);
  const uncounted = db
    .query<{ name: string }, []>("SELECT name FROM experiments WHERE status = 'ended' AND counts IS NULL")
    .all();
  for (const { name } of uncounted) violated(`the experiment ${name} has ended without counts`);
  requireReports(world);
}

/** A measurement belongs to what holds its flag, and there is one of what counts. */
function requireHeld({ db, violated }: Evidence, { flag, environmentId }: Row): void {
  const holders = db
    .query<{ what: string }, [number, string, number, string]>(
      `SELECT name AS what FROM experiments
       WHERE environment_id = ? AND flag = ? AND status IN ('running', 'paused')
       UNION ALL SELECT 'a ramp' FROM ramps
       WHERE environment_id = ? AND flag = ? AND status IN ('running', 'paused') AND guards <> '[]'`,
    )
    .all(environmentId, flag, environmentId, flag);
  if (holders.length !== 1)
    violated(`${flag} is counted for ${holders.map(({ what }) => what).join(" and ") || "nobody"}`);
}

function requireCounts({ db, violated }: Evidence, { id, flag, visitors, mixed, metrics }: Row): void {
  const count = (JSON.parse(metrics) as string[]).length;
  const found = new Map<string, number>();
  const seen = db
    .query<{ seen: number }, [number]>("SELECT seen FROM measured_visitors WHERE measurement = ?")
    .all(id);
  for (const { seen: each } of seen) {
    if (each === MIXED) continue;
    const { variant, metrics: bits } = unpackSeen(each, count);
    const add = (metric: number) =>
      found.set(`${variant} ${metric}`, (found.get(`${variant} ${metric}`) ?? 0) + 1);
    add(0);
    for (let bit = 0; bit < count; bit += 1) if (bits & (1 << bit)) add(bit + 1);
  }
  const stored = db
    .query<{ variant: number; metric: number; count: number }, [number]>(
      "SELECT variant, metric, count FROM measured_counts WHERE measurement = ? AND count <> 0",
    )
    .all(id);
  const kept = new Map(stored.map((each) => [`${each.variant} ${each.metric}`, each.count]));
  if (!Bun.deepEquals(found, kept))
    violated(
      `${flag} counts ${JSON.stringify([...kept])}, and its visitors are ${JSON.stringify([...found])}`,
    );
  const isMixed = seen.filter(({ seen: each }) => each === MIXED).length;
  if (visitors !== seen.length || mixed !== isMixed)
    violated(`${flag} has ${visitors} visitors, ${mixed} mixed, and rows of ${seen.length}, ${isMixed}`);
}

/** Nobody is counted in a variant, or for a conversion, that was not sent. */
function requireVisits({ db, violated }: Evidence, row: Row, visits: Visits): void {
  const secret = db
    .query<{ value: string }, []>("SELECT value FROM secrets WHERE name = 'assignments'")
    .get();
  const assignments = createAssignments(secret?.value ?? "");
  const salt = Buffer.from(row.salt).toString("hex");
  const [variants, metrics] = [row.variants, row.metrics].map((text) => JSON.parse(text) as string[]);
  const known = new Map(
    [...visits].map(([key, did]) => [
      visitorsOf({ salt })(assignments.pseudonymOf(row.environmentKey, key)),
      { key, ...did },
    ]),
  );
  const stored = db
    .query<{ visitor: string; seen: number }, [number]>(
      "SELECT lower(hex(visitor)) AS visitor, seen FROM measured_visitors WHERE measurement = ?",
    )
    .all(row.id);
  for (const { visitor, seen } of stored) {
    const own = known.get(visitor);
    if (!own) {
      violated(`${row.flag} counts a visitor that never came`);
      continue;
    }
    if (seen === MIXED) {
      if ([...own.variants].filter((each) => each.startsWith(`${row.flag} `)).length < 2)
        violated(`${own.key} saw one variant of ${row.flag}, and counts as mixed`);
      continue;
    }
    const { variant, metrics: bits } = unpackSeen(seen, metrics!.length);
    if (!own.variants.has(`${row.flag} ${variants![variant]}`))
      violated(`${own.key} is counted in ${variants![variant]} of ${row.flag}, which it never saw`);
    for (const [bit, metric] of metrics!.entries())
      if (bits & (1 << bit) && !own.events.has(metric))
        violated(`${own.key} is counted for ${metric}, which it never did`);
  }
}

/** Each start, pause, end and guard is told once. */
function requireReports(world: Evidence): void {
  const entries = world.db
    .query<Entry, [string]>(
      `SELECT c.revision, c.kind, c.environment, c.name, c.at, c.before, c.after FROM changes c
       JOIN projects p ON p.id = c.project_id WHERE p.slug = ? ORDER BY c.revision`,
    )
    .all(LAB);
  const expected: Expected[] = [];
  for (const { kind, revision, before, after } of entries) {
    if ((kind !== "experiment" && kind !== "ramp") || after === null) continue;
    const { status, reason } = JSON.parse(after) as { status: string; reason: string | null };
    const was = before === null ? null : (JSON.parse(before) as { status: string }).status;
    if (status !== was && kind === "experiment") {
      if (status === "running" && was === "draft") expected.push({ type: "experiment.started", revision });
      if (status === "paused" || status === "ended")
        expected.push({ type: `experiment.${status}`, revision });
    }
    if (reason === "guard" && status !== was) expected.push({ type: "guard.fired", revision });
  }
  const isOfLab = (type: string) => type === "guard.fired" || /^experiment\.(?!decided)/.test(type);
  requireNotices(world, expected, REPORTED, isOfLab);
}
