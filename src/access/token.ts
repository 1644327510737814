import type * as z from "zod/mini";
import { AppError } from "../base/errors.ts";
import type { Random } from "../base/ids.ts";
import type { Reach } from "./place.ts";
import type { Role } from "./role.ts";
import { INCLUDES, type Scope } from "./scope.ts";
import type { createdTokenSchema, newTokenSchema, tokenSchema } from "./token-schema.ts";

/** The secret of a new token: `ff_` and 256 random bits as base64url. */
export function tokenSecret(random: Random): string {
  return `ff_${Buffer.from(random(32)).toString("base64url")}`;
}

export type Token = z.infer<typeof tokenSchema>;

/** The name of a token or a user, and what it allows. */
export type Rights = Pick<Token, "name" | "scopes" | "project" | "environment"> & {
  /** The role of a user; undefined for a token. */
  role?: Role | undefined;
};

export type CreatedToken = z.infer<typeof createdTokenSchema>;

export type NewToken = z.infer<typeof newTokenSchema>;

/**
 * Throws `forbidden` unless the token has a scope that is or includes `needed`, and is not limited to a place outside
 * `where`.
 */
export function requireScope(token: Rights, needed: Scope, where: Reach = {}): void {
  if (!holds(token, needed)) {
    const { name, role, scopes } = token;
    const holder = role === undefined ? `the token "${name}"` : `the user "${name}"`;
    const held = role === undefined ? "it holds" : `the role ${role} has`;
    throw new AppError("forbidden", `${holder} lacks the scope ${needed}`, {
      hint: `${held} ${scopes.join(", ")}`,
    });
  }
  if (isWithin(token, where)) return;
  const { project, environment } = token;
  const place =
    environment === undefined ? `project ${project}` : `environment ${environment} of project ${project}`;
  throw new AppError("forbidden", `the token "${token.name}" is limited to the ${place}`, {
    reason: "token-elsewhere",
  });
}

/** Whether {@link requireScope} lets the token pass. */
export function hasScope(token: Rights, needed: Scope, where: Reach = {}): boolean {
  return holds(token, needed) && isWithin(token, where);
}

function holds({ scopes }: Rights, needed: Scope): boolean {
  return scopes.some((held) => held === needed || INCLUDES[held].includes(needed));
}

function isWithin({ project, environment }: Rights, where: Reach): boolean {
  return (
    (project === undefined || project === where.project) &&
    (environment === undefined || environment === where.environment)
  );
}

export function noSuchToken(name: string): AppError {
  return new AppError("not_found", `token "${name}" does not exist`, {
    reason: "token-not-found",
  });
}
