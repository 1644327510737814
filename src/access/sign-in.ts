import { AppError } from "../base/errors.ts";
import { recordFailure } from "./audit/audit.ts";
import { dashedKey } from "../base/ids.ts";
import { sha256 } from "../base/sum.ts";
import { FACTOR_LIMITS, SESSION_LIMITS } from "./limits.ts";
import type { Membership } from "./members/member.ts";
import { noteSignIn, verifyPassword } from "./passwords.ts";
import type { Role } from "./role.ts";
import {
  type Browser,
  CLI_PREFIX,
  type NewSession,
  type Session,
  type SignInMethod,
  signInSecret,
} from "./session.ts";
import type { AccessApp, BegunSignIn } from "./store.ts";
import type { User } from "./user.ts";
import { ensureUser } from "./users.ts";

export type SignedIn = { user: User; memberships: Membership[]; session: Session };

/** A new session with its secret, for the cookie; only the SHA-256 of it is stored. */
export type NewlySignedIn = SignedIn & { secret: string };

/** A sign-in that waits for a code, with the secret for its cookie; only the SHA-256 of it is stored. */
type Begun = { begun: string };

/** The result of a password or a link. */
export type Entrance = NewlySignedIn | Begun;

/**
 * Signs in by a link, which works once; a user with an authenticator app then has to give a code. Throws `not_found` with the reason `link-unknown` for one that is unknown, spent
 * or expired.
 */
export async function signInByLink(app: AccessApp, secret: string, browser: Browser): Promise<Entrance> {
  const start = newSession(app, "", "link", browser);
  const begun = newBegun(app);
  const entered = await app.store.sessions.spendLink(sha256(secret), app.now(), start.stored, begun.stored);
  if (!entered) {
    await recordFailure(app, { who: null, address: browser.address, details: { method: "link" } });
    throw new AppError("not_found", "this link was used already, or has expired: ask for a new one", {
      reason: "link-unknown",
    });
  }
  return entered.isBegun ? { begun: begun.secret } : signedIn(app, entered.user, start, browser);
}

/**
 * Signs in by a password; a user with an authenticator app then has to give a code. Throws `unauthenticated` with the reason `password-wrong`, whether the name or the password is
 * wrong, and `rate_limited`.
 */
export async function signInByPassword(
  app: AccessApp,
  { name, password }: { name: string; password: string },
  browser: Browser,
): Promise<Entrance> {
  const hash = await verifyPassword(app, name, password, browser.network);
  const start = newSession(app, name, "password", browser);
  const begun = newBegun(app);
  // The password may have been changed while it was checked.
  const entered =
    hash === null ? undefined : await app.store.sessions.begin(start.stored, hash, begun.stored);
  if (!entered) {
    const known = await app.store.users.find(name);
    const details = { method: "password" };
    await recordFailure(app, { who: known?.name ?? null, address: browser.address, details });
    throw new AppError("unauthenticated", "the name or the password is wrong", {
      reason: "password-wrong",
    });
  }
  return entered.isBegun ? { begun: begun.secret } : signedIn(app, entered.user, start, browser);
}

/**
 * Signs in whom a trusted proxy names. Throws `forbidden` with the reason `user-unknown` if no user has the name,
 * unless `createAs` is the role of new users; `invalid` and `conflict` for a name that a new user cannot have.
 */
export async function signInByProxy(
  app: AccessApp,
  name: string,
  browser: Browser,
  { createAs }: { createAs: Role | null },
): Promise<NewlySignedIn> {
  const start = newSession(app, name, "proxy", browser);
  let user = await app.store.sessions.insert(start.stored, null);
  if (!user && createAs !== null) {
    await ensureUser(app, name, createAs);
    user = await app.store.sessions.insert(start.stored, null);
  }
  if (!user) {
    await recordFailure(app, { who: null, address: browser.address, details: { method: "proxy", name } });
    throw new AppError(
      "forbidden",
      `you are signed in elsewhere as "${name}", and no user here has that name`,
      {
        reason: "user-unknown",
      },
    );
  }
  return signedIn(app, user, start, browser);
}

/** A session that is not stored yet, and its secret. */
export type Start = { secret: string; stored: NewSession };

/** A new session of a user, with a secret of its own. */
export function newSession(
  { now, random }: AccessApp,
  user: string,
  method: SignInMethod,
  { agent, address }: Pick<Browser, "agent" | "address">,
  expiresAt: number | null = null,
): Start {
  const { text, perUser } = SESSION_LIMITS;
  const [secret, at] = [`${method === "cli" ? CLI_PREFIX : ""}${signInSecret(random)}`, now()];
  const session: Session = {
    id: dashedKey(random),
    user,
    method,
    agent: agent.slice(0, text),
    address: address.slice(0, text),
    createdAt: at,
    seenAt: at,
    expiresAt,
  };
  return { secret, stored: { session, hash: sha256(secret), most: perUser } };
}

function newBegun({ now, random }: AccessApp): { secret: string; stored: BegunSignIn } {
  const secret = signInSecret(random);
  const expiresAt = now() + FACTOR_LIMITS.codeMinutes * 60_000;
  return { secret, stored: { hash: sha256(secret), expiresAt } };
}

/** The session that has begun, whose network goes first from now on. */
export async function signedIn(
  app: AccessApp,
  user: User,
  { secret, stored }: Start,
  { network }: Browser,
): Promise<NewlySignedIn> {
  noteSignIn(app, user.name, network);
  const memberships = await app.store.members.ofUser(user.name);
  return { user, memberships, session: { ...stored.session, user: user.name }, secret };
}
