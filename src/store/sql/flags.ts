import type { Page, PageQuery } from "../../base/pages.ts";
import type { FlagChange } from "../../flags/change.ts";
import type { FlagPlace, FlagRecord, FlagValues } from "../../flags/flag.ts";
import {
  OPTIONAL_TEXTS,
  type OptionalRow,
  addOptional,
  optionalColumns,
  optionalIn,
  putRow,
} from "./flag-columns.ts";
import { listStatuses, pageHeads } from "./flag-overviews.ts";
import { pageCut, pageOf } from "./pages.ts";
import { type Revised, environmentRow, projectRow } from "./rows.ts";
import { type Work, all, first, only, run } from "./work.ts";
import { type FlagRead, type ExpiringFlag } from "../../flags/store.ts";
import { type Needing, type Needs, neededBy } from "../../flags/requires/requirement.ts";
import { amongProjects, textOrder } from "./lists.ts";

/** Ignores a read from before the flag was created: it was a read of an earlier flag with that name. */
const mark = (ofFlag: string) => `
  INSERT INTO flag_reads (environment_id, flag_id, read_at)
  SELECT e.id, f.id, CAST($at AS BIGINT) FROM environments e JOIN flags f ON f.project_id = e.project_id
  WHERE e.key = $environmentKey AND f.created_at <= $at ${ofFlag}
  ORDER BY f.slug
  ON CONFLICT (environment_id, flag_id)
  DO UPDATE SET read_at = excluded.read_at WHERE flag_reads.read_at < excluded.read_at`;
const MARK_ALL = mark("");
const MARK_ONE = mark("AND f.slug = $slug");

/** Sorts marks in the order in which concurrent writers lock the rows. */
function* markRead(reads: FlagRead[]): Work<void> {
  const sorted = reads.toSorted(
    (a, b) => textOrder(a.environmentKey, b.environmentKey) || textOrder(a.slug ?? "", b.slug ?? ""),
  );
  for (const { environmentKey, slug, at } of sorted) {
    if (slug === null) yield* run(MARK_ALL, { environmentKey, at });
    else yield* run(MARK_ONE, { environmentKey, at, slug });
  }
}

function expiringFlags(
  span: { from: number; to: number },
  projects: readonly string[] | null,
  limit: number,
): Work<ExpiringFlag[]> {
  const among = amongProjects("p.slug", projects);
  return all(
    `SELECT p.slug AS project, e.slug AS environment, f.slug AS flag, v.expires_at AS "expiresAt"
     FROM flag_values v JOIN flags f ON f.id = v.flag_id JOIN environments e ON e.id = v.environment_id
     JOIN projects p ON p.id = e.project_id
     WHERE v.expires_at >= $from AND v.expires_at < $to AND v.enabled = 1 AND f.archived = 0 ${among.sql}
     ORDER BY v.expires_at, f.slug, e.slug LIMIT $limit`,
    { ...span, limit, ...among.params },
  );
}

function* listReads(project: string, environment: string): Work<Map<string, number>> {
  const { id: environmentId } = yield* environmentRow(project, environment);
  const rows = yield* all<{ slug: string; at: number }>(
    `SELECT f.slug, r.read_at AS at FROM flag_reads r JOIN flags f ON f.id = r.flag_id
     WHERE r.environment_id = $environmentId`,
    { environmentId },
  );
  return new Map(rows.map(({ slug, at }) => [slug, at]));
}

type Row = {
  id: number;
  slug: string;
  description: string;
  enabled: number;
  payload: string | null;
  expires_at: number | null;
  rules: string | null;
  imported: number;
  browser: number | null;
  requires: string | null;
  revision: number;
  created_at: number;
  updated_at: number;
};

/** A flag with its optional fields; null if none is set. */
type FullRow = Row & OptionalRow;

const COLUMNS = `
         f.id, f.slug, f.description, coalesce(v.enabled, 0) AS enabled, v.payload, v.expires_at, v.rules,
         coalesce(v.imported, 0) AS imported, ${optionalColumns("flag_values")},
         CASE WHEN v.revision > f.revision THEN v.revision ELSE f.revision END AS revision,
         f.created_at, CASE WHEN v.updated_at > f.updated_at THEN v.updated_at ELSE f.updated_at END AS updated_at`;

