import type { Database } from "bun:sqlite";
import type { Session, SignInMethod } from "../../access/session.ts";
import type { NewSession, SignInLink } from "../../access/store.ts";
import type { User } from "../../access/user.ts";
import type { Page, PageQuery } from "../../base/pages.ts";
import { cutPage } from "../sql/pages.ts";
import { runWork } from "./run.ts";
import { query } from "./statements.ts";
import { findUser, USER_COLUMNS, type UserRow, viewUser } from "../sql/users.ts";

type Row = {
  id: string;
  user: string;
  method: SignInMethod;
  agent: string;
  address: string;
  created_at: number;
  seen_at: number;
};

const COLUMNS = "s.id, u.name AS user, s.method, s.agent, s.address, s.created_at, s.seen_at";
const FROM = "FROM sessions s JOIN users u ON u.id = s.user_id";

/** Stores a session, if its user has that password: see the port. */
export function insertSession(
  db: Database,
  { session, hash, most }: NewSession,
  password: string | null,
): User | undefined {
  const { changes } = query(
    db,
    `INSERT INTO sessions (hash, id, user_id, method, agent, address, created_at, seen_at)
     SELECT unhex($hash), $id, id, $method, $agent, $address, $createdAt, $seenAt
     FROM users WHERE name = $user AND ($password IS NULL OR password = $password)`,
  ).run({ ...session, hash, password });
  if (changes === 0) return undefined;
  const { user } = session;
  query(
    db,
    `DELETE FROM sessions WHERE user_id = (SELECT id FROM users WHERE name = $user) AND hash NOT IN
     (SELECT s.hash ${FROM} WHERE u.name = $user ORDER BY s.seen_at DESC, s.created_at DESC LIMIT $most)`,
  ).run({ user, most });
  return runWork(db, findUser(user));
}

export function findSession(db: Database, hash: string): { user: User; session: Session } | undefined {
  const row = query<Row & UserRow, { hash: string }>(
    db,
    `SELECT ${COLUMNS}, ${USER_COLUMNS} ${FROM} WHERE s.hash = unhex($hash)`,
  ).get({ hash });
  return row === null ? undefined : { user: viewUser(row), session: view(row) };
}

export function findSessionById(db: Database, id: string): Session | undefined {
  const row = query<Row, { id: string }>(db, `SELECT ${COLUMNS} ${FROM} WHERE s.id = $id`).get({ id });
  return row === null ? undefined : view(row);
}

export function pageSessions(
  db: Database,
  user: string | null,
  { limit, after = "" }: PageQuery,
): Page<Session> {
  const ofUser = user === null ? "" : "u.name = $user AND";
  const rows = query<Row, Record<string, string | number | null>>(
    db,
    `SELECT ${COLUMNS} ${FROM} WHERE ${ofUser} s.id > $after ORDER BY s.id LIMIT $limit`,
  ).iterate({ ...(user === null ? {} : { user }), after, limit: limit + 1 });
  return cutPage(rows, limit, view);
}

export function markSeen(db: Database, hash: string, at: number): void {
  query(db, "UPDATE sessions SET seen_at = $at WHERE hash = unhex($hash)").run({ hash, at });
}

export function deleteSession(db: Database, id: string): boolean {
  return query(db, "DELETE FROM sessions WHERE id = $id").run({ id }).changes > 0;
}

export function deleteSessionByHash(db: Database, hash: string): void {
  query(db, "DELETE FROM sessions WHERE hash = unhex($hash)").run({ hash });
}

export function insertLink(db: Database, link: SignInLink): boolean {
  const sql = `INSERT INTO sign_in_links (hash, user_id, expires_at)
               SELECT unhex($hash), id, $expiresAt FROM users WHERE name = $user`;
  return query(db, sql).run(link).changes > 0;
}

/** Removes a link and stores the session of its user: see the port. */
export function spendLink(db: Database, hash: string, now: number, start: NewSession): User | undefined {
  const link = query<{ user: string }, { hash: string; now: number }>(
    db,
    `SELECT u.name AS user FROM sign_in_links l JOIN users u ON u.id = l.user_id
     WHERE l.hash = unhex($hash) AND l.expires_at > $now`,
  ).get({ hash, now });
  if (link === null) return undefined;
  query(db, "DELETE FROM sign_in_links WHERE hash = unhex($hash)").run({ hash });
  return insertSession(db, { ...start, session: { ...start.session, user: link.user } }, null);
}

/** Removes sessions and links that have ended: see the port. */
export function clearEndedSessions(
  db: Database,
  { seenBefore, createdBefore, now }: { seenBefore: number; createdBefore: number; now: number },
  limit: number,
): boolean {
  const sessions = query(
    db,
    `DELETE FROM sessions WHERE hash IN
     (SELECT hash FROM sessions WHERE seen_at <= $seenBefore OR created_at <= $createdBefore LIMIT $limit)`,
  ).run({ seenBefore, createdBefore, limit }).changes;
  const links = query(
    db,
    "DELETE FROM sign_in_links WHERE hash IN (SELECT hash FROM sign_in_links WHERE expires_at <= $now LIMIT $limit)",
  ).run({ now, limit }).changes;
  return sessions >= limit || links >= limit;
}

function view(row: Row): Session {
  const { id, user, method, agent, address, created_at: createdAt, seen_at: seenAt } = row;
  return { id, user, method, agent, address, createdAt, seenAt };
}
