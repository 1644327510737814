import type { AccessChange } from "../../../access/change.ts";
import type { Member, MemberSource, Membership } from "../../../access/members/member.ts";
import type { Role } from "../../../access/role.ts";
import { noSuchUser } from "../../../access/user.ts";
import type { Page, PageQuery } from "../../../base/pages.ts";
import { pageOf } from "../pages.ts";
import { environmentRow, projectRow } from "../rows.ts";
import { type Work, all, first, insert, run } from "../work.ts";

type Row = { source: MemberSource; role: Role; environments: string | null };
type Change<K> = AccessChange & { change: K };

/** Throws `not_found` for the project, the user and the environments. */
export function* putMember(member: Change<"putMember">): Work<void> {
  const { project, user, source, role, environments } = member;
  const { id: projectId } = yield* projectRow(project);
  for (const each of environments ?? []) yield* environmentRow(project, each);
  const row = yield* first<{ id: number }>("SELECT id FROM users WHERE name = $user", { user });
  if (!row) throw noSuchUser(user);
  yield* insert(
    "members",
    { userId: row.id, projectId, source, role, environments: textOfEnvironments(environments) },
    "ON CONFLICT (user_id, project_id, source) DO UPDATE SET role = excluded.role, environments = excluded.environments",
  );
}

export function* deleteMember({ project, user, source }: Change<"deleteMember">): Work<void> {
  const { id: projectId } = yield* projectRow(project);
  yield* run(
    `DELETE FROM members WHERE project_id = $projectId AND user_id = (SELECT id FROM users WHERE name = $user)
     AND source = coalesce(CAST($source AS TEXT), source)`,
    { projectId, user, source },
  );
}

/** Takes an environment that is deleted from the members and invitations that are limited to it. */
export function* forgetEnvironment(projectId: number, slug: string): Work<void> {
  for (const { table, key } of [
    { table: "members", key: "user_id, source" },
    { table: "invitations", key: "id" },
  ] as const) {
    const sql = `SELECT ${key}, environments FROM ${table} WHERE project_id = $projectId AND environments IS NOT NULL`;
    const rows = yield* all<Record<string, string | number> & { environments: string }>(sql, { projectId });
    for (const { environments, ...of } of rows) {
      const left = (JSON.parse(environments) as string[]).filter((each) => each !== slug);
      const where = Object.keys(of).map((column) => `${column} = $${column}`);
      yield* run(
        `UPDATE ${table} SET environments = $left WHERE project_id = $projectId AND ${where.join(" AND ")}`,
        { projectId, ...of, left: JSON.stringify(left) },
      );
    }
  }
}

function* pageMembers(project: string, { limit, after = "" }: PageQuery): Work<Page<Member>> {
  const { id: projectId } = yield* projectRow(project);
  const [user = "", source = ""] = after.split("/");
  const rows = all<Row & { user: string }>(
    `SELECT u.name AS "user", m.source, m.role, m.environments FROM members m JOIN users u ON u.id = m.user_id
     WHERE m.project_id = $projectId AND (u.name > $user OR (u.name = $user AND m.source > $source))
     ORDER BY u.name, m.source LIMIT $limit`,
    { projectId, user, source, limit: limit + 1 },
  );
  return yield* pageOf(rows, limit, view);
}

function* findMember(project: string, user: string): Work<Member[]> {
  const { id: projectId } = yield* projectRow(project);
  const rows = yield* all<Row & { user: string }>(
    `SELECT u.name AS "user", m.source, m.role, m.environments FROM members m JOIN users u ON u.id = m.user_id
     WHERE m.project_id = $projectId AND u.name = $user ORDER BY m.source`,
    { projectId, user },
  );
  return rows.map(view);
}

export function* membershipsOf(user: string): Work<Membership[]> {
  const rows = yield* all<Row & { project: string }>(
    `SELECT p.slug AS project, m.source, m.role, m.environments
     FROM users u JOIN members m ON m.user_id = u.id JOIN projects p ON p.id = m.project_id
     WHERE u.name = $user ORDER BY p.slug, m.source`,
    { user },
  );
  return rows.map(view);
}

/** The row with its environments as a list. */
function view<R extends Row>({
  environments,
  ...rest
}: R): Omit<R, "environments"> & { environments: string[] | null } {
  return { ...rest, environments: environmentsIn(environments) };
}

export function environmentsIn(text: string | null): string[] | null {
  return text === null ? null : (JSON.parse(text) as string[]);
}

export function textOfEnvironments(environments: readonly string[] | null): string | null {
  return environments === null ? null : JSON.stringify(environments);
}

export const members = { reads: { page: pageMembers, find: findMember, ofUser: membershipsOf } };
