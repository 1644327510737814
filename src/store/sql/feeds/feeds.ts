import type { FormChange } from "../../../forms/change.ts";
import type { FoundFeed } from "../../../forms/feeds/feed.ts";
import type { FeedPageQuery } from "../../../forms/feeds/feed-store.ts";
import { pageOf } from "../pages.ts";
import { PROJECT_OF_FORM, amongProjects } from "../rows.ts";
import { type Work, all, first, run } from "../work.ts";

type Change<K> = FormChange & { change: K };

type Row = {
  id: string;
  form_key: string;
  project: string;
  form: string;
  form_name: string;
  name: string;
  format: FoundFeed["format"];
  fields: string | null;
  search: string | null;
  since: number | null;
  most: number;
  created_at: number;
  expires_at: number | null;
  last_read_at: number | null;
};

const SELECT = `
  SELECT d.id, f.key AS form_key, ${PROJECT_OF_FORM} AS project, f.slug AS form, f.name AS form_name, d.name, d.format,
    d.fields, d.search, d.since, d.most, d.created_at, d.expires_at, d.last_read_at
  FROM feeds d JOIN forms f ON f.id = d.form_id WHERE f.deleted = 0`;

export function* insertFeed({ feed, hash }: Change<"insertFeed">): Work<void> {
  const { limit, fields, ...columns } = feed;
  yield* run(
    `INSERT INTO feeds (id, form_id, name, hash, format, fields, search, since, most, created_at, expires_at, last_read_at)
     VALUES ($id, (SELECT id FROM forms WHERE key = $formKey), $name, $hash, $format, $fields, $search, $since, $most,
             $createdAt, $expiresAt, $lastReadAt)`,
    { ...columns, hash, most: limit, fields: fields && JSON.stringify(fields) },
  );
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
  const { id, project, form, name, format, search, since } = row;
  return {
    id,
    project,
    form,
    name,
    format,
    fields: row.fields === null ? null : JSON.parse(row.fields),
    search,
    since,
    limit: row.most,
    formKey: row.form_key,
    formName: row.form_name,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    lastReadAt: row.last_read_at,
  };
}

export const feeds = {
  reads: { page: pageFeeds, find: findFeed, findByHash, count: countFeeds },
  writes: { noteRead },
};
