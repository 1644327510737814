import { entryOf } from "../../../access/audit/entry.ts";
import type { Author } from "../../../access/caller.ts";
import { hostOfRedirect } from "../../../access/oauth/client.ts";
import type {
  FoundGrant,
  GrantEnd,
  IssuedTokens,
  NewOAuthGrant,
  PresentedCode,
  PresentedRefresh,
} from "../../../access/oauth/grant-store.ts";
import type { OAuthGrant } from "../../../access/oauth/grant.ts";
import type { Page, PageQuery } from "../../../base/pages.ts";
import { appendAudit, lockAudit } from "../audit.ts";
import { pageOf } from "../pages.ts";
import { environmentRow, projectRow } from "../rows.ts";
import { bytesOfHash } from "../ids.ts";
import { USER_COLUMNS, type UserRow, viewUser } from "../users.ts";
import { type Params, type Work, all, fieldsOf, first, run } from "../work.ts";
import { membershipsOf } from "./members.ts";

type Row = Omit<OAuthGrant, "scopes"> & { scopes: string };
/** With what a client has to present again. */
type Begun = Row & {
  challenge: string;
  isStarted: number;
  accessExpiresAt: number | null;
  refresh: Uint8Array | null;
  replaced: Uint8Array | null;
};

const COLUMNS = `${fieldsOf("g", "id client clientName redirect resource scopes createdAt usedAt expiresAt")},
  u.name AS "user", p.slug AS project, e.slug AS environment`;
const FROM = `FROM oauth_grants g JOIN users u ON u.id = g.user_id LEFT JOIN projects p ON p.id = g.project_id
  LEFT JOIN environments e ON e.id = g.environment_id`;
const BEGUN = `SELECT ${COLUMNS}, ${fieldsOf("g", "challenge accessExpiresAt refresh replaced")},
  CASE WHEN g.access IS NULL THEN 0 ELSE 1 END AS "isStarted" ${FROM}`;

/** Stores a grant that waits for its code: see the port. */
function* insertGrant({ grant, hash, challenge, session }: NewOAuthGrant, most: number): Work<boolean> {
  const { user, project, environment, scopes, id, ...row } = grant;
  // A change of the user that ends grants comes before, or after.
  yield* lockAudit();
  const projectId = project === null ? null : (yield* projectRow(project)).id;
  const environmentId =
    project === null || environment === null ? null : (yield* environmentRow(project, environment)).id;
  const inserted = yield* run(
    `INSERT INTO oauth_grants (hash, id, user_id, client, client_name, redirect, resource, challenge, scopes,
       project_id, environment_id, sid, created_at, used_at, expires_at)
     SELECT $hash, $id, u.id, $client, $clientName, $redirect, $resource, $challenge, $scopes,
       CAST($projectId AS BIGINT), CAST($environmentId AS BIGINT),
       (SELECT s.sid FROM sessions s WHERE s.id = $session), $createdAt, $usedAt, $expiresAt
     FROM users u WHERE u.name = $user`,
    {
      ...row,
      id,
      user,
      projectId,
      environmentId,
      challenge,
      session,
      hash: bytesOfHash(hash),
      scopes: JSON.stringify(scopes),
    },
  );
  yield* run(
    `DELETE FROM oauth_grants WHERE user_id = (SELECT id FROM users WHERE name = $user) AND hash NOT IN
     (SELECT g.hash FROM oauth_grants g JOIN users u ON u.id = g.user_id WHERE u.name = $user
      ORDER BY g.used_at DESC, g.id LIMIT $most)`,
    { user, most },
  );
  return inserted > 0;
}

/** Exchanges a code: see the port. */
function* startGrant(
  { hash, challenge, client, redirect, resource }: PresentedCode,
  issued: IssuedTokens,
  by: Pick<Author, "at" | "address">,
): Work<OAuthGrant | undefined> {
  // The log first, as every change of users has it: two exchanges of one code come one after the other.
  yield* lockAudit();
  const row = yield* first<Begun>(`${BEGUN} WHERE g.hash = $hash`, { hash: bytesOfHash(hash) });
  if (row === undefined) return undefined;
  const isSame =
    row.challenge === challenge &&
    row.client === client &&
    row.redirect === (redirect ?? row.redirect) &&
    row.resource === (resource ?? row.resource);
  if (row.isStarted === 1 || !isSame || row.expiresAt <= by.at) {
    yield* endGrants("g.hash = $hash", { hash: bytesOfHash(hash) }, { ...by, reason: "code-reused" });
    return undefined;
  }
  yield* replaceTokens(row.id, issued, null, by.at);
  const { clientName, scopes, project, environment, user } = row;
  const details = {
    client: clientName,
    clientId: row.client,
    redirect: hostOfRedirect(row.redirect),
    scopes: JSON.parse(scopes) as string[],
    environment,
  };
  const begun = { action: "grant.create", project, object: row.id, details } as const;
  yield* appendAudit([entryOf(begun, { ...by, who: user, type: "user" })]);
  return view({ ...row, usedAt: by.at, expiresAt: issued.expiresAt });
}

