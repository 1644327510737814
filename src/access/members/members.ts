import { AppError } from "../../base/errors.ts";
import type { Page, PageQuery } from "../../base/pages.ts";
import type { SetResult } from "../../base/result.ts";
import type { Caller } from "../caller.ts";
import type { AccessChange } from "../change.ts";
import { change, type Plan } from "../door.ts";
import { hasScope, requireScope } from "../rights.ts";
import type { AccessApp } from "../store.ts";
import { noSuchUser } from "../user.ts";
import { LIMITED_ROLES, type Member, type MemberRole, noSuchMember } from "./member.ts";

/** The members of a project. Throws `forbidden`, `not_found`. */
export async function listMembers(
  app: AccessApp,
  caller: Caller,
  project: string,
  query: PageQuery,
): Promise<Page<Member>> {
  requireScope(caller, "admin", { project });
  return app.store.members.page(project, query);
}

/** A role as a caller names it: without environments, for all of them. */
export type GivenRole = { role: MemberRole["role"]; environments?: readonly string[] | null | undefined };

/**
 * Gives a user a role in a project, beside the roles that groups of an identity provider give. The admin of a project
 * changes its members, and only an admin of everything adds some. Throws `not_found` for the project, the user, who is not a
 * member, and an environment; `invalid`, `forbidden`.
 */
export async function setMember(
  app: AccessApp,
  caller: Caller,
  project: string,
  user: string,
  given: GivenRole,
): Promise<{ member: Member; result: SetResult }> {
  requireScope(caller, "admin", { project });
  const role = memberRole(given);
  return change(app, caller, async (): Promise<Plan<AccessChange, { member: Member; result: SetResult }>> => {
    const before = await app.store.members.find(project, user);
    if (before.length === 0) {
      if (!hasScope(caller, "admin")) throw noSuchMember(project, user);
      if (!(await app.store.users.find(user))) throw noSuchUser(user);
    }
    const member: Member = { user, ...role, source: "manual" };
    const manual = before.find(({ source }) => source === "manual");
    if (manual && Bun.deepEquals(manual, member))
      return { changes: [], result: { member, result: "unchanged" } };
    const result = { member, result: manual ? ("updated" as const) : ("created" as const) };
    return { changes: [{ change: "putMember", project, isNew: before.length === 0, ...member }], result };
  });
}

/** Ends every role of a user in a project. Throws `not_found`, `forbidden`. */
export async function removeMember(
  app: AccessApp,
  caller: Caller,
  project: string,
  user: string,
): Promise<void> {
  requireScope(caller, "admin", { project });
  return change(app, caller, async (): Promise<Plan<AccessChange, void>> => {
    if ((await app.store.members.find(project, user)).length === 0) throw noSuchMember(project, user);
    return { changes: [{ change: "deleteMember", project, user, source: null }], result: undefined };
  });
}

/** The role, with its environments in order. Throws `invalid` for environments that the role cannot be limited to. */
export function memberRole({ role, environments = null }: GivenRole): MemberRole {
  if (environments === null) return { role, environments };
  if (!LIMITED_ROLES.includes(role))
    throw new AppError("invalid", `the role ${role} cannot be limited to environments`, {
      hint: `these can: ${LIMITED_ROLES.join(", ")}`,
    });
  return { role, environments: [...new Set(environments)].toSorted() };
}
