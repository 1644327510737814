import { AppError } from "../../base/errors.ts";
import type { SetResult } from "../../base/result.ts";
import { type Caller, isSelf } from "../caller.ts";
import type { AccessChange } from "../change.ts";
import { type Plan, change } from "../door.ts";
import type { AccessApp } from "../store.ts";
import { requireScope } from "../rights.ts";
import { type User, noSuchUser } from "../user.ts";
import { isFresh, signInAgain } from "./factor.ts";
import { recoveryCodes, recoveryHash } from "./recovery.ts";
import { stepOfCode, typedCode } from "./totp.ts";

/** A user in the session of that id, in which factors are changed. */
export type Self = { user: string; session: string };

/**
 * Gives the caller's own user an authenticator app with that key, once a code of it shows that the app has it. Returns
 * the recovery codes, of which only hashes are stored. Ends every other session. Throws `invalid` with the reason
 * `code-wrong`, `conflict` if there is an app, `forbidden` with `sign-in-old` in a session of more than 15 minutes.
 */
export async function setUpTotp(
  app: AccessApp,
  caller: Caller,
  self: Self,
  { key, code }: { key: Uint8Array; code: string },
): Promise<string[]> {
  const typed = typedCode(code);
  const step = typed === null ? null : stepOfCode(key, typed, app.now(), -1);
  const codes = recoveryCodes(app.random);
  return changeFactors(app, caller, self, ({ secondFactors }, at) => {
    if (secondFactors.includes("totp"))
      throw new AppError("conflict", "an authenticator app is set up already", { reason: "totp-exists" });
    if (step === null)
      throw new AppError("invalid", "the code is wrong: type the one the app shows now", {
        reason: "code-wrong",
      });
    const recovery = codes.map((each) => recoveryHash(key, each));
    const { user: name, session: keep } = self;
    return { changes: [{ change: "setTotp", name, key, step, recovery, at, keep }], result: codes };
  });
}

/**
 * Replaces the recovery codes of the caller's own user and returns them. Ends every other session. Throws `not_found`
 * without an app, `forbidden` as {@link setUpTotp}.
 */
export async function renewRecoveryCodes(app: AccessApp, caller: Caller, self: Self): Promise<string[]> {
  const codes = recoveryCodes(app.random);
  return changeFactors(app, caller, self, async ({ name }) => {
    const totp = await app.store.factors.totp(name);
    if (!totp) throw noApp();
    const recovery = codes.map((each) => recoveryHash(totp.key, each));
    return { changes: [{ change: "setRecoveryCodes", name, recovery, keep: self.session }], result: codes };
  });
}

/** Removes the authenticator app and recovery codes of the caller's own user. Throws as {@link renewRecoveryCodes}. */
export function removeTotp(app: AccessApp, caller: Caller, self: Self): Promise<void> {
  return changeFactors(app, caller, self, ({ name, secondFactors }) => {
    if (!secondFactors.includes("totp")) throw noApp();
    return { changes: [{ change: "deleteTotp", name, keep: self.session }], result: undefined };
  });
}

/** Removes every second factor of a user, and then ends every session of it. Throws `not_found`, `forbidden`. */
export async function resetFactors(
  app: AccessApp,
  caller: Caller,
  name: string,
): Promise<{ user: User; result: SetResult }> {
  requireScope(caller, "admin");
  return change(app, caller, async (): Promise<Plan<AccessChange, { user: User; result: SetResult }>> => {
    const user = await app.store.users.find(name);
    if (!user) throw noSuchUser(name);
    const { items: sessions } = await app.store.sessions.page(name, { limit: 1 });
    if (user.secondFactors.length === 0 && sessions.length === 0)
      return { changes: [], result: { user, result: "unchanged" } };
    const result = { user: { ...user, secondFactors: [] }, result: "updated" as const };
    return { changes: [{ change: "resetFactors", name }], result };
  });
}

/** The user that a caller is, in a session that began lately. Throws `forbidden`, `not_found`. */
export async function requireFresh(
  app: AccessApp,
  caller: Caller,
  { user: name, session: id }: Self,
): Promise<User> {
  if (!isSelf(caller, name))
    throw new AppError("forbidden", `only "${name}" can do this, signed in to the dashboard`);
  const user = await app.store.users.find(name);
  if (!user) throw noSuchUser(name);
  const session = await app.store.sessions.findById(id);
  if (session?.user !== name || !isFresh(session, app.now())) throw signInAgain();
  return user;
}

/** Changes factors of the caller's own user, in a session that began lately. */
export function changeFactors<T>(
  app: AccessApp,
  caller: Caller,
  self: Self,
  plan: (user: User, at: number) => Plan<AccessChange, T> | Promise<Plan<AccessChange, T>>,
): Promise<T> {
  return change(app, caller, async ({ at }) => plan(await requireFresh(app, caller, self), at));
}

function noApp(): AppError {
  return new AppError("not_found", "no authenticator app is set up", { reason: "totp-not-found" });
}
