import { type NewAuditEntry, SYSTEM, entryOf } from "../../access/audit/entry.ts";
import type { Membership } from "../../access/members/member.ts";
import type { NewSession, Session } from "../../access/session.ts";
import type { BegunSignIn, SignInLink } from "../../access/store.ts";
import type { User } from "../../access/user.ts";
import type { Page, PageQuery } from "../../base/pages.ts";
import { membershipsOf } from "./access/members.ts";
import { bytesOfHash } from "./ids.ts";
import { pageOf } from "./pages.ts";
import { findUser, USER_COLUMNS, type UserRow, viewUser } from "./users.ts";
import type { Author } from "../../access/caller.ts";
import type * as Grants from "./access/grants.ts";
import { appendAudit, lockAudit } from "./audit.ts";
import { FOR_UPDATE, type Params, SKIP_LOCKED, type Work, all, fieldsOf, first, run } from "./work.ts";

const COLUMNS = `s.id, u.name AS "user", ${fieldsOf("s", "method agent address createdAt seenAt expiresAt")}`;
const FROM = "FROM sessions s JOIN users u ON u.id = s.user_id";

/** Stores a session, if its user has that password: see the port. */
export function* insertSession(
  { session, hash, most, sid = null }: NewSession,
  password: string | null,
): Work<User | undefined> {
  const { id, user, method, createdAt, address } = session;
  yield* lockAudit();
  // The lock lets a change of the password come before, or after to end this session as well.
  const inserted = yield* run(
    `INSERT INTO sessions (hash, id, user_id, method, agent, address, created_at, seen_at, expires_at, sid)
     SELECT $hash, $id, id, $method, $agent, $address, $createdAt, $seenAt, CAST($expiresAt AS BIGINT), $sid
     FROM users WHERE name = $user AND (CAST($password AS TEXT) IS NULL OR password = CAST($password AS TEXT))
     ${FOR_UPDATE}`,
    { ...session, hash: bytesOfHash(hash), password, sid: sid === null ? null : bytesOfHash(sid) },
  );
  if (inserted === 0) return undefined;
  yield* run(
    `DELETE FROM sessions WHERE user_id = (SELECT id FROM users WHERE name = $user) AND hash NOT IN
     (SELECT s.hash ${FROM} WHERE u.name = $user
      ORDER BY CASE WHEN s.id = $id THEN 0 ELSE 1 END, s.seen_at DESC, s.created_at DESC, s.id LIMIT $most)`,
    { user, id, most },
  );
  const started = { action: "session.start", project: null, object: id, details: { method } } as const;
  yield* appendAudit([entryOf(started, { who: user, at: createdAt, type: "user", address })]);
  return yield* findUser(user);
}

function* findSession(
  hash: string,
): Work<{ user: User; memberships: Membership[]; session: Session } | undefined> {
  const sql = `SELECT ${COLUMNS}, ${USER_COLUMNS} ${FROM} WHERE s.hash = $hash`;
  const row = yield* first<Session & UserRow>(sql, { hash: bytesOfHash(hash) });
  if (!row) return undefined;
  return { user: viewUser(row), memberships: yield* membershipsOf(row.name), session: view(row) };
}

function* findSessionById(id: string): Work<Session | undefined> {
  return yield* first<Session>(`SELECT ${COLUMNS} ${FROM} WHERE s.id = $id`, { id });
}

function pageSessions(user: string | null, { limit, after = "" }: PageQuery): Work<Page<Session>> {
  const ofUser = user === null ? "" : "u.name = $user AND";
  const rows = all<Session>(
    `SELECT ${COLUMNS} ${FROM} WHERE ${ofUser} s.id > $after ORDER BY s.id LIMIT $limit`,
    { ...(user !== null && { user }), after, limit: limit + 1 },
  );
  return pageOf(rows, limit, (session) => session);
}

function* markSeen(hash: string, at: number): Work<void> {
  yield* run("UPDATE sessions SET seen_at = $at WHERE hash = $hash", { hash: bytesOfHash(hash), at });
}

function* deleteSession(id: string, by: Author): Work<boolean> {
  yield* lockAudit();
  const [ended] = yield* endSessions("id = $id", { id });
  if (ended) yield* appendAudit([endOf(ended, by)]);
  return ended !== undefined;
}

function* deleteSessionByHash(hash: string, by: Pick<Author, "at" | "address">): Work<void> {
  yield* lockAudit();
  const [ended] = yield* endSessions("hash = $hash", { hash: bytesOfHash(hash) });
  if (ended) yield* appendAudit([endOf(ended, { ...by, who: ended.user, type: "user" })]);
}

export type Ended = { id: string; user: string };

export function endSessions(condition: string, params: Params): Work<Ended[]> {
  const sql = `DELETE FROM sessions WHERE ${condition}
    RETURNING id, (SELECT u.name FROM users u WHERE u.id = user_id) AS "user"`;
  return all<Ended>(sql, params);
}

