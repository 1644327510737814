import { MiB } from "../../base/bytes.ts";
import type { Page } from "../../base/pages.ts";
import type { HistoryEntry } from "../../access/history-entry.ts";
import type { Revision, RevisionQuery, PlacedRevision, RecentRevision } from "../../projects/history.ts";
import { DEFAULT_PROJECT } from "../../access/place.ts";
import { amongProjects } from "./lists.ts";
import { pageOf } from "./pages.ts";
import { findProjectRow, projectRow } from "./rows.ts";
import { type Params, type Work, all, first, insert } from "./work.ts";
import type { Author } from "../../access/caller.ts";

type Row = Omit<Revision, "before" | "after" | "review"> & {
  before: string | null;
  after: string | null;
  review: string | null;
};

const COLUMNS = "revision, environment, kind, name, at, who, why, source, via, review, before, after";

/** About the size of a page: the values before and after, which are parsed at once, may be nothing but short names. */
const CUT = { columns: ["before", "after"], bytes: MiB };

/** Newest first. */
function* pageRevisions(project: string, options: RevisionQuery): Work<Page<Revision>> {
  const { id: projectId } = yield* projectRow(project);
  // Changes of forms are read with a scope of their own.
  const where = ["project_id = $projectId", "kind <> 'form'", ...conditionsOf(options)].join(" AND ");
  const sql = `SELECT ${COLUMNS} FROM changes WHERE ${where} ORDER BY revision DESC LIMIT $limit`;
  const used = usedIn(sql, { ...options, projectId });
  return yield* pageOf(all<Row>(sql, used, CUT), options.limit, toRevision, CUT.bytes);
}

/** Newest first. */
function* pageEverywhere(
  options: RevisionQuery,
  projects: readonly string[] | null,
): Work<Page<PlacedRevision>> {
  const slug = "(SELECT slug FROM projects WHERE id = project_id)";
  const among = amongProjects(slug, projects);
  const sql = `SELECT ${COLUMNS}, ${slug} AS project
    FROM changes WHERE ${["true", ...conditionsOf(options)].join(" AND ")} ${among.sql}
    ORDER BY revision DESC LIMIT $limit`;
  const rows = all<Row & { project: string | null }>(sql, { ...usedIn(sql, options), ...among.params }, CUT);
  const view = (row: Row & { project: string | null }) => ({ ...toRevision(row), project: row.project });
  return yield* pageOf(rows, options.limit, view, CUT.bytes);
}

/** The changes of a form, newest first; those by a replica of the release before are in no project. */
function* pageOfForm(project: string, name: string, options: RevisionQuery): Work<Page<Revision>> {
  const projectId = (yield* findProjectRow(project))?.id ?? 0;
  const place =
    project === DEFAULT_PROJECT
      ? "(project_id = $projectId OR project_id IS NULL)"
      : "project_id = $projectId";
  const where = [place, ...conditionsOf({ ...options, kind: "form", name })].join(" AND ");
  const sql = `SELECT ${COLUMNS} FROM changes WHERE ${where} ORDER BY revision DESC LIMIT $limit`;
  const used = usedIn(sql, { ...options, kind: "form", name, projectId });
  return yield* pageOf(all<Row>(sql, used, CUT), options.limit, toRevision, CUT.bytes);
}

function conditionsOf({ kind, name, environment, who, since, before }: RevisionQuery): string[] {
  return [
    // A scheduled change that failed and a ramp belong to the history of their flag.
    kind === "flag" ? "kind IN ('flag', 'scheduled', 'ramp')" : kind && "kind = $kind",
    name !== undefined && "name = $name",
    environment !== undefined && "(environment = $environment OR environment IS NULL)",
    who !== undefined && "who = $who",
    since !== undefined && "at >= $since",
    before !== undefined && "revision < $before",
  ].filter((condition) => typeof condition === "string");
}

/** The values that a statement names, and one row more than the page. */
function usedIn(sql: string, values: RevisionQuery & { projectId?: number }): Params {
  const used = Object.entries({ ...values, limit: values.limit + 1 }).filter(
    ([key, value]) => value !== undefined && sql.includes(`$${key}`),
  );
  return Object.fromEntries(used) as Params;
}

function* findRevision(project: string, revision: number): Work<Revision | undefined> {
  const { id: projectId } = yield* projectRow(project);
  const sql = `SELECT ${COLUMNS} FROM changes WHERE project_id = $projectId AND revision = $revision`;
  const row = yield* first<Row>(sql, { projectId, revision });
  return row && toRevision(row);
}

/** Revisions of the setup among which recent changes are searched. */
const RECENT = 1000;

function* recentChanges(
  since: number,
  limit: number,
  projects: readonly string[] | null,
): Work<RecentRevision[]> {
  const among = amongProjects("p.slug", projects);
  type Found = Omit<RecentRevision, "wasOn" | "isOn"> & Pick<Row, "before" | "after">;
  const rows = yield* all<Found>(
    `SELECT c.revision, p.slug AS project, c.environment, c.name AS flag, c.at, c.who, c.via, c.why, c.before, c.after
     FROM changes c JOIN projects p ON p.id = c.project_id
     WHERE c.revision > (SELECT max(revision) FROM changes) - ${RECENT} AND c.at >= $since AND c.kind = 'flag' ${among.sql}
     ORDER BY c.revision DESC LIMIT $limit`,
    { since, limit, ...among.params },
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

function toRevision(row: Row): Revision {
  return {
    ...row,
    review: fromJson(row.review) as Revision["review"],
    before: fromJson(row.before),
    after: fromJson(row.after),
  };
}

function fromJson(text: string | null): unknown {
  return text === null ? null : JSON.parse(text);
}

export const changes = {
  reads: {
    page: pageRevisions,
    everywhere: pageEverywhere,
    ofForm: pageOfForm,
    find: findRevision,
    recent: recentChanges,
  },
};

/** Adds an entry to the history of a project, or of none. */
export function* recordChange(
  projectId: number | null,
  revision: number,
  { who, at, why, source, via, review }: Author,
  { environment, kind, name, before, after, cause }: HistoryEntry,
): Work<void> {
  const reasons = [cause, why ?? undefined].filter((each) => each !== undefined);
  const place = { revision, projectId, environment, kind, name, at, who };
  yield* insert("changes", {
    ...place,
    why: reasons.length === 0 ? null : reasons.join(": "),
    source: source ?? null,
    via: via ?? null,
    review: toJson(review),
    before: toJson(before),
    after: toJson(after),
  });
}

function toJson(value: unknown): string | null {
  return value == null ? null : JSON.stringify(value);
}
