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

/** A role is a preset of scopes: users have no rights that a token could not have. */
export const SCOPES_OF: Record<UserRole, readonly Scope[]> = {
  none: [],
  viewer: ["read"],
  inbox: ["forms:write"],
  editor: ["forms:write", "flags:write"],
  releaser: ["forms:write", "flags:write", "flags:locked"],
  admin: ["admin"],
};
