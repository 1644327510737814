import { isoTime } from "../../base/clock.ts";
import { AppError } from "../../base/errors.ts";
import { type Grant, hasScopeSomewhere } from "../rights.ts";
import { INCLUDES, PLACED_SCOPES, SCOPES, type Scope } from "../scope.ts";

/** The scopes that a person can give an assistant. `admin` is never among them. */
export const GRANT_SCOPES = [
  "read",
  "flags:read",
  "forms:read",
  "flags:write",
  "flags:locked",
  "forms:write",
] as const satisfies readonly Scope[];

export type GrantScope = (typeof GRANT_SCOPES)[number];

/** The rights that a person chose for an assistant: in a project or with null in all, and in an environment or all of it. */
export type GrantPlace = {
  scopes: readonly GrantScope[];
  project: string | null;
  environment: string | null;
};

/** An assistant that a person has signed in. Times are milliseconds since 1970. */
export type OAuthGrant = GrantPlace & {
  /** Public identifier in lists: a dashed key. */
  id: string;
  user: string;
  /** The client's id: the address of its document, or what its registration returned. */
  client: string;
  /** The name that the client gives itself. */
  clientName: string;
  /** The address to which the person was sent back. */
  redirect: string;
  /** The address that its tokens are for. */
  resource: string;
  createdAt: number;
  /** To about ten minutes. */
  usedAt: number;
  /** When it ends, unless it is used before. */
  expiresAt: number;
};

/** Before the secret of an access token, and of a refresh token. */
export const ACCESS_PREFIX = "ffa_";
export const REFRESH_PREFIX = "ffr_";

/** The lesser of the rights that a person chose and the rights of the person. */
export function grantsWithin({ scopes, project, environment }: GrantPlace, own: readonly Grant[]): Grant[] {
  const given = SCOPES.filter((each) => scopes.some((scope) => includes(scope, each)));
  const asked = environment === null ? given : given.filter((each) => PLACED_SCOPES.includes(each));
  return own.flatMap((each): Grant[] => {
    const isElsewhere =
      (project !== null && each.project !== undefined && each.project !== project) ||
      (environment !== null && each.environments !== undefined && !each.environments.includes(environment));
    const held = isElsewhere ? [] : asked.filter((scope) => hasScopeSomewhere(rightsOf(each), scope));
    const least = held.filter((scope) => !held.some((other) => other !== scope && includes(other, scope)));
    if (least.length === 0) return [];
    const environments = environment === null ? each.environments : [environment];
    return [{ scopes: least, project: project ?? each.project, environments }];
  });
}

/** The scopes among those to choose from that grants hold anywhere. */
export function scopesWithin(own: readonly Grant[]): GrantScope[] {
  return GRANT_SCOPES.filter((scope) => own.some((each) => hasScopeSomewhere(rightsOf(each), scope)));
}

function includes(scope: Scope, other: Scope): boolean {
  return scope === other || INCLUDES[scope].includes(other);
}

function rightsOf({ scopes }: Grant) {
  return { name: "", type: "user", grants: [{ scopes }] } as const;
}

/** A grant as the admin API shows it. */
export function viewGrant({
  id,
  user,
  client,
  clientName,
  scopes,
  project,
  environment,
  ...grant
}: OAuthGrant) {
  return {
    id,
    user,
    name: clientName,
    client,
    scopes: [...scopes],
    project,
    environment,
    createdAt: isoTime(grant.createdAt),
    usedAt: isoTime(grant.usedAt),
    expiresAt: isoTime(grant.expiresAt),
  };
}

export function noSuchGrant(id: string): AppError {
  return new AppError("not_found", `grant "${id}" does not exist`, { reason: "grant-not-found" });
}
