import { AppError } from "../../base/errors.ts";
import type { Grant } from "../rights.ts";
import { type Role, SCOPES_OF, type UserRole } from "../role.ts";
import { PLACED_SCOPES } from "../scope.ts";

/** The origins of a role in a project: people, or a group of an identity provider. */
export const MEMBER_SOURCES = ["manual", "oidc"] as const;

export type MemberSource = (typeof MEMBER_SOURCES)[number];

/** A role in a project. */
export type MemberRole = {
  role: Role;
  /** The environments whose flags alone the role may change, by slug; null for all. */
  environments: string[] | null;
};

/** A role of a user in a project. */
export type Membership = MemberRole & { project: string; source: MemberSource };

/** A user with a role in a project. Who has roles from several sources is several members. */
export type Member = MemberRole & { user: string; source: MemberSource };

/** Roles that change flags, and may be limited to environments. */
export const LIMITED_ROLES: readonly Role[] = ["editor", "releaser"];

/** The rights of a user: those of a role in every project, and those of memberships. The strongest counts. */
export function grantsOf(role: UserRole, memberships: readonly Membership[]): Grant[] {
  return [...(role === "none" ? [] : [{ scopes: SCOPES_OF[role] }]), ...memberships.flatMap(grantsOfMember)];
}

/** Limited to environments, a member changes their flags, and reads the rest of the project. */
function grantsOfMember({ project, role, environments }: Membership): Grant[] {
  const scopes = SCOPES_OF[role];
  if (environments === null) return [{ scopes, project }];
  const changes = scopes.filter((scope) => PLACED_SCOPES.includes(scope));
  return [
    { scopes: changes, project, environments },
    { scopes: ["read"], project },
  ];
}

export function noSuchMember(project: string, user: string): AppError {
  return new AppError("not_found", `user "${user}" is not a member of project "${project}"`, {
    reason: "member-not-found",
  });
}
