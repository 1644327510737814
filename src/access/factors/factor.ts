import { AppError } from "../../base/errors.ts";
import type { Membership } from "../members/member.ts";
import { type Role, ROLES } from "../role.ts";
import type { Session } from "../session.ts";
import type { User } from "../user.ts";
import { FACTOR_LIMITS } from "../limits.ts";

/** The authenticator app of a user. Times are milliseconds since 1970. */
export type Totp = {
  key: Uint8Array;
  /** The step of the last code that counted. */
  step: number;
  createdAt: number;
  /** Recovery codes that were not used. */
  recoveryCodes: number;
};

/** A passkey of a user. Times are milliseconds since 1970. */
export type Passkey = {
  /** A dashed key, under which it is listed. */
  id: string;
  /** The name that its user gave it. */
  name: string;
  /** The id that the device gave it, and its public key in COSE. */
  credential: Uint8Array;
  publicKey: Uint8Array;
  /** How often it was used, as the device counts; 0 for one that does not. */
  counter: number;
  createdAt: number;
  usedAt: number | null;
};

/** A challenge that was answered, by its SHA-256, until it expires. */
export type SpentChallenge = { hash: string; expiresAt: number };

/** Whether a session is so young that factors may be changed in it. */
export function isFresh({ createdAt }: Session, now: number): boolean {
  return now - createdAt < FACTOR_LIMITS.freshMinutes * 60_000;
}

/** The refusal of a change of factors in an older session. */
export function signInAgain(): AppError {
  const { freshMinutes } = FACTOR_LIMITS;
  return new AppError(
    "forbidden",
    `this takes a sign-in of the last ${freshMinutes} minutes: sign in again`,
    {
      reason: "sign-in-old",
    },
  );
}

/** Ways to sign in that are one factor alone; a code follows where the user has an authenticator app. */
const ALONE: ReadonlySet<Session["method"]> = new Set(["password", "link"]);

/**
 * Whether the user of a session has to set up a second factor before anything else: `least` is the weakest role that needs
 * one, or null. A session by password or link of a user with an authenticator app has had a code of it.
 */
export function mustSetUp(
  user: User,
  memberships: readonly Membership[],
  { method }: Session,
  least: Role | null,
): boolean {
  if (least === null || !ALONE.has(method) || user.secondFactors.includes("totp")) return false;
  const roles = [user.role, ...memberships.map(({ role }) => role)];
  return roles.some((role) => role !== "none" && ROLES.indexOf(role) >= ROLES.indexOf(least));
}
