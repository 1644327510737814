import type { AccessChange } from "../../access/change.ts";
import { READER_SCOPES } from "../../access/scope.ts";
import type { FoundToken, ReaderToken } from "../../access/store.ts";
import type { Token } from "../../access/token.ts";
import { isoTime } from "../../base/clock.ts";
import type { Page, PageQuery } from "../../base/pages.ts";
import { amongProjects } from "./lists.ts";
import { pageOf } from "./pages.ts";
import { environmentRow, findProjectRow, projectRow } from "./rows.ts";
import { type Work, all, first, insert, run } from "./work.ts";

type Row = {
  name: string;
  scopes: string;
  created_at: number;
  expires_at: number | null;
  project: string | null;
  environment: string | null;
  origins: string | null;
  project_key: string | null;
  environment_key: string | null;
};

const SELECT = `
  SELECT t.name, t.scopes, t.created_at, t.expires_at, p.slug AS project, e.slug AS environment, t.origins,
         p.key AS project_key, e.key AS environment_key
  FROM tokens t LEFT JOIN environments e ON e.id = t.environment_id LEFT JOIN projects p ON p.id = t.project_id`;

type Change<K> = AccessChange & { change: K };

/** Throws `not_found` for the place. */
export function* insertToken({ token, hash }: Change<"insertToken">): Work<void> {
  const { name, scopes, project, environment, allowedOrigins, createdAt, expiresAt } = token;
  const projectId = project === undefined ? null : (yield* projectRow(project)).id;
  const environmentId =
    project === undefined || environment === undefined
      ? null
      : (yield* environmentRow(project, environment)).id;
  yield* insert("tokens", {
    name,
    hash,
    scopes: JSON.stringify(scopes),
    createdAt: Date.parse(createdAt),
    expiresAt: expiresAt === null ? null : Date.parse(expiresAt),
    projectId,
    environmentId,
    origins: allowedOrigins ? JSON.stringify(allowedOrigins) : null,
  });
}

export function* deleteToken({ name, limitedTo }: Change<"deleteToken">): Work<void> {
  const projectId = limitedTo === undefined ? null : (yield* projectRow(limitedTo)).id;
  yield* run(
    "DELETE FROM tokens WHERE name = $name AND project_id IS NOT DISTINCT FROM CAST($projectId AS BIGINT)",
    { name, projectId },
  );
}

/** As the index that makes names unique. */
const ORDER = "ORDER BY t.name, coalesce(t.project_id, 0)";

function* listTokens(): Work<Token[]> {
  return (yield* all<Row>(`${SELECT} ${ORDER}`)).map(view);
}

function* pageTokens(
  { limit, after = "" }: PageQuery,
  projects: readonly string[] | null,
): Work<Page<Token>> {
  const [name = "", slug] = after.split("/");
  const id = slug === undefined ? 0 : ((yield* findProjectRow(slug))?.id ?? 0);
  const among = amongProjects("p.slug", projects);
  const rows = all<Row>(
    `${SELECT} WHERE (t.name, coalesce(t.project_id, 0)) > ($name, $id) ${among.sql} ${ORDER} LIMIT $limit`,
    { name, id, ...among.params, limit: limit + 1 },
  );
  return yield* pageOf(rows, limit, view);
}

function* tokensNamed(name: string): Work<Token[]> {
  return (yield* all<Row>(`${SELECT} WHERE t.name = $name ${ORDER}`, { name })).map(view);
}

function* findToken(hash: string): Work<FoundToken | undefined> {
  const row = yield* first<Row>(`${SELECT} WHERE t.hash = $hash`, { hash });
  return row && found(row);
}

function* readerTokens(): Work<ReaderToken[]> {
  const rows = yield* all<Row & { hash: string }>(`${SELECT} ${ORDER}`.replace("t.name", "t.hash, t.name"));
  const tokens = rows.map((row) => ({ ...found(row), hash: row.hash }));
  return tokens.filter(({ scopes }) => scopes.every((scope) => READER_SCOPES.includes(scope)));
}

function found(row: Row): FoundToken {
  const { project_key: projectKey, environment_key: environmentKey } = row;
  return { ...view(row), ...(projectKey && environmentKey ? { keys: { projectKey, environmentKey } } : {}) };
}

function* accountOfToken(name: string, project: string | null): Work<string | null> {
  const sql = `SELECT substr(t.hash, 1, 16) AS account FROM tokens t LEFT JOIN projects p ON p.id = t.project_id
    WHERE t.name = $name AND p.slug IS NOT DISTINCT FROM CAST($project AS TEXT)`;
  return (yield* first<{ account: string }>(sql, { name, project }))?.account ?? null;
}

function view(row: Row): Token {
  return {
    name: row.name,
    scopes: JSON.parse(row.scopes),
    ...(row.project === null ? {} : { project: row.project }),
    ...(row.environment === null ? {} : { environment: row.environment }),
    ...(row.origins === null ? {} : { allowedOrigins: JSON.parse(row.origins) as string[] }),
    createdAt: isoTime(row.created_at),
    expiresAt: row.expires_at === null ? null : isoTime(row.expires_at),
  };
}

export const tokens = {
  reads: {
    list: listTokens,
    page: pageTokens,
    find: findToken,
    readers: readerTokens,
    named: tokensNamed,
    account: accountOfToken,
  },
};