/** Replaces the tokens of a grant: see the port. */
function* refreshGrant(
  { family, refresh, client, resource }: PresentedRefresh,
  issued: IssuedTokens,
  by: Pick<Author, "at" | "address">,
): Work<OAuthGrant | undefined> {
  yield* lockAudit();
  const params = { family: bytesOfHash(family) };
  const row = yield* first<Begun>(`${BEGUN} WHERE g.family = $family`, params);
  if (row === undefined || row.expiresAt <= by.at || row.client !== client) return undefined;
  if (row.resource !== (resource ?? row.resource)) return undefined;
  const presented = bytesOfHash(refresh);
  const isRepeated = row.replaced !== null && presented.equals(row.replaced) && row.accessExpiresAt! > by.at;
  if (!presented.equals(row.refresh!) && !isRepeated) {
    yield* endGrants("g.family = $family", params, { ...by, reason: "refresh-reused" });
    return undefined;
  }
  yield* replaceTokens(row.id, issued, presented, by.at);
  return view({ ...row, usedAt: by.at, expiresAt: issued.expiresAt });
}

function* replaceTokens(
  id: string,
  { access, accessExpiresAt, family, refresh, expiresAt }: IssuedTokens,
  replaced: Buffer | null,
  at: number,
): Work<void> {
  yield* run(
    `UPDATE oauth_grants SET access = $access, access_expires_at = $accessExpiresAt, family = $family,
     refresh = $refresh, replaced = $replaced, expires_at = $expiresAt, used_at = $at WHERE id = $id`,
    {
      id,
      accessExpiresAt,
      expiresAt,
      at,
      access: bytesOfHash(access),
      family: bytesOfHash(family),
      refresh: bytesOfHash(refresh),
      replaced,
    },
  );
}

function* findGrant(access: string): Work<FoundGrant | undefined> {
  const row = yield* first<Row & UserRow & Pick<Begun, "replaced"> & { accessExpiresAt: number }>(
    `SELECT ${COLUMNS}, ${fieldsOf("g", "accessExpiresAt replaced")}, ${USER_COLUMNS} ${FROM} WHERE g.access = $access`,
    { access: bytesOfHash(access) },
  );
  if (row === undefined) return undefined;
  const { accessExpiresAt, replaced } = row;
  return {
    grant: view(row),
    user: viewUser(row),
    memberships: yield* membershipsOf(row.name),
    accessExpiresAt,
    isUnused: replaced !== null,
  };
}

function* findGrantById(id: string): Work<OAuthGrant | undefined> {
  const row = yield* first<Row>(`SELECT ${COLUMNS} ${FROM} WHERE g.id = $id`, { id });
  return row && view(row);
}

function pageGrants(user: string | null, { limit, after = "" }: PageQuery): Work<Page<OAuthGrant>> {
  const ofUser = user === null ? "" : "u.name = $user AND";
  const rows = all<Row>(
    `SELECT ${COLUMNS} ${FROM} WHERE ${ofUser} g.access IS NOT NULL AND g.id > $after ORDER BY g.id LIMIT $limit`,
    { ...(user !== null && { user }), after, limit: limit + 1 },
  );
  return pageOf(rows, limit, view);
}

function* markUsed(access: string, at: number): Work<void> {
  const sql = "UPDATE oauth_grants SET used_at = $at, replaced = NULL WHERE access = $access";
  yield* run(sql, { access: bytesOfHash(access), at });
}

function* deleteGrant(id: string, by: Author): Work<boolean> {
  yield* lockAudit();
  return (yield* endGrants("g.id = $id", { id }, by)) > 0;
}

function* deleteBySecret(hash: string, client: string, by: Pick<Author, "at" | "address">): Work<void> {
  yield* lockAudit();
  const which = "(g.access = $hash OR g.family = $hash) AND g.client = $client";
  yield* endGrants(which, { hash: bytesOfHash(hash), client }, { ...by, reason: "client" });
}

/**
 * Ends grants in a transaction that holds the log, and returns how many. Without a name in `by`, the author is the user
 * of each. One that waited for its code is ended without an entry.
 */
export function* endGrants(
  condition: string,
  params: Params,
  { reason, ...by }: Partial<Author> & Pick<Author, "at"> & { reason?: GrantEnd },
): Work<number> {
  type Ended = Pick<OAuthGrant, "id" | "user" | "clientName" | "project"> & { isStarted: number };
  const ended = yield* all<Ended>(
    `SELECT g.id, u.name AS "user", p.slug AS project, g.client_name AS "clientName",
       CASE WHEN g.access IS NULL THEN 0 ELSE 1 END AS "isStarted" ${FROM} WHERE ${condition}`,
    params,
  );
  for (const { id } of ended) yield* run("DELETE FROM oauth_grants WHERE id = $id", { id });
  const entries = ended
    .filter(({ isStarted }) => isStarted === 1)
    .map(({ id, user, clientName: client, project }) => {
      const details = { user, client, ...(reason && { reason }) };
      const event = { action: "grant.revoke", project, object: id, details } as const;
      return entryOf(event, { who: user, type: "user", ...by });
    });
  yield* appendAudit(entries);
  return ended.length;
}

/** The grant in a row with more columns. */
function view(row: Row): OAuthGrant {
  return {
    id: row.id,
    user: row.user,
    client: row.client,
    clientName: row.clientName,
    redirect: row.redirect,
    resource: row.resource,
    scopes: JSON.parse(row.scopes),
    project: row.project,
    environment: row.environment,
    createdAt: row.createdAt,
    usedAt: row.usedAt,
    expiresAt: row.expiresAt,
  };
}

export const grants = {
  reads: { find: findGrant, findById: findGrantById, page: pageGrants },
  writes: {
    insert: insertGrant,
    start: startGrant,
    refresh: refreshGrant,
    markUsed,
    delete: deleteGrant,
    deleteBySecret,
  },
};
