import type { AccessChange } from "../../access/change.ts";
import { ROLES, type Role, type UserRole, strongerRole } from "../../access/role.ts";
import type { UserRoles } from "../../access/store.ts";
import type { Author } from "../../access/caller.ts";
import {
  DEFAULT_SETTINGS,
  type User,
  type UserCounts,
  type UserFilter,
  type UserSettings,
} from "../../access/user.ts";
import { isoTime } from "../../base/clock.ts";
import type { Page, PageQuery } from "../../base/pages.ts";
import { pageOf } from "./pages.ts";
import { unassign } from "./submissions/handling.ts";
import { type Work, all, first, insert, run } from "./work.ts";

/** The columns of a user, for {@link viewUser}, of the table `users` under the name `u`. */
export const USER_COLUMNS = `u.name, u.role, u.oidc_role, u.password IS NOT NULL AS has_password, u.settings, u.created_at AS user_created_at,
  EXISTS (SELECT 1 FROM totp_keys f WHERE f.user_id = u.id) AS has_totp,
  EXISTS (SELECT 1 FROM passkeys f WHERE f.user_id = u.id) AS has_passkey`;

export type UserRow = {
  name: string;
  role: UserRole;
  oidc_role: Role | null;
  has_password: number;
  has_totp: number;
  has_passkey: number;
  settings: string;
  user_created_at: number;
};

type Change<K> = AccessChange & { change: K };

export function* insertUser({ user }: Change<"insertUser">, born: number): Work<void> {
  const { name, role, settings, createdAt } = user;
  const at = Date.parse(createdAt);
  yield* insert("users", { name, role, settings: JSON.stringify(settings), createdAt: at, born });
}

export function* updateUser({ name, role, settings }: Change<"updateUser">): Work<void> {
  yield* run(
    "UPDATE users SET role = coalesce($role, role), settings = coalesce($settings, settings) WHERE name = $name",
    { name, role: role ?? null, settings: settings === undefined ? null : JSON.stringify(settings) },
  );
}

export function* setPassword({ name, password, keep }: Change<"setPassword">): Work<void> {
  yield* run("UPDATE users SET password = $password WHERE name = $name", { name, password });
  const ofUser = "user_id = (SELECT id FROM users WHERE name = $name)";
  yield* run(`DELETE FROM sessions WHERE ${ofUser} AND id IS DISTINCT FROM $keep`, { name, keep });
  for (const table of ["sign_in_links", "device_logins", "oauth_grants", "begun_sign_ins"])
    yield* run(`DELETE FROM ${table} WHERE ${ofUser}`, { name });
}

export function* deleteUser({ name }: Change<"deleteUser">, _revision: number, by: Author): Work<void> {
  yield* unassign(name, by);
  yield* run("DELETE FROM users WHERE name = $name", { name });
}

const WITHOUT_WAY = "(u.password IS NULL AND NOT EXISTS (SELECT 1 FROM passkeys f WHERE f.user_id = u.id))";

const BY_GROUPS = "coalesce(u.oidc_role, 'none')";

/** Selects users by the role that counts: one of their two roles is it, and neither is stronger. */
function hasRole(role: UserRole): string {
  const stronger = ROLES.slice(ROLES.indexOf(role as Role) + 1).map((each) => `'${each}'`);
  const isStronger = (column: string) =>
    stronger.length === 0 ? "" : `AND ${column} NOT IN (${stronger.join(", ")})`;
  return `'${role}' IN (u.role, ${BY_GROUPS}) ${isStronger("u.role")} ${isStronger(BY_GROUPS)}`;
}

function pageUsers({ limit, after = "", role, isWithoutWay }: PageQuery & UserFilter): Work<Page<User>> {
  const where = [
    "u.name > $after",
    ...(role === undefined ? [] : [hasRole(role)]),
    ...(isWithoutWay ? [WITHOUT_WAY] : []),
  ].join(" AND ");
  const sql = `SELECT ${USER_COLUMNS} FROM users u WHERE ${where} ORDER BY u.name LIMIT $limit`;
  return pageOf(all<UserRow>(sql, { after, limit: limit + 1 }), limit, viewUser);
}

type CountRow = Pick<UserRow, "role" | "oidc_role"> & { users: number; without_way: number };

function* countUsers(): Work<UserCounts> {
  const rows = yield* all<CountRow>(
    `SELECT u.role, u.oidc_role, count(*) AS users, sum(CASE WHEN ${WITHOUT_WAY} THEN 1 ELSE 0 END) AS without_way
     FROM users u GROUP BY u.role, u.oidc_role`,
  );
  const roles: Partial<Record<UserRole, number>> = {};
  let [count, withoutWay] = [0, 0];
  for (const row of rows) {
    const role = roleIn(row);
    roles[role] = (roles[role] ?? 0) + row.users;
    count += row.users;
    withoutWay += row.without_way;
  }
  return { all: count, withoutWay, roles };
}

export function* findUser(name: string): Work<User | undefined> {
  const row = yield* first<UserRow>(`SELECT ${USER_COLUMNS} FROM users u WHERE u.name = $name`, { name });
  return row && viewUser(row);
}

function* passwordOf(name: string): Work<string | null> {
  const sql = "SELECT password FROM users WHERE name = $name";
  return (yield* first<{ password: string | null }>(sql, { name }))?.password ?? null;
}

function* accountOfUser(name: string): Work<string | null> {
  const sql = "SELECT id, born FROM users WHERE name = $name";
  const row = yield* first<{ id: number; born: number | null }>(sql, { name });
  // SQLite gives the id of the newest user again once that one is deleted.
  return row ? `${row.id}.${row.born ?? ""}` : null;
}

function* listAdmins(limit: number): Work<string[]> {
  const sql = "SELECT name FROM users WHERE role = 'admin' OR oidc_role = 'admin' ORDER BY name LIMIT $limit";
  return (yield* all<{ name: string }>(sql, { limit })).map(({ name }) => name);
}

/** The role that counts: the stronger of that by hand and that by groups. */
function roleIn({ role, oidc_role }: Pick<UserRow, "role" | "oidc_role">): UserRole {
  return strongerRole(role === "none" ? null : role, oidc_role) ?? "none";
}

function* rolesOf(name: string): Work<UserRoles> {
  const sql = "SELECT role, oidc_role FROM users WHERE name = $name";
  const row = yield* first<Pick<UserRow, "role" | "oidc_role">>(sql, { name });
  return { byHand: row?.role ?? "none", byGroups: row?.oidc_role ?? null };
}

export function viewUser(row: UserRow): User {
  return {
    name: row.name,
    role: roleIn(row),
    hasPassword: row.has_password === 1,
    secondFactors: [
      ...(row.has_totp === 1 ? ["totp" as const] : []),
      ...(row.has_passkey === 1 ? ["passkey" as const] : []),
    ],
    // A setting that came later has its default.
    settings: { ...DEFAULT_SETTINGS, ...(JSON.parse(row.settings) as Partial<UserSettings>) },
    createdAt: isoTime(row.user_created_at),
  };
}

export const users = {
  reads: {
    page: pageUsers,
    counts: countUsers,
    find: findUser,
    account: accountOfUser,
    password: passwordOf,
    admins: listAdmins,
    roles: rolesOf,
  },
};
