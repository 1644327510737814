import { AppError } from "../base/errors.ts";
import { noSuchProject, type Reach } from "./place.ts";
import type { UserRole } from "./role.ts";
import { INCLUDES, type Scope } from "./scope.ts";

/** Scopes in a place: in everything, in a project, or in some environments of it. */
export type Grant = {
  scopes: readonly Scope[];
  project?: string | undefined;
  environments?: readonly string[] | undefined;
};

/** The name of a caller, and what it may do: a list of grants, any one of which is enough. */
export type Rights = {
  name: string;
  /** A user who is signed in, a token, or the operator of the machine that holds the data. */
  type: "user" | "token" | "operator";
  grants: readonly Grant[];
  /** The role of a user in every project; undefined for other callers. */
  role?: UserRole | undefined;
  /** The name of the assistant's client that acts for a user, such as `Claude`; undefined for a caller that acts by itself. */
  via?: string | undefined;
};

/**
 * Throws unless the caller has a scope that is or includes `needed` in all of `reach`: `forbidden`, or for a user, in a
 * project that the user does not see, `not_found` as for a project that does not exist.
 */
export function requireScope(caller: Rights, needed: Scope, reach: Reach = {}): void {
  if (!hasScope(caller, needed, reach)) throw refusalOf(caller, needed, reach);
}

/** Whether {@link requireScope} lets the caller pass. */
export function hasScope({ grants }: Rights, needed: Scope, reach: Reach = {}): boolean {
  // A member of many projects has as many grants, most of them elsewhere.
  return grants.some((grant) => covers(grant, reach) && holds(grant, needed));
}

/** As {@link requireScope}, for a project in any of whose environments the scope is enough. */
export function requireScopeWithin(caller: Rights, needed: Scope, project: string): void {
  if (projectsWith(caller, needed)?.includes(project) === false) throw refusalOf(caller, needed, { project });
}

/** Throws `forbidden` unless the caller has the scope anywhere: in everything, a project, or an environment. */
export function requireScopeSomewhere(caller: Rights, needed: Scope): void {
  if (!hasScopeSomewhere(caller, needed)) throw refusalOf(caller, needed, {});
}

/**
 * As {@link requireScopeSomewhere}, for what is looked up by its name among what the caller sees: a user who sees nothing
 * passes, since the lookup answers `not_found`, whether the name exists or not.
 */
export function requireScopeForNamed(caller: Rights, needed: Scope): void {
  if (!seesNothing(caller)) requireScopeSomewhere(caller, needed);
}

/** The check of a route: {@link requireScopeForNamed} if its address has names, else {@link requireScopeSomewhere}. */
export function requireScopeAt(caller: Rights, needed: Scope, names: object): void {
  const check = Object.keys(names).length > 0 ? requireScopeForNamed : requireScopeSomewhere;
  check(caller, needed);
}

/** Whether a caller is a user to whom nothing was given yet. */
function seesNothing({ type, grants }: Rights): boolean {
  return type === "user" && grants.every(({ scopes }) => scopes.length === 0);
}

/** Whether {@link requireScopeSomewhere} lets the caller pass. */
export function hasScopeSomewhere({ grants }: Rights, needed: Scope): boolean {
  return grants.some((grant) => holds(grant, needed));
}

/** The slugs of the projects in all of whose environments the caller has the scope, in no order; null for every project. */
export function visibleProjects({ grants }: Rights, needed: Scope): readonly string[] | null {
  const covering = grants.filter((grant) => holds(grant, needed) && grant.environments === undefined);
  if (covering.some(({ project }) => project === undefined)) return null;
  return [...new Set(covering.map(({ project }) => project!))];
}

/** As {@link visibleProjects}, with the projects in only some of whose environments the caller has the scope. */
export function projectsWith({ grants }: Rights, needed: Scope): readonly string[] | null {
  const holding = grants.filter((grant) => holds(grant, needed));
  if (holding.some(({ project }) => project === undefined)) return null;
  return [...new Set(holding.map(({ project }) => project!))];
}

/** Whether the caller has any right in a project, so that it may know of it. */
function seesProject({ grants }: Rights, slug: string): boolean {
  return grants.some(({ scopes, project }) => scopes.length > 0 && (project ?? slug) === slug);
}

function holds(grant: Grant, needed: Scope): boolean {
  return has(grant, needed) || (needed === "read" && INCLUDES.read.every((each) => has(grant, each)));
}

function has({ scopes }: Grant, wanted: Scope): boolean {
  return scopes.some((held) => held === wanted || INCLUDES[held].includes(wanted));
}

function covers({ project, environments }: Grant, reach: Reach): boolean {
  return (
    (project === undefined || project === reach.project) &&
    (environments === undefined ||
      (reach.environment !== undefined && environments.includes(reach.environment)))
  );
}

function refusalOf(caller: Rights, needed: Scope, reach: Reach): AppError {
  const { name, type, role, via, grants } = caller;
  const { project } = reach;
  if (type === "user" && project !== undefined && !seesProject(caller, project))
    return noSuchProject(project);
  // The user of an assistant may do more than it.
  const holder = via === undefined ? `the ${type} "${name}"` : `"${name} via ${via}"`;
  if (seesNothing(caller))
    return new AppError("forbidden", `${holder} has no project yet`, {
      reason: "no-project",
      hint: "an administrator, or the admin of a project, adds members",
    });
  // A token keeps one answer for every other project, whether it exists or not.
  const here = grants.filter((grant) => type === "token" || (grant.project ?? project) === project);
  const limited = here.find((grant) => holds(grant, needed));
  if (limited === undefined) {
    const held = [...new Set(here.flatMap(({ scopes }) => scopes))].join(", ") || "none";
    const isRole = role !== undefined && here.every((grant) => grant.project === undefined);
    const [only, ...others] = new Set(here.map((grant) => grant.project));
    const where = only === undefined || others.length > 0 ? "" : ` in project ${only}`;
    return new AppError("forbidden", `${holder} lacks the scope ${needed}`, {
      hint: isRole ? `the role ${role} has ${held}` : `it holds ${held}${where}`,
    });
  }
  const environments = limited.environments ?? [];
  const places = environments.length === 1 ? "environment" : "environments";
  const place =
    limited.environments === undefined
      ? `project ${limited.project}`
      : `${places} ${environments.join(", ")} of project ${limited.project}`;
  return new AppError("forbidden", `${holder} is limited to the ${place}`, {
    reason: type === "token" ? "token-elsewhere" : "environment-elsewhere",
  });
}
