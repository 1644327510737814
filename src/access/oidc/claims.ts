import { AppError } from "../../base/errors.ts";
import { isObject } from "../../base/json.ts";
import { withoutAccents } from "../../base/normalize.ts";
import { findSlugFault } from "../../base/slug.ts";
import { type Role, strongerRole } from "../role.ts";
import type { OidcRules } from "./settings.ts";

type Claims = Readonly<Record<string, unknown>>;

/** A claim by its name, or by a path such as `realm_access.roles` in claims that are objects; undefined for none. */
function claimAt(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let value: unknown = claims;
  for (const part of name.split(".")) {
    if (!isObject(value) || !Object.hasOwn(value, part)) return undefined;
    value = value[part];
  }
  return value;
}

/** The texts of a claim that is a list. One text is a list of one, and any other type is none. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}

/** Throws `forbidden` if a claim is missing that must be there. */
export function requireClaims(
  { required, name }: Pick<OidcRules, "required" | "name">,
  claims: Claims,
): void {
  const missing = required.find(({ claim, value }) => {
    const given = claimAt(claims, claim);
    const isSwitch = typeof given === "boolean" || typeof given === "number";
    return !(isSwitch ? [String(given)] : textsIn(given)).includes(value);
  });
  if (missing === undefined) return;
  throw new AppError(
    "forbidden",
    `only people with ${missing.claim} ${missing.value} at ${name} may sign in here`,
    {
      reason: "claim-missing",
    },
  );
}

/** The name of a person at the provider as it is, or null. */
export function exactName({ userClaim }: Pick<OidcRules, "userClaim">, claims: Claims): string | null {
  const given = claimAt(claims, userClaim);
  return typeof given === "string" && given !== "" ? given : null;
}

/** The name of a new user: the claim, or else the mail address before its @, as a slug. Throws `forbidden` for none. */
export function newName(rules: Pick<OidcRules, "userClaim" | "name">, claims: Claims): string {
  const email = claimAt(claims, "email");
  const given = exactName(rules, claims) ?? (typeof email === "string" ? email.split("@")[0]! : "");
  const name = slugOf(given);
  if (name !== "" && findSlugFault("user", name) === undefined) return name;
  throw new AppError("forbidden", `${rules.name} gives no name for you that a user here can have`, {
    reason: "name-missing",
  });
}

/** A text as a slug: without accents, and a dash for each run of other characters. */
function slugOf(text: string): string {
  return withoutAccents(text.slice(0, 300))
    .replaceAll(/[^A-Za-z0-9._-]+/g, "-")
    .replaceAll(/^[._-]+|[-]+$/g, "")
    .slice(0, 150);
}

/** The roles that the groups of a person give: in every project, and by project. The strongest of several counts. */
export type GroupRoles = { role: Role | null; projects: Map<string, Role> };

export function rolesOf(
  { groupsClaim, map }: Pick<OidcRules, "groupsClaim" | "map">,
  claims: Claims,
): GroupRoles {
  const groups = new Set(textsIn(claimAt(claims, groupsClaim)));
  const roles: GroupRoles = { role: null, projects: new Map() };
  for (const { group, project, role } of map) {
    if (!groups.has(group)) continue;
    if (project === null) roles.role = strongerRole(roles.role, role);
    else roles.projects.set(project, strongerRole(roles.projects.get(project) ?? null, role)!);
  }
  return roles;
}
