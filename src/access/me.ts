import { isoTime } from "../base/clock.ts";
import type { Caller } from "./caller.ts";
import type { Role, UserRole } from "./role.ts";
import type { Scope } from "./scope.ts";

/** A project in which a caller has rights: by a role, or for a token, null. */
type Place = { slug: string; role: Role | null; environments: string[] | null };

/** A caller, as it sees itself. */
export type Self = {
  name: string;
  type: Caller["type"];
  role?: UserRole;
  scopes?: Scope[];
  /** Null for every project. */
  projects: Place[] | null;
  expiresAt: string | null;
};

/** The name and the rights of a caller. */
export function describeCaller({ name, type, role, memberships, grants, session, ...caller }: Caller): Self {
  const end = session?.expiresAt ?? null;
  const expiresAt = end === null ? (caller.expiresAt ?? null) : isoTime(end);
  const isEverywhere = grants.some(({ project }) => project === undefined);
  if (role !== undefined) {
    const places = (memberships ?? []).map(({ project: slug, ...member }) => ({
      slug,
      role: member.role,
      environments: member.environments,
    }));
    return { name, type, role, projects: isEverywhere ? null : places, expiresAt };
  }
  const places = grants.map(({ project = "", environments = null }): Place => ({
    slug: project,
    role: null,
    environments: environments && [...environments],
  }));
  const scopes = [...new Set(grants.flatMap((grant) => grant.scopes))];
  return { name, type, scopes, projects: isEverywhere ? null : places, expiresAt };
}
