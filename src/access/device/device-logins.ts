import { AppError } from "../../base/errors.ts";
import { sha256 } from "../../base/sum.ts";
import type { Caller } from "../caller.ts";
import { LOGIN_LIMITS, SESSION_LIMITS } from "../limits.ts";
import { signInSecret, type Browser } from "../session.ts";
import { newSession } from "../sign-in.ts";
import type { AccessApp } from "../store.ts";
import { type Throttle, createThrottle } from "../throttle.ts";
import { type DeviceLogin, noSuchLogin, typedCode, userCode } from "./device-login.ts";

/** Counts of this process, for all logins of one database. */
type Guard = {
  /** Logins that a network begins. */
  begun: Throttle;
  /** Wrong codes of a user. */
  codes: Throttle;
};

const guards = new WeakMap<object, Guard>();

function guardOf({ store, now }: AccessApp): Guard {
  let guard = guards.get(store);
  if (!guard) {
    const { begun, begunWaitSeconds, wrongCodes, codeWaitSeconds } = LOGIN_LIMITS;
    const logins = { what: "logins", reason: "logins-throttled" };
    const codes = { what: "wrong codes", reason: "codes-throttled" };
    guard = {
      begun: createThrottle(now, begun, begunWaitSeconds, logins),
      codes: createThrottle(now, wrongCodes, codeWaitSeconds, codes),
    };
    guards.set(store, guard);
  }
  return guard;
}

/** A login that has begun, with the secret of the client and the code for the person. */
type Begun = { deviceCode: string; userCode: string; login: DeviceLogin };

/**
 * Begins a login of the command line (RFC 8628), whose session lasts for `seconds`. Throws `invalid` for a time or a name of
 * the client that is too long, `rate_limited` where many logins come from a network, or wait.
 */
export async function beginLogin(
  app: AccessApp,
  { client, seconds = LOGIN_LIMITS.defaultSeconds }: { client: string; seconds?: number | undefined },
  { address, network }: Browser,
): Promise<Begun> {
  const { mostSeconds, waitSeconds, most } = LOGIN_LIMITS;
  if (seconds > mostSeconds)
    throw new AppError("invalid", `a login lasts for ${mostSeconds / 86_400} days at most`);
  const { begun } = guardOf(app);
  if (network !== null) {
    begun.check(network);
    begun.count(network);
  }
  const now = app.now();
  const login: DeviceLogin = {
    client: client.trim(),
    address: address.slice(0, SESSION_LIMITS.text),
    lasts: seconds,
    createdAt: now,
    expiresAt: now + waitSeconds * 1000,
  };
  const deviceCode = signInSecret(app.random);
  // A second code, for the unlikely case that the first one is taken.
  for (const code of [userCode(app.random), userCode(app.random)]) {
    const stored = { login, hash: sha256(deviceCode), code: sha256(code) };
    if (await app.store.deviceLogins.insert(stored, most)) return { deviceCode, userCode: code, login };
  }
  throw new AppError("rate_limited", "too many logins wait for their approval: try again later", {
    reason: "logins-throttled",
    retryAfter: 60,
  });
}

/**
 * The login that waits under a code that a person typed. Throws `not_found`, and `rate_limited` after ten wrong codes of the
 * user.
 */
export async function findLogin(app: AccessApp, { name }: Caller, typed: string): Promise<DeviceLogin> {
  const login = await guarded(app, name, typed, (code) => app.store.deviceLogins.find(code, app.now()));
  return login;
}

/** Approves a login, which then acts with the rights of the caller, or denies it. Throws as {@link findLogin}. */
export async function answerLogin(
  app: AccessApp,
  { name, session }: Caller,
  typed: string,
  answer: "allow" | "deny",
): Promise<void> {
  const by = answer === "allow" ? { user: name, session: session?.id ?? null } : null;
  await guarded(app, name, typed, async (code) => {
    return (await app.store.deviceLogins.answer(code, by, app.now())) || undefined;
  });
}

/** Looks a code up by its hash, and counts an unknown one for the user. */
async function guarded<T>(
  app: AccessApp,
  name: string,
  typed: string,
  find: (code: string) => Promise<T | undefined>,
): Promise<T> {
  const { codes } = guardOf(app);
  codes.check(name);
  const code = typedCode(typed);
  const found = code === null ? undefined : await find(sha256(code));
  if (found !== undefined) return found;
  codes.count(name);
  throw noSuchLogin();
}

/** Milliseconds by which a poll may come early: timers are not exact. */
const EARLY_MS = 250;

/**
 * The session of a login that was approved, once. Throws `authorization_pending`, `slow_down` for a poll that comes too early,
 * `access_denied`, and `expired_token` for a device code that is unknown, spent or expired.
 */
export async function pollLogin(
  app: AccessApp,
  deviceCode: string,
): Promise<{ secret: string; user: string; expiresAt: number }> {
  const now = app.now();
  const { secret, stored } = newSession(app, "", "cli", { agent: "", address: "" });
  const polled = await app.store.deviceLogins.poll(sha256(deviceCode), now, stored);
  if (polled.state === "approved")
    return { secret, user: polled.user, expiresAt: polled.session.expiresAt ?? now };
  if (polled.state === "denied") throw new AppError("access_denied", "the login was denied");
  if (polled.state === "unknown")
    throw new AppError("expired_token", "the login has expired, or was completed: begin another one");
  const next = (polled.polledAt ?? 0) + LOGIN_LIMITS.interval * 1000 - EARLY_MS;
  if (now < next)
    throw new AppError("slow_down", `ask every ${LOGIN_LIMITS.interval} seconds at most`, {
      retryAfter: LOGIN_LIMITS.interval,
    });
  throw new AppError("authorization_pending", "the login has not been approved yet");
}