const FROM = `
  FROM environments e
  JOIN flags f ON f.project_id = e.project_id
  LEFT JOIN flag_values v ON v.environment_id = e.id AND v.flag_id = f.id`;

/** The columns that readers of flags need, without the content of previews; an archived flag does not exist for them. */
const SELECT_VALUES = `SELECT ${COLUMNS} ${FROM} WHERE e.id = $environmentId AND f.archived = 0`;

const SELECT = `
  SELECT ${COLUMNS}, ${optionalColumns("flags")}, ${optionalColumns("flag_previews")} ${FROM}
  LEFT JOIN flag_previews w ON w.environment_id = e.id AND w.flag_id = f.id
  WHERE e.id = $environmentId`;

type Change<K> = FlagChange & { change: K };

export function* putFlag(
  { project, environment, flag: slug, describes, record }: Change<"putFlag">,
  revision: number,
): Work<Revised> {
  const { id: environmentId, project_id: projectId } = yield* environmentRow(project, environment);
  const { description, updatedAt, enabled, payload, expiresAt, rules, imported } = record;
  const known = yield* findFlagId(projectId, slug);
  if (known !== undefined && describes) {
    const shared = optionalIn("flags", record);
    const sets = Object.keys(shared).map((column) => `${column} = $${column}`);
    yield* run(
      `UPDATE flags SET description = $description, ${sets.join()}, updated_at = $updatedAt, revision = $revision
       WHERE id = $id`,
      { ...shared, description, updatedAt, revision, id: known },
    );
  }
  const flagId = known ?? (yield* insertFlag(projectId, { ...record, slug, revision }));
  yield* putRow("flag_values", environmentId, flagId, {
    enabled: enabled ? 1 : 0,
    payload,
    expires_at: expiresAt,
    rules,
    imported: imported ? 1 : 0,
    updated_at: updatedAt,
    revision,
    ...optionalIn("flag_values", record),
  });
  yield* putPreview(environmentId, flagId, record);
  const isShared = describes || known === undefined;
  return isShared ? { project: projectId } : { project: projectId, environment: environmentId };
}

/** Stores the preview of a flag in an environment, or removes the row of one for which nothing is set. */
function* putPreview(environmentId: number, flagId: number, record: FlagRecord): Work<void> {
  const preview = optionalIn("flag_previews", record);
  if (Object.values(preview).some(Boolean)) {
    yield* putRow("flag_previews", environmentId, flagId, preview);
    return;
  }
  const sql = "DELETE FROM flag_previews WHERE environment_id = $environmentId AND flag_id = $flagId";
  yield* run(sql, { environmentId, flagId });
}

export function* deleteFlag({ project, flag: slug }: Change<"deleteFlag">): Work<Revised> {
  const { id: projectId } = yield* projectRow(project);
  yield* run("DELETE FROM flags WHERE project_id = $projectId AND slug = $slug", { projectId, slug });
  return { project: projectId };
}

function* listFlags(project: string, environment: string): Work<FlagRecord[]> {
  const { id } = yield* environmentRow(project, environment);
  return yield* flagRecords(id);
}

/** The flags of an environment that need others, and the flags of these that there are. Throws `not_found`. */
export function* needsIn(project: string, environment: string): Work<Needs> {
  const { id: environmentId, project_id: projectId } = yield* environmentRow(project, environment);
  const needing = yield* all<Needing>(
    `SELECT f.slug, v.requires FROM flag_values v JOIN flags f ON f.id = v.flag_id
     WHERE v.environment_id = $environmentId AND v.requires <> '' AND f.archived = 0 ORDER BY f.slug`,
    { environmentId },
  );
  if (needing.length === 0) return { environment, needing, needed: new Map() };
  const needed = yield* all<{ slug: string; archived: number }>(
    "SELECT slug, archived FROM flags WHERE project_id = $projectId AND slug IN (SELECT value FROM json_each($slugs))",
    { projectId, slugs: JSON.stringify([...neededBy(needing).keys()]) },
  );
  return {
    environment,
    needing,
    needed: new Map(needed.map(({ slug, archived }) => [slug, archived === 1])),
  };
}

/** By slug. */
export function* flagRecords(environmentId: number): Work<FlagRecord[]> {
  const rows = yield* all<FullRow>(`${SELECT} ORDER BY f.slug`, { environmentId });
  return rows.map(toRecord);
}

