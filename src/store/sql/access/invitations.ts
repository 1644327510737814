import type { AccessChange } from "../../../access/change.ts";
import type { Invitation, Maker } from "../../../access/members/invitation.ts";
import type { Page, PageQuery } from "../../../base/pages.ts";
import { pageOf } from "../pages.ts";
import { environmentRow, projectRow } from "../rows.ts";
import { SKIP_LOCKED, type Work, all, fieldsOf, first, insert, only, run } from "../work.ts";
import { environmentsIn, textOfEnvironments } from "./members.ts";

type Row = Omit<Invitation, "environments" | "maker"> & {
  environments: string | null;
  user: string | null;
  token: string | null;
  tokenProject: string | null;
};

type Change<K> = AccessChange & { change: K };

const SELECT = `
  SELECT i.id, p.slug AS project, i.role, i.environments, u.name AS "user", t.name AS token,
         tp.slug AS "tokenProject", ${fieldsOf("i", "createdAt expiresAt")}
  FROM invitations i JOIN projects p ON p.id = i.project_id
  LEFT JOIN users u ON u.id = i.user_id
  LEFT JOIN tokens t ON t.id = i.token_id LEFT JOIN projects tp ON tp.id = t.project_id`;

/** Throws `not_found` for the project and the environments. */
export function* insertInvitation({ invitation, hash }: Change<"insertInvitation">): Work<void> {
  const { id, project, role, environments, maker, createdAt, expiresAt } = invitation;
  const { id: projectId } = yield* projectRow(project);
  for (const each of environments ?? []) yield* environmentRow(project, each);
  const { user, token } = yield* makerIds(maker);
  const own = { hash: Buffer.from(hash, "hex"), id, projectId, role, userId: user, tokenId: token };
  yield* insert("invitations", {
    ...own,
    environments: textOfEnvironments(environments),
    createdAt,
    expiresAt,
  });
}

/** The id of the user or of the token that makes an invitation. */
function* makerIds(maker: Maker): Work<{ user: number | null; token: number | null }> {
  if (maker.type === "operator") return { user: null, token: null };
  const { name } = maker;
  if (maker.type === "user") {
    const { id } = yield* only<{ id: number }>("SELECT id FROM users WHERE name = $name", { name });
    return { user: id, token: null };
  }
  const { id } = yield* only<{ id: number }>(
    `SELECT t.id FROM tokens t LEFT JOIN projects p ON p.id = t.project_id
     WHERE t.name = $name AND coalesce(p.slug, '') = $project`,
    { name, project: maker.project ?? "" },
  );
  return { user: null, token: id };
}

export function* deleteInvitation({ id }: Change<"deleteInvitation">): Work<void> {
  yield* run("DELETE FROM invitations WHERE id = $id", { id });
}

function* pageInvitations(project: string, { limit, after = "" }: PageQuery): Work<Page<Invitation>> {
  const { id: projectId } = yield* projectRow(project);
  const rows = all<Row>(
    `${SELECT} WHERE i.project_id = $projectId AND i.id > $after ORDER BY i.id LIMIT $limit`,
    {
      projectId,
      after,
      limit: limit + 1,
    },
  );
  return yield* pageOf(rows, limit, view);
}

function* findInvitation(hash: string): Work<Invitation | undefined> {
  const row = yield* first<Row>(`${SELECT} WHERE i.hash = $hash`, { hash: Buffer.from(hash, "hex") });
  return row && view(row);
}

function* findInvitationById(project: string, id: string): Work<Invitation | undefined> {
  const row = yield* first<Row>(`${SELECT} WHERE i.id = $id AND p.slug = $project`, { id, project });
  return row && view(row);
}

function* clearExpired(now: number, limit: number): Work<boolean> {
  const sql = `DELETE FROM invitations WHERE hash IN
    (SELECT hash FROM invitations WHERE expires_at <= $now LIMIT $limit ${SKIP_LOCKED})`;
  return (yield* run(sql, { now, limit })) >= limit;
}

function view(row: Row): Invitation {
  const { id, project, role, environments, createdAt, expiresAt } = row;
  return {
    id,
    project,
    role,
    environments: environmentsIn(environments),
    maker: makerOf(row),
    createdAt,
    expiresAt,
  };
}

function makerOf({ user, token, tokenProject: project }: Row): Maker {
  if (user !== null) return { type: "user", name: user };
  return token === null ? { type: "operator" } : { type: "token", name: token, project };
}

export const invitations = {
  reads: { page: pageInvitations, find: findInvitation, findById: findInvitationById },
  writes: { clearExpired },
};