export function endOf({ id, user }: Ended, by: Author, more: { reason?: string } = {}): NewAuditEntry {
  const details = { user, ...more };
  return entryOf({ action: "session.end", project: null, object: id, details }, by);
}

function* insertLink({ user, hash, expiresAt }: SignInLink, by: Author): Work<boolean> {
  yield* lockAudit();
  const sql = `INSERT INTO sign_in_links (hash, user_id, expires_at)
               SELECT $hash, id, $expiresAt FROM users WHERE name = $user`;
  if ((yield* run(sql, { hash: bytesOfHash(hash), user, expiresAt })) === 0) return false;
  yield* appendAudit([entryOf({ action: "user.link", project: null, object: user, details: {} }, by)]);
  return true;
}

/** Removes a link and stores the session of its user: see the port. */
function* spendLink(
  hash: string,
  now: number,
  start: NewSession,
  begun: BegunSignIn,
): Work<Entrance | undefined> {
  yield* lockAudit();
  const link = yield* first<{ user: string }>(
    `DELETE FROM sign_in_links WHERE hash = $hash AND expires_at > $now
     RETURNING (SELECT u.name FROM users u WHERE u.id = user_id) AS "user"`,
    { hash: bytesOfHash(hash), now },
  );
  if (link === undefined) return undefined;
  return yield* enter({ ...start, session: { ...start.session, user: link.user } }, null, begun);
}

type Entrance = { user: User; isBegun: boolean };

/** Stores a session, or for a user with an authenticator app a sign-in that waits for a code: see the port. */
function* enter(
  start: NewSession,
  password: string | null,
  { hash, expiresAt }: BegunSignIn,
): Work<Entrance | undefined> {
  const { user: name, method } = start.session;
  // The lock lets a new factor come before, or after to end this session as well.
  const found = yield* first<{ id: number }>(
    `SELECT id FROM users WHERE name = $name AND (CAST($password AS TEXT) IS NULL OR password = CAST($password AS TEXT))
     ${FOR_UPDATE}`,
    { name, password },
  );
  if (found === undefined) return undefined;
  const begun = yield* run(
    `INSERT INTO begun_sign_ins (hash, user_id, method, wrong, expires_at)
     SELECT $hash, user_id, $method, 0, $expiresAt FROM totp_keys WHERE user_id = $id`,
    { hash: bytesOfHash(hash), method, expiresAt, id: found.id },
  );
  const user = begun > 0 ? yield* findUser(name) : yield* insertSession(start, password);
  return user && { user, isBegun: begun > 0 };
}

/** Removes sessions, links and logins that have ended: see the port. */
function* clearEndedSessions(
  { seenBefore, createdBefore, now }: { seenBefore: number; createdBefore: number; now: number },
  limit: number,
): Work<boolean> {
  // The log first, as every end of a session or a grant has it.
  yield* lockAudit();
  const ended = yield* endSessions(
    `hash IN (SELECT hash FROM sessions WHERE (seen_at <= $seenBefore AND method <> 'cli')
     OR created_at <= $createdBefore OR expires_at <= $now LIMIT $limit ${SKIP_LOCKED})`,
    { seenBefore, createdBefore, now, limit },
  );
  const links = yield* run(
    `DELETE FROM sign_in_links WHERE hash IN
     (SELECT hash FROM sign_in_links WHERE expires_at <= $now LIMIT $limit ${SKIP_LOCKED})`,
    { now, limit },
  );
  const by = { who: SYSTEM, at: now, type: "system" } as const;
  yield* appendAudit(ended.map((each) => endOf(each, by, { reason: "expired" })));
  const { endGrants } = require("./access/grants.ts") as typeof Grants;
  const expired = "g.hash IN (SELECT hash FROM oauth_grants WHERE expires_at <= $now LIMIT $limit)";
  const grants = yield* endGrants(expired, { now, limit }, { ...by, reason: "expired" });
  let isLeft = [ended.length, links, grants].some((removed) => removed >= limit);
  for (const table of ["device_logins", "begun_sign_ins", "spent_challenges", "spent_logouts"]) {
    const removed = yield* run(
      `DELETE FROM ${table} WHERE hash IN
       (SELECT hash FROM ${table} WHERE expires_at <= $now LIMIT $limit ${SKIP_LOCKED})`,
      { now, limit },
    );
    isLeft ||= removed >= limit;
  }
  return isLeft;
}

/** The session in a row with more columns. */
function view({ id, user, method, agent, address, createdAt, seenAt, expiresAt }: Session): Session {
  return { id, user, method, agent, address, createdAt, seenAt, expiresAt };
}

export const sessions = {
  reads: { find: findSession, findById: findSessionById, page: pageSessions },
  writes: {
    insert: insertSession,
    begin: enter,
    markSeen,
    delete: deleteSession,
    deleteByHash: deleteSessionByHash,
    insertLink,
    spendLink,
    clearEnded: clearEndedSessions,
  },
};