function* pageFlags(
  project: string,
  environment: string,
  { limit, after = "" }: PageQuery,
): Work<Page<FlagRecord>> {
  const { id: environmentId } = yield* environmentRow(project, environment);
  const sql = `${SELECT} AND f.slug > $after ORDER BY f.slug LIMIT $limit`;
  const cut = pageCut("description", "payload", "rules", ...OPTIONAL_TEXTS);
  const rows = all<FullRow>(sql, { environmentId, after, limit: limit + 1 }, cut);
  return yield* pageOf(rows, limit, toRecord);
}

function* findFlag({ project, environment, flag: slug }: FlagPlace): Work<FlagRecord | undefined> {
  const { id: environmentId } = yield* environmentRow(project, environment);
  const row = yield* first<FullRow>(`${SELECT} AND f.slug = $slug`, { environmentId, slug });
  return row && toRecord(row);
}

/** The flags of an environment that have one of the slugs. Throws `not_found`. */
export function* flagsAmong(project: string, environment: string, slugs: string[]): Work<FlagRecord[]> {
  const { id: environmentId } = yield* environmentRow(project, environment);
  const rows = yield* all<FullRow>(`${SELECT} AND f.slug IN (SELECT value FROM json_each($slugs))`, {
    environmentId,
    slugs: JSON.stringify(slugs),
  });
  return rows.map(toRecord);
}

function* projectOfKeys(projectKey: string, environmentKey: string): Work<string | undefined> {
  const row = yield* first<{ slug: string }>(
    `SELECT p.slug FROM environments e JOIN projects p ON p.id = e.project_id
     WHERE e.key = $environmentKey AND p.key = $projectKey`,
    { projectKey, environmentKey },
  );
  return row?.slug;
}

/** The given slugs that are not flags of the project. */
function* missingFlags(project: string, slugs: string[]): Work<string[]> {
  const { id: projectId } = yield* projectRow(project);
  const rows = yield* all<{ slug: string }>(
    `SELECT slug FROM flags WHERE project_id = $projectId AND slug IN (SELECT value FROM json_each($slugs))`,
    { projectId, slugs: JSON.stringify(slugs) },
  );
  const known = new Set(rows.map(({ slug }) => slug));
  return slugs.filter((slug) => !known.has(slug));
}

/** Newest first by creation, then by slug. */
export function* flagsOfEnvironment(environmentId: number): Work<FlagValues[]> {
  // An index has them by slug: sorted by the database, they would come together, after as long as all of them take.
  const rows = yield* all<Row>(`${SELECT_VALUES} ORDER BY f.slug`, { environmentId });
  return rows.map(toValues).toSorted((a, b) => b.createdAt - a.createdAt);
}

/** The id of the row of a flag. */
export function* findFlagId(projectId: number, slug: string): Work<number | undefined> {
  const sql = "SELECT id FROM flags WHERE project_id = $projectId AND slug = $slug";
  const row = yield* first<{ id: number }>(sql, { projectId, slug });
  return row?.id;
}

function* insertFlag(projectId: number, record: FlagRecord): Work<number> {
  const { slug, description, createdAt, revision } = record;
  const shared = optionalIn("flags", record);
  const columns = Object.keys(shared);
  const { id } = yield* only<{ id: number }>(
    `INSERT INTO flags (project_id, slug, description, created_at, updated_at, revision, ${columns.join()})
       VALUES ($projectId, $slug, $description, $createdAt, $createdAt, $revision,
               ${columns.map((column) => `$${column}`).join()})
     RETURNING id`,
    { ...shared, projectId, slug, description, createdAt, revision },
  );
  return id;
}

function toRecord(row: FullRow): FlagRecord {
  return addOptional(toValues(row), row);
}

function toValues(row: Row): FlagValues {
  return {
    slug: row.slug,
    description: row.description,
    enabled: row.enabled === 1,
    payload: row.payload,
    expiresAt: row.expires_at,
    rules: row.rules,
    imported: row.imported === 1,
    browser: row.browser === 1,
    requires: row.requires ?? "",
    revision: row.revision,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export const flags = {
  readsInTurns: { list: listFlags },
  reads: {
    page: pageFlags,
    find: findFlag,
    among: flagsAmong,
    needs: needsIn,
    heads: pageHeads,
    statuses: listStatuses,
    projectOf: projectOfKeys,
    missing: missingFlags,
    reads: listReads,
    expiring: expiringFlags,
  },
  writes: { markRead },
};
