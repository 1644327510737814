import { AppError } from "../base/errors.ts";
import { isoTime } from "../base/clock.ts";
import type { SetResult } from "../base/result.ts";
import { findSlugFault } from "../base/slug.ts";
import { sha256 } from "../base/sum.ts";
import { type Caller, authorOf, isSelf } from "./caller.ts";
import type { AccessChange } from "./change.ts";
import { change, type Plan } from "./door.ts";
import { LINK_MINUTES } from "./limits.ts";
import { checkNewPassword } from "./password.ts";
import { hashPassword, verifyPassword } from "./passwords.ts";
import { type Role, type UserRole, strongerRole } from "./role.ts";
import { beganByLink, signInSecret } from "./session.ts";
import type { AccessApp } from "./store.ts";
import { requireScope } from "./rights.ts";
import { areUserSettings, DEFAULT_SETTINGS, noSuchUser, type User, type UserSettings } from "./user.ts";

const MINUTE = 60_000;

/** The name of the first user, if none is given. */
const FIRST_USER = "admin";

type NewUser = { name: string; role: UserRole };

/** Creates a user. Throws `invalid` for the name, `conflict` for that of another user or a token, `forbidden`. */
export async function createUser(app: AccessApp, caller: Caller, user: NewUser): Promise<User> {
  requireScope(caller, "admin");
  return change(app, caller, ({ at }) => planUser(app, user, at));
}

/** Creates a user that a trusted proxy names, unless there is one. Throws as `createUser`. */
export async function ensureUser(app: AccessApp, name: string, role: Role): Promise<void> {
  const byProxy = { name, type: "system" as const, verify: async () => {} };
  await change(app, byProxy, async ({ at }): Promise<Plan<AccessChange, User>> => {
    const known = await app.store.users.find(name);
    return known ? { changes: [], result: known } : planUser(app, { name, role }, at);
  });
}

/** The change that creates a user. Throws `invalid` for the name, `conflict` for that of another user or a token. */
export async function planUser(
  { store }: AccessApp,
  { name, role }: NewUser,
  at: number,
): Promise<Plan<AccessChange, User>> {
  const fault = findSlugFault("user", name);
  if (fault !== undefined) throw new AppError("invalid", fault);
  if (await store.users.find(name))
    throw new AppError("conflict", `user "${name}" already exists`, { reason: "user-exists" });
  if ((await store.tokens.named(name)).some(({ project }) => project === undefined))
    throw new AppError("conflict", `the name "${name}" is that of a token`, { reason: "name-taken" });
  const user: User = {
    name,
    role,
    hasPassword: false,
    secondFactors: [],
    settings: DEFAULT_SETTINGS,
    createdAt: isoTime(at),
  };
  return { changes: [{ change: "insertUser", user }], result: user };
}

/** Gives a user a role. Throws `conflict` for the last admin, `not_found`, `forbidden`. */
export async function setRole(
  app: AccessApp,
  caller: Caller,
  name: string,
  role: UserRole,
): Promise<{ user: User; result: SetResult }> {
  requireScope(caller, "admin");
  return change(app, caller, async (): Promise<Plan<AccessChange, { user: User; result: SetResult }>> => {
    const user = await findUser(app, name);
    const { byHand, byGroups } = await app.store.users.roles(name);
    if (byHand === role) return { changes: [], result: { user, result: "unchanged" } };
    // A role that groups give stays, and counts if it is the stronger one.
    const next: UserRole = strongerRole(role === "none" ? null : role, byGroups) ?? "none";
    if (next !== "admin") await requireOtherAdmin(app, user);
    const result = { user: { ...user, role: next }, result: "updated" as const };
    return { changes: [{ change: "updateUser", name, role }], result };
  });
}

/** Deletes a user with every session and link. Throws `conflict` for the last admin, `not_found`, `forbidden`. */
export async function deleteUser(app: AccessApp, caller: Caller, name: string): Promise<void> {
  requireScope(caller, "admin");
  return change(app, caller, async (): Promise<Plan<AccessChange, void>> => {
    await requireOtherAdmin(app, await findUser(app, name));
    return { changes: [{ change: "deleteUser", name }], result: undefined };
  });
}

/** Throws `conflict` if a user is the only admin. */
async function requireOtherAdmin({ store }: AccessApp, { name, role }: User): Promise<void> {
  if (role !== "admin" || (await store.users.admins(2)).length > 1) return;
  throw new AppError("conflict", `"${name}" is the last admin: make another user an admin first`, {
    reason: "last-admin",
  });
}

/**
 * Creates a link that signs a user in once, within 15 minutes. Without any user it creates the first one, an admin. Without
 * a name it is for the only admin. Throws `invalid` for none or several, `not_found`, `conflict` as `createUser`,
 * `forbidden`.
 */
