import { PROJECT_OF_FORM } from "./rows.ts";
import {
  type AuditEntry,
  type AuditFilter,
  type NewAuditEntry,
  auditText,
  chained,
} from "../../access/audit/entry.ts";
import { COUNTED_ENTRIES } from "../../access/audit/audit-store.ts";
import type { AuditPlace } from "../../documents/audited.ts";
import type { Page } from "../../base/pages.ts";
import { slugList } from "./lists.ts";
import { pageCut, pageOf } from "./pages.ts";
import { FOR_UPDATE, type Params, type Work, all, first, run } from "./work.ts";

type Row = Omit<AuditEntry, "details"> & { details: string };

const COLUMNS = "id, at, who, type, action, project, object, details, address, hash";

/**
 * Makes this transaction the only one that adds entries until it ends; changes of the setup hold the same row. Work
 * that also locks rows of such a change must take this lock first.
 */
export function* lockAudit(): Work<void> {
  yield* first(`SELECT version FROM setup_version WHERE id = 1 ${FOR_UPDATE}`);
}

/** Adds entries to the chain in a transaction that holds {@link lockAudit}, or is a change of the setup. */
export function* appendAudit(entries: readonly NewAuditEntry[]): Work<void> {
  if (entries.length === 0) return;
  const newest = yield* first<{ id: number; hash: string }>(
    "SELECT id, hash FROM audit ORDER BY id DESC LIMIT 1",
  );
  let { id, hash } = newest ?? { id: 0, hash: "" };
  for (const entry of entries) {
    const text = (value: string | null) => (value === null ? null : auditText(value));
    const { who, object, address } = entry;
    const details = JSON.stringify(entry.details);
    const plain = { ...entry, who: text(who), object: text(object), address: text(address) };
    // As it is read back, so that the hash is of what is stored.
    const added = chained(hash, { ...plain, id: (id += 1), details: JSON.parse(details) });
    hash = added.hash;
    yield* run(
      `INSERT INTO audit (${COLUMNS})
       VALUES ($id, $at, $who, $type, $action, $project, $object, $details, $address, $hash)`,
      rowOf(added, details),
    );
  }
}

function rowOf({ id, at, who, type, action, project, object, address, hash }: AuditEntry, details: string) {
  return { id, at, who, type, action, project, object, details, address, hash } satisfies Params;
}

/** The slug of the project in which something is audited; null for none, and for a form that does not exist. */
export function* projectAt(place: AuditPlace): Work<string | null> {
  if (place === null) return null;
  if ("project" in place) return place.project;
  const sql = "form" in place ? OF_FORM : OF_TARGET;
  return (yield* first<{ slug: string | null }>(sql, { ...place }))?.slug ?? null;
}

const OF_FORM = `SELECT ${PROJECT_OF_FORM} AS slug FROM forms f WHERE f.key = $form`;
const OF_TARGET = `SELECT coalesce(p.slug, ${PROJECT_OF_FORM}) AS slug FROM targets t LEFT JOIN forms f ON f.id = t.form_id
  LEFT JOIN projects p ON p.id = t.project_id WHERE t.id = $target`;

/** Adds entries at the end of any transaction. */
export function* recordAudit(entries: readonly NewAuditEntry[]): Work<void> {
  if (entries.length === 0) return;
  yield* lockAudit();
  yield* appendAudit(entries);
}

function pageEntries({
  limit,
  before,
  ...filter
}: AuditFilter & { limit: number; before?: number | undefined }): Work<Page<AuditEntry>> {
  const { where, params } = conditionsOf(filter);
  if (before !== undefined) where.push("id < $before");
  const sql = `SELECT ${COLUMNS} FROM audit ${whereOf(where)} ORDER BY id DESC LIMIT $limit`;
  return pageOf(
    all<Row>(
      sql,
      { ...params, ...(before !== undefined && { before }), limit: limit + 1 },
      pageCut("details"),
    ),
    limit,
    toEntry,
  );
}

function* countEntries(filter: AuditFilter): Work<ReadonlyMap<string, number>> {
  const { where, params } = conditionsOf(filter);
  const newest = `SELECT action FROM audit ${whereOf(where)} ORDER BY id DESC LIMIT $limit`;
  const sql = `SELECT action, count(*) AS entries FROM (${newest}) AS newest GROUP BY action`;
  const rows = yield* all<{ action: string; entries: number }>(sql, { ...params, limit: COUNTED_ENTRIES });
  return new Map(rows.map(({ action, entries }) => [action, entries]));
}

function entriesAfter({
  limit,
  after,
  ...filter
}: AuditFilter & { limit: number; after: number }): Work<Page<AuditEntry>> {
  const { where, params } = conditionsOf(filter);
  const sql = `SELECT ${COLUMNS} FROM audit ${whereOf([...where, "id > $after"])} ORDER BY id LIMIT $limit`;
  return pageOf(all<Row>(sql, { ...params, after, limit: limit + 1 }, pageCut("details")), limit, toEntry);
}

function whereOf(conditions: readonly string[]): string {
  return conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`;
}

function conditionsOf({ projects, action, who, since, until }: AuditFilter) {
  const where: string[] = [];
  const params: Record<string, string | number> = {};
  const add = (condition: string, values: Record<string, string | number>) => {
    where.push(condition);
    Object.assign(params, values);
  };
  if (projects !== null)
    add("project IN (SELECT value FROM json_each($projects))", { projects: slugList(projects) });
  if (action !== undefined) {
    // A noun alone ends before the dot, which sorts just before the slash.
    if (action.includes(".")) add("action = $action", { action });
    else add("action > $from AND action < $to", { from: `${action}.`, to: `${action}/` });
  }
  if (who !== undefined) add("who = $who", { who });
  if (since !== undefined) add("at >= $since", { since });
  if (until !== undefined) add("at < $until", { until });
  return { where, params };
}

function toEntry({ details, ...row }: Row): AuditEntry {
  return { ...row, details: JSON.parse(details) };
}

function* newestEntry(): Work<number> {
  return (yield* first<{ id: number }>("SELECT id FROM audit ORDER BY id DESC LIMIT 1"))?.id ?? 0;
}

/** Removes the oldest entries from before a time, but the newest of them: see the port. */
function* pruneEntries(before: number, limit: number): Work<boolean> {
  const rows = yield* all<{ id: number; at: number }>("SELECT id, at FROM audit ORDER BY id LIMIT $limit", {
    limit: limit + 1,
  });
  const kept = rows.findIndex(({ at }) => at >= before);
  const newest = rows.at(kept === -1 ? -1 : kept - 1);
  if (kept === 0 || newest === undefined) return false;
  yield* run("DELETE FROM audit WHERE id < $id", { id: newest.id });
  return kept === -1 && rows.length > limit;
}

export const audit = {
  reads: { page: pageEntries, counts: countEntries, after: entriesAfter, newest: newestEntry },
  writes: { append: recordAudit, prune: pruneEntries },
};
