import type { FormChange } from "../../../forms/change.ts";
import type { FoundFeed } from "../../../forms/feeds/feed.ts";
import type { FeedPageQuery } from "../../../forms/feeds/feed-store.ts";
import { pageOf } from "../pages.ts";
import { PROJECT_OF_FORM, amongProjects } from "../rows.ts";
import { type Work, all, fieldsOf, first, insert, run } from "../work.ts";

type Change<K> = FormChange & { change: K };

type Row = Omit<FoundFeed, "fields"> & { fields: string | null };

const SELECT = `
  SELECT d.id, ${PROJECT_OF_FORM} AS project, f.slug AS form, ${fieldsOf("d", "name format fields search since")},
    d.most AS "limit", f.key AS "formKey", f.name AS "formName", ${fieldsOf("d", "createdAt expiresAt lastReadAt")}
  FROM feeds d JOIN forms f ON f.id = d.form_id WHERE f.deleted = 0`;

export function* insertFeed({ feed, hash }: Change<"insertFeed">): Work<void> {
  const { formKey, limit, fields, ...columns } = feed;
  const form = yield* first<{ id: number }>("SELECT id FROM forms WHERE key = $formKey", { formKey });
  const formId = form?.id ?? null;
  yield* insert("feeds", { ...columns, formId, hash, most: limit, fields: fields && JSON.stringify(fields) });
}

export function* deleteFeed({ id }: Change<"deleteFeed">): Work<void> {
  yield* run("DELETE FROM feeds WHERE id = $id", { id });
}

function pageFeeds({
  limit,
  after,
  projects,
  form,
}: FeedPageQuery): Work<{ items: FoundFeed[]; more: boolean }> {
  const among = amongProjects(projects);
  const behind = after === null ? "" : " AND (d.created_at, d.id) > ($createdAt, $id)";
  const ofForm = form === null ? "" : " AND f.key = $form";
  const sql = `${SELECT}${among.where}${ofForm}${behind} ORDER BY d.created_at, d.id LIMIT $limit`;
  const params = { ...among.params, ...after, ...(form !== null && { form }), limit: limit + 1 };
  return pageOf(all<Row>(sql, params), limit, toFeed);
}

function* findFeed(id: string): Work<FoundFeed | undefined> {
  const row = yield* first<Row>(`${SELECT} AND d.id = $id`, { id });
  return row && toFeed(row);
}

function* findByHash(hash: string): Work<FoundFeed | undefined> {
  const row = yield* first<Row>(`${SELECT} AND d.hash = $hash`, { hash });
  return row && toFeed(row);
}

function* countFeeds(formKey: string): Work<number> {
  const sql =
    "SELECT count(*) AS count FROM feeds WHERE form_id = (SELECT id FROM forms WHERE key = $formKey)";
  return (yield* first<{ count: number }>(sql, { formKey }))!.count;
}

function* noteRead(id: string, at: number): Work<void> {
  yield* run("UPDATE feeds SET last_read_at = $at WHERE id = $id", { id, at });
}

function toFeed(row: Row): FoundFeed {
  return { ...row, fields: row.fields === null ? null : JSON.parse(row.fields) };
}

export const feeds = {
  reads: { page: pageFeeds, find: findFeed, findByHash, count: countFeeds },
  writes: { noteRead },
};
