import type { Database } from "bun:sqlite";
import type { AccessChange } from "../../access/change.ts";
import type { Role } from "../../access/role.ts";
import { DEFAULT_SETTINGS, type User, type UserSettings } from "../../access/user.ts";
import { isoTime } from "../../base/clock.ts";
import type { Page, PageQuery } from "../../base/pages.ts";
import { cutPage } from "../sql/pages.ts";
import { query } from "./statements.ts";

/** The columns of a user, for {@link viewUser}, of the table `users` under the name `u`. */
export const USER_COLUMNS =
  "u.name, u.role, u.password IS NOT NULL AS has_password, u.settings, u.created_at AS user_created_at";

export type UserRow = {
  name: string;
  role: Role;
  has_password: number;
  settings: string;
  user_created_at: number;
};

type Change<K> = AccessChange & { change: K };

export function insertUser(db: Database, { user }: Change<"insertUser">): void {
  const { name, role, settings, createdAt } = user;
  query(
    db,
    "INSERT INTO users (name, role, settings, created_at) VALUES ($name, $role, $settings, $createdAt)",
  ).run({ name, role, settings: JSON.stringify(settings), createdAt: Date.parse(createdAt) });
}

export function updateUser(db: Database, { name, role, settings }: Change<"updateUser">): void {
  query(
    db,
    "UPDATE users SET role = coalesce($role, role), settings = coalesce($settings, settings) WHERE name = $name",
  ).run({
    name,
    role: role ?? null,
    settings: settings === undefined ? null : JSON.stringify(settings),
  });
}

export function setPassword(db: Database, { name, password, keep }: Change<"setPassword">): void {
  query(db, "UPDATE users SET password = $password WHERE name = $name").run({ name, password });
  const ofUser = "user_id = (SELECT id FROM users WHERE name = $name)";
  query(db, `DELETE FROM sessions WHERE ${ofUser} AND id IS NOT $keep`).run({ name, keep });
  query(db, `DELETE FROM sign_in_links WHERE ${ofUser}`).run({ name });
}

export function deleteUser(db: Database, { name }: Change<"deleteUser">): void {
  query(db, "DELETE FROM users WHERE name = $name").run({ name });
}

export function pageUsers(db: Database, { limit, after = "" }: PageQuery): Page<User> {
  const sql = `SELECT ${USER_COLUMNS} FROM users u WHERE u.name > $after ORDER BY u.name LIMIT $limit`;
  const rows = query<UserRow, { after: string; limit: number }>(db, sql).iterate({ after, limit: limit + 1 });
  return cutPage(rows, limit, viewUser);
}

export function findUser(db: Database, name: string): User | undefined {
  const sql = `SELECT ${USER_COLUMNS} FROM users u WHERE u.name = $name`;
  const row = query<UserRow, { name: string }>(db, sql).get({ name });
  return row === null ? undefined : viewUser(row);
}

export function passwordOf(db: Database, name: string): string | null {
  const sql = "SELECT password FROM users WHERE name = $name";
  return query<{ password: string | null }, { name: string }>(db, sql).get({ name })?.password ?? null;
}

export function listAdmins(db: Database, limit: number): string[] {
  const sql = "SELECT name FROM users WHERE role = 'admin' ORDER BY name LIMIT $limit";
  return query<{ name: string }, { limit: number }>(db, sql)
    .all({ limit })
    .map(({ name }) => name);
}

export function viewUser(row: UserRow): User {
  return {
    name: row.name,
    role: row.role,
    hasPassword: row.has_password === 1,
    // A setting that came later has its default.
    settings: { ...DEFAULT_SETTINGS, ...(JSON.parse(row.settings) as Partial<UserSettings>) },
    createdAt: isoTime(row.user_created_at),
  };
}
