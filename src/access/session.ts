import { DAY_MS } from "../base/days.ts";
import { isoTime } from "../base/clock.ts";
import { AppError } from "../base/errors.ts";
import type { Random } from "../base/ids.ts";
import { LINK_MINUTES, SESSION_LIMITS } from "./limits.ts";

/**
 * A browser's description of itself, and the address and network it connects from; `network` is null for this machine.
 */
export type Browser = { agent: string; address: string; network: string | null };

/** For a caller that is not a browser. */
export const NO_BROWSER: Browser = { agent: "", address: "", network: null };

/** How a user signed in. */
export const SIGN_IN_METHODS = ["link", "passkey", "password", "proxy", "oidc", "cli"] as const;

export type SignInMethod = (typeof SIGN_IN_METHODS)[number];

/** A browser that is signed in, or with the method `cli` a command line. Times are milliseconds since 1970. */
export type Session = {
  /** Public identifier in lists of sessions: a dashed key, which cannot be used to sign in. */
  id: string;
  user: string;
  method: SignInMethod;
  /** The `User-Agent` that the browser sent, or what the command line calls itself. */
  agent: string;
  address: string;
  createdAt: number;
  /** To about ten minutes. */
  seenAt: number;
  /** When it ends although it is used; null for the usual time. */
  expiresAt: number | null;
};

/**
 * A session to store under the SHA-256 of its secret. Of its user, the `most` last seen are kept. `sid` is the
 * SHA-256 of its name at an OpenID provider.
 */
export type NewSession = { session: Session; hash: string; most: number; sid?: string | null };

/** The secret of a session or of a sign-in link: 256 random bits as base64url. */
export function signInSecret(random: Random): string {
  return Buffer.from(random(32)).toString("base64url");
}

/** Before the secret of a session of the command line, so that it is not taken for a token. */
export const CLI_PREFIX = "ffc_";

/** The times before which a session that has ended was last seen or was created, in milliseconds since 1970. */
export function endTimes(now: number): { seenBefore: number; createdBefore: number } {
  return {
    seenBefore: now - SESSION_LIMITS.idleDays * DAY_MS,
    createdBefore: now - SESSION_LIMITS.days * DAY_MS,
  };
}

/** Whether a session is over at `now`, because it was not used for long or is old. */
export function isEnded({ method, seenAt, createdAt, expiresAt }: Session, now: number): boolean {
  const { seenBefore, createdBefore } = endTimes(now);
  // A login for 30 days is meant for a program that may run once a month.
  const isIdle = method !== "cli" && seenAt <= seenBefore;
  return isIdle || createdAt <= createdBefore || (expiresAt !== null && expiresAt <= now);
}

/** Whether a session began by a link so lately that its user may set a password without the old one. */
export function beganByLink({ method, createdAt }: Session, now: number): boolean {
  return method === "link" && now - createdAt < LINK_MINUTES * 60_000;
}

/** A session as the admin API shows it. */
export function viewSession({ createdAt, seenAt, expiresAt, ...session }: Session) {
  return {
    ...session,
    createdAt: isoTime(createdAt),
    seenAt: isoTime(seenAt),
    expiresAt: expiresAt === null ? null : isoTime(expiresAt),
  };
}

export function noSuchSession(id: string): AppError {
  return new AppError("not_found", `session "${id}" does not exist`, { reason: "session-not-found" });
}
