import { AppError } from "../base/errors.ts";
import { yieldToEventLoop } from "../base/event-loop.ts";
import { sha256 } from "../base/sum.ts";
import { type Caller, authorOf, isSelf } from "./caller.ts";
import { grantsOf } from "./members/member.ts";
import { isEnded, noSuchSession, type Session, signInSecret } from "./session.ts";
import type { SignedIn } from "./sign-in.ts";
import type { AccessApp } from "./store.ts";
import { requireScope } from "./rights.ts";
import { noSuchUser } from "./user.ts";

/** Sessions read or removed in one step, between which other work takes its turn. */
const STEP = 1000;

/** How old the time may be at which a session was last used, in milliseconds: each update is a write. */
const SEEN_MS = 600_000;

/**
 * The session and user of a secret. Throws `unauthenticated` for an unknown or ended one. A session of the command line
 * counts only for `use` of `cli`, and no other session does.
 */
export async function resumeSession(
  app: AccessApp,
  secret: string,
  use: "browser" | "cli" = "browser",
): Promise<SignedIn> {
  const hash = sha256(secret);
  const now = app.now();
  const found = await app.store.sessions.find(hash);
  const isUsable = found && (found.session.method === "cli") === (use === "cli");
  if (!isUsable || isEnded(found.session, now)) {
    throw new AppError(
      "unauthenticated",
      use === "cli" ? "this login has ended, or is not known here" : "this session has ended: sign in again",
      {
        reason: use === "cli" ? "login-ended" : "session-ended",
      },
    );
  }
  const { session } = found;
  if (now - session.seenAt < SEEN_MS) return found;
  try {
    await app.store.sessions.markSeen(hash, now);
  } catch (error) {
    // With a full disk people can still read.
    if (!(error instanceof AppError)) throw error;
  }
  return { ...found, session: { ...session, seenAt: now } };
}

/**
 * The sessions of a user, or with null of everybody, that have not ended; the one used last comes first. Throws
 * `forbidden` unless they are the caller's own or the caller is an admin, and `not_found`.
 */
export async function listSessions(app: AccessApp, caller: Caller, user: string | null): Promise<Session[]> {
  if (user === null || !isSelf(caller, user)) requireScope(caller, "admin");
  if (user !== null && !(await app.store.users.find(user))) throw noSuchUser(user);
  const sessions: Session[] = [];
  for (;;) {
    const page = await app.store.sessions.page(user, { limit: STEP, after: sessions.at(-1)?.id });
    sessions.push(...page.items);
    if (!page.more) break;
    await yieldToEventLoop();
  }
  const now = app.now();
  return sessions.filter((session) => !isEnded(session, now)).toSorted((a, b) => b.seenAt - a.seenAt);
}

/** Ends a session. Throws `forbidden` unless it is the caller's own or the caller is an admin, and `not_found`. */
export async function endSession(app: AccessApp, caller: Caller, id: string): Promise<void> {
  const session = await app.store.sessions.findById(id);
  if (!session || !isSelf(caller, session.user)) requireScope(caller, "admin");
  if (!(await app.store.sessions.delete(id, authorOf(caller, app.now())))) throw noSuchSession(id);
}

/** Ends the login of the command line that the caller is. Throws `forbidden` for any other caller. */
export async function endLogin(app: AccessApp, caller: Caller): Promise<void> {
  const { session } = caller;
  if (session?.method !== "cli")
    throw new AppError("forbidden", "this token is not that of a login", { reason: "not-a-login" });
  const by = authorOf(caller, app.now());
  if (!(await app.store.sessions.delete(session.id, by))) throw noSuchSession(session.id);
}

/** Signs out: ends the session of a secret, if there is one. */
export async function endSessionBySecret(app: AccessApp, secret: string, address: string): Promise<void> {
  await app.store.sessions.deleteByHash(sha256(secret), { at: app.now(), address });
}

/** The caller that a user who is signed in is, with the rights of the role and of memberships. */
export function userCaller(
  app: AccessApp,
  { user, memberships, session }: SignedIn,
  secret: string,
  hasConfirmed: Caller["hasConfirmed"],
  why?: string,
): Caller {
  const grants = grantsOf(user.role, memberships);
  return {
    name: user.name,
    type: "user",
    role: user.role,
    grants,
    memberships,
    hasConfirmed,
    why,
    session: { id: session.id, method: session.method, expiresAt: session.expiresAt },
    async verify() {
      const use = session.method === "cli" ? "cli" : "browser";
      const now = await resumeSession(app, secret, use);
      if (!Bun.deepEquals(grantsOf(now.user.role, now.memberships), grants))
        throw new AppError("forbidden", "your rights were changed: load the page again", {
          reason: "role-changed",
        });
    },
  };
}

/** Whether there is a user who could sign in. */
export async function hasUsers(app: AccessApp): Promise<boolean> {
  return (await app.store.users.page({ limit: 1 })).items.length > 0;
}

/**
 * A short id of the data, which a restored backup keeps: 12 characters of hex. The first call of all processes makes it.
 */
export async function instanceId(app: AccessApp): Promise<string> {
  return sha256(await app.store.secrets.keep("instance", signInSecret(app.random))).slice(0, 12);
}
