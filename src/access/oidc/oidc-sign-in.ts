import { AppError, isFound } from "../../base/errors.ts";
import { sha256 } from "../../base/sum.ts";
import { recordFailure } from "../audit/audit.ts";
import type { Caller } from "../caller.ts";
import type { AccessChange } from "../change.ts";
import { change, type Plan } from "../door.ts";
import { noteSignIn } from "../passwords.ts";
import type { Role } from "../role.ts";
import { type SignedIn, newSession } from "../sign-in.ts";
import type { Browser } from "../session.ts";
import type { AccessApp } from "../store.ts";
import { planUser } from "../users.ts";
import { type GroupRoles, exactName, newName, requireClaims, rolesOf } from "./claims.ts";
import type { Identity } from "./identity-store.ts";
import type { Identified } from "./provider.ts";
import type { OidcRules } from "./settings.ts";

/**
 * Signs in a person by their account at a provider, with the roles that its groups give. Throws `forbidden`, with nothing
 * changed, for an account that no user has, unless the rules let it have one.
 */
export async function signInByOidc(
  app: AccessApp,
  rules: OidcRules,
  { issuer, subject, sid, claims }: Identified,
  browser: Browser,
): Promise<SignedIn & { secret: string }> {
  const identity = { issuer, subject };
  const roles = rolesOf(rules, claims);
  const name = await changeByProvider(app, rules, browser.address, async ({ at }) => {
    requireClaims(rules, claims);
    const known = await app.store.identities.find(identity);
    const { changes: before, user } =
      known === undefined
        ? await planFirst(app, rules, { identity, claims, at })
        : { changes: [], user: known };
    return { changes: [...before, ...(await planRoles(app, user, roles))], result: user };
  }).catch(async (error: unknown) => {
    if (error instanceof AppError && error.code === "forbidden") {
      const who = (await app.store.identities.find(identity)) ?? null;
      const details = { method: "oidc", reason: error.reason, subject };
      await recordFailure(app, { who, address: browser.address, details });
    }
    throw error;
  });
  const expiresAt = app.now() + rules.sessionSeconds * 1000;
  const { secret, stored } = newSession(app, name, "oidc", browser, expiresAt);
  const sidHash = sid === null ? null : hashOfSid(issuer, sid);
  const user = await app.store.sessions.insert({ ...stored, sid: sidHash }, null);
  if (!user) throw noUser(rules);
  noteSignIn(app, name, browser.network);
  const memberships = await app.store.members.ofUser(name);
  return { user, memberships, session: stored.session, secret };
}

/**
 * Connects the caller's own user with an account at a provider, which then signs in that user. Throws `forbidden`, with
 * nothing changed, if another user has the account, or the user another one.
 */
export async function connectIdentity(
  app: AccessApp,
  rules: OidcRules,
  caller: Caller,
  { issuer, subject, claims }: Identified,
): Promise<void> {
  requireClaims(rules, claims);
  const identity = { issuer, subject };
  const { name: user } = caller;
  await change(app, caller, async ({ at }): Promise<Plan<AccessChange, void>> => {
    const owner = await app.store.identities.find(identity);
    if (owner === user) return { changes: [], result: undefined };
    if (owner !== undefined)
      throw new AppError("forbidden", `this account at ${rules.name} is that of another user`, {
        reason: "identity-taken",
      });
    if (await app.store.identities.ofUser(user)) throw hasOther(rules);
    return { changes: [{ change: "putIdentity", user, ...identity, at }], result: undefined };
  });
}

/** Takes the account at a provider from the caller's own user. */
export async function disconnectIdentity(app: AccessApp, caller: Caller): Promise<void> {
  await change(app, caller, async (): Promise<Plan<AccessChange, void>> => {
    const known = await app.store.identities.ofUser(caller.name);
    return { changes: known ? [{ change: "deleteIdentity", user: caller.name }] : [], result: undefined };
  });
}

/** The hash under which a session of a provider is stored. */
export function hashOfSid(issuer: string, sid: string): string {
  return sha256(JSON.stringify([issuer, sid]));
}

/** Changes the setup in the name of a provider. */
function changeByProvider(
  app: AccessApp,
  { name }: OidcRules,
  address: string,
  plan: (moment: { at: number }) => Promise<Plan<AccessChange, string>>,
): Promise<string> {
  return change(app, { name, type: "system", address, verify: async () => {} }, plan);
}

type First = { identity: Identity; claims: Identified["claims"]; at: number };

/** The changes for an account that no user has yet: a user takes it, or is created for it. Throws `forbidden`. */
async function planFirst(
  app: AccessApp,
  rules: OidcRules,
  { identity, claims, at }: First,
): Promise<{ changes: AccessChange[]; user: string }> {
  const connect = (user: string): AccessChange => ({ change: "putIdentity", user, ...identity, at });
  const trusted = rules.trustsNames ? exactName(rules, claims) : null;
  if (trusted !== null && (await app.store.users.find(trusted))) {
    if (await app.store.identities.ofUser(trusted)) throw hasOther(rules);
    return { changes: [connect(trusted)], user: trusted };
  }
  if (rules.createAs === null) throw noUser(rules);
  const name = newName(rules, claims);
  const { changes } = await planUser(app, { name, role: rules.createAs }, at).catch((error: unknown) => {
    if (!(error instanceof AppError) || error.code !== "conflict") throw error;
    throw new AppError("forbidden", `the name ${name}, which ${rules.name} gives you, is taken here`, {
      reason: "name-taken",
      hint: `if ${name} is you, ask an administrator for a sign-in link (formflag users link ${name}), open it, and press Connect on the page You; else ask for another name there`,
    });
  });
  return { changes: [...changes, connect(name)], user: name };
}

/** The changes that give a user the roles of groups, and take those of groups that are gone. Roles by hand stay. */
async function planRoles(app: AccessApp, user: string, roles: GroupRoles): Promise<AccessChange[]> {
  const { store } = app;
  const { byHand, byGroups } = await store.users.roles(user);
  const changes: AccessChange[] = [];
  const isLast = byGroups === "admin" && byHand !== "admin" && (await store.users.admins(2)).length === 1;
  // The last admin stays one: there would be no user who makes another.
  if (byGroups !== roles.role && !isLast) changes.push({ change: "setGroupRole", user, role: roles.role });
  const before = new Map<string, Role>();
  for (const { project, role, source } of await store.members.ofUser(user))
    if (source === "oidc") before.set(project, role);
  for (const [project, role] of roles.projects) {
    if (before.get(project) === role || !(await isProject(app, project, user))) continue;
    const isNew = !before.has(project);
    changes.push({ change: "putMember", project, user, source: "oidc", isNew, role, environments: null });
  }
  for (const project of before.keys())
    if (!roles.projects.has(project)) changes.push({ change: "deleteMember", project, user, source: "oidc" });
  return changes;
}

/** Whether a project exists: a setting may name one that was not created yet. */
function isProject({ store }: AccessApp, project: string, user: string): Promise<boolean> {
  return isFound(store.members.find(project, user));
}

function noUser({ name }: OidcRules): AppError {
  return new AppError("forbidden", `no user here has your account at ${name}`, {
    reason: "identity-unknown",
    hint: "sign in another way and connect it on the page of your account, or ask an administrator",
  });
}

function hasOther({ name }: OidcRules): AppError {
  return new AppError("forbidden", `the user has another account at ${name} already`, {
    reason: "identity-other",
  });
}
