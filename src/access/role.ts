import type { Scope } from "./scope.ts";

/** Roles of users, the least powerful first. */
export const ROLES = ["viewer", "inbox", "editor", "releaser", "admin"] as const;

export type Role = (typeof ROLES)[number];

/** Roles that a user has in every project: `none` is for those who are members of some alone. */
export const USER_ROLES = [...ROLES, "none"] as const;

export type UserRole = (typeof USER_ROLES)[number];

/** The stronger of two roles; null for none. */
export function strongerRole(one: Role | null, other: Role | null): Role | null {
  return ROLES.indexOf(one as Role) < ROLES.indexOf(other as Role) ? other : one;
}

/** The rights of each role in words. */
export const ROLE_WORDS: Record<UserRole, string> = {
  none: "nothing, except in projects of which they are a member",
  viewer: "reads everything",
  inbox: "works with forms and submissions, and reads nothing else",
  editor: "works with forms and flags",
  releaser: "works with forms and flags, also in locked environments",
  admin: "does everything, and manages access",
};

/** The kind of a field that holds one of some roles. */
export function roleKind<R extends UserRole>(among: readonly R[]) {
  const labels = Object.fromEntries(among.map((role) => [role, `${role}: ${ROLE_WORDS[role]}`]));
  return { is: "choice", among, error: `one of ${among.join(", ")}`, labels } as const;
}

/** A role is a preset of scopes: users have no rights that a token could not have. */
export const SCOPES_OF: Record<UserRole, readonly Scope[]> = {
  none: [],
  viewer: ["read"],
  inbox: ["forms:write"],
  editor: ["forms:write", "flags:write"],
  releaser: ["forms:write", "flags:write", "flags:locked"],
  admin: ["admin"],
};