export async function createLink(
  app: AccessApp,
  caller: Caller,
  given?: string,
): Promise<{ name: string; secret: string; expiresAt: string; isFirst: boolean }> {
  requireScope(caller, "admin");
  type Linked = { name: string; isFirst: boolean };
  const { name, isFirst } = await change(app, caller, async ({ at }): Promise<Plan<AccessChange, Linked>> => {
    const [someone] = (await app.store.users.page({ limit: 1 })).items;
    if (someone) {
      const { name } = await findUser(app, given ?? (await onlyAdmin(app)));
      return { changes: [], result: { name, isFirst: false } };
    }
    const { changes, result } = await planUser(app, { name: given ?? FIRST_USER, role: "admin" }, at);
    return { changes, result: { name: result.name, isFirst: true } };
  });
  const secret = signInSecret(app.random);
  const expiresAt = app.now() + LINK_MINUTES * MINUTE;
  const link = { user: name, hash: sha256(secret), expiresAt };
  if (!(await app.store.sessions.insertLink(link, authorOf(caller, app.now())))) throw noSuchUser(name);
  return { name, secret, expiresAt: isoTime(expiresAt), isFirst };
}

async function onlyAdmin({ store }: AccessApp): Promise<string> {
  const [admin, other] = await store.users.admins(2);
  if (admin !== undefined && other === undefined) return admin;
  const admins = admin === undefined ? "there is no admin" : "there are several admins";
  throw new AppError("invalid", `${admins}: name the user that the link is for`, { reason: "link-unnamed" });
}

/**
 * Sets the password of the caller's own user and ends every other session: all but `keep`, the id of the session that it
 * is set in. The `current` password is needed if there is one, unless that session began by a link within the last 15
 * minutes. Throws `invalid` with the reasons `password-short`, `password-long` and `password-wrong`, `rate_limited`,
 * `conflict` if the password was changed meanwhile, `forbidden`.
 */
export async function setPassword(
  app: AccessApp,
  caller: Caller,
  user: string,
  { current, next }: { current: string | null; next: string },
  keep: string | null,
): Promise<void> {
  requireSelf(caller, user);
  const password = checkNewPassword(next);
  const before = await app.store.users.password(user);
  const session = keep === null ? undefined : await app.store.sessions.findById(keep);
  const isByLink = session?.user === user && beganByLink(session, app.now());
  // Counted for itself, so that guesses in an open session do not keep its user from signing in elsewhere.
  const from = `session ${keep}`;
  if (before !== null && !isByLink) {
    const isRight = current !== null && (await verifyPassword(app, user, current, from)) === before;
    if (!isRight)
      throw new AppError("invalid", "the current password is wrong", { reason: "password-wrong" });
  }
  const hash = await hashPassword(app, password, from);
  return change(app, caller, async (): Promise<Plan<AccessChange, void>> => {
    await findUser(app, user);
    if ((await app.store.users.password(user)) !== before)
      throw new AppError("conflict", "the password was changed meanwhile", { reason: "password-changed" });
    return {
      changes: [{ change: "setPassword", name: user, password: hash, keep }],
      result: undefined,
    };
  });
}

type Saved = "timeZone" | "shortcuts" | "reviewMail";

/** Saves settings of the caller's own user; absent ones stay as they are. Throws `invalid`, `not_found`, `forbidden`. */
export function saveSettings(
  app: AccessApp,
  caller: Caller,
  user: string,
  { timeZone, shortcuts, reviewMail }: { [N in Saved]?: UserSettings[N] | undefined },
): Promise<UserSettings> {
  if (!areUserSettings({ timeZone }))
    throw new AppError("invalid", `unknown time zone ${timeZone}`, { reason: "time-zone" });
  return changeSettings(app, caller, user, (settings) => ({
    ...settings,
    ...(timeZone !== undefined && { timeZone }),
    ...(shortcuts !== undefined && { shortcuts }),
    ...(reviewMail !== undefined && { reviewMail }),
  }));
}

/** Changes the settings of the caller's own user. Throws what `next` throws, `not_found`, `forbidden`. */
export function changeSettings(
  app: AccessApp,
  caller: Caller,
  user: string,
  next: (settings: UserSettings) => UserSettings,
): Promise<UserSettings> {
  requireSelf(caller, user);
  return change(app, caller, async (): Promise<Plan<AccessChange, UserSettings>> => {
    const settings = next((await findUser(app, user)).settings);
    return { changes: [{ change: "updateUser", name: user, settings }], result: settings };
  });
}

/** Throws `forbidden` unless the caller is that user, signed in. */
function requireSelf(caller: Caller, user: string): void {
  if (isSelf(caller, user)) return;
  throw new AppError("forbidden", `only "${user}" can do this, signed in to the dashboard`);
}

export async function findUser({ store }: AccessApp, name: string): Promise<User> {
  const user = await store.users.find(name);
  if (!user) throw noSuchUser(name);
  return user;
}
