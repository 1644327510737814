import type { Page } from "../../base/pages.ts";
import type { Change, ChangeQuery, RecentChange, HistoryEntry } from "../../projects/history.ts";
import { pageCut, pageOf } from "./pages.ts";
import { projectRow } from "./rows.ts";
import { type Params, type Work, all, first, run } from "./work.ts";
import type { Author } from "../../access/caller.ts";

type Row = Omit<Change, "before" | "after"> & { before: string | null; after: string | null };

const COLUMNS = "revision, environment, kind, name, at, who, why, before, after";

/** Newest first. */
function* pageChanges(project: string, options: ChangeQuery): Work<Page<Change>> {
  const { id: projectId } = yield* projectRow(project);
  const { kind, name, environment, who, limit, before } = options;
  const conditions = [
    "project_id = $projectId",
    // A scheduled change that failed belongs to the history of its flag.
    kind === "flag" ? "kind IN ('flag', 'scheduled')" : kind && "kind = $kind",
    name !== undefined && "name = $name",
    environment !== undefined && "(environment = $environment OR environment IS NULL)",
    who !== undefined && "who = $who",
    before !== undefined && "revision < $before",
  ].filter(Boolean);
  const sql = `SELECT ${COLUMNS} FROM changes WHERE ${conditions.join(" AND ")}
    ORDER BY revision DESC LIMIT $limit`;
  const values = { projectId, kind, name, environment, who, before, limit: limit + 1 };
  const used: Params = Object.fromEntries(
    Object.entries(values).flatMap(([key, value]) =>
      value !== undefined && sql.includes(`$${key}`) ? [[key, value]] : [],
    ),
  );
  return yield* pageOf(all<Row>(sql, used, pageCut("before", "after")), limit, toChange);
}

function* findChange(project: string, revision: number): Work<Change | undefined> {
  const { id: projectId } = yield* projectRow(project);
  const sql = `SELECT ${COLUMNS} FROM changes WHERE project_id = $projectId AND revision = $revision`;
  const row = yield* first<Row>(sql, { projectId, revision });
  return row && toChange(row);
}

/** Revisions of the setup among which recent changes are searched. */
const RECENT = 1000;

function* recentChanges(since: number, limit: number): Work<RecentChange[]> {
  type Found = Omit<RecentChange, "wasOn" | "isOn"> & Pick<Row, "before" | "after">;
  const rows = yield* all<Found>(
    `SELECT c.revision, p.slug AS project, c.environment, c.name AS flag, c.at, c.who, c.why, c.before, c.after
     FROM changes c JOIN projects p ON p.id = c.project_id
     WHERE c.revision > (SELECT max(revision) FROM changes) - ${RECENT} AND c.at >= $since AND c.kind = 'flag'
     ORDER BY c.revision DESC LIMIT $limit`,
    { since, limit },
  );
  return rows.map(({ before, after, ...row }) => ({
    ...row,
    wasOn: enabledIn(before),
    isOn: enabledIn(after),
  }));
}

/** Whether a flag was on; null if it did not exist, and for what holds every environment of it. */
function enabledIn(state: string | null): boolean | null {
  const { enabled } = (fromJson(state) ?? {}) as { enabled?: boolean };
  return enabled ?? null;
}

function toChange(row: Row): Change {
  return { ...row, before: fromJson(row.before), after: fromJson(row.after) };
}

function fromJson(text: string | null): unknown {
  return text === null ? null : JSON.parse(text);
}

export const changes = { reads: { page: pageChanges, find: findChange, recent: recentChanges } };

/** Adds an entry to the history of a project. */
export function* recordChange(
  projectId: number,
  revision: number,
  { who, at, why }: Author,
  { environment, kind, name, before, after }: HistoryEntry,
): Work<void> {
  yield* run(
    `INSERT INTO changes (revision, project_id, environment, kind, name, at, who, why, before, after)
     VALUES ($revision, $projectId, $environment, $kind, $name, $at, $who, $why, $before, $after)`,
    {
      revision,
      projectId,
      environment,
      kind,
      name,
      at,
      who,
      why: why ?? null,
      before: toJson(before),
      after: toJson(after),
    },
  );
}

function toJson(value: unknown): string | null {
  return value == null ? null : JSON.stringify(value);
}
