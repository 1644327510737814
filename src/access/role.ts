import type { Scope } from "./scope.ts";

/** Roles of users, the least powerful first. */
export const ROLES = ["viewer", "inbox", "editor", "releaser", "admin"] as const;

export type Role = (typeof ROLES)[number];

/** A role is a preset of scopes: users have no rights that a token could not have. */
export const SCOPES_OF: Record<Role, readonly Scope[]> = {
  viewer: ["read"],
  inbox: ["forms:write"],
  editor: ["forms:write", "flags:write"],
  releaser: ["forms:write", "flags:write", "flags:locked"],
  admin: ["admin"],
};
