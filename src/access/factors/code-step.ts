import { recordFailure } from "../audit/audit.ts";
import { AppError } from "../../base/errors.ts";
import { sha256 } from "../../base/sum.ts";
import { FACTOR_LIMITS, SIGN_IN_LIMITS } from "../limits.ts";
import { type NewlySignedIn, newSession, signedIn } from "../sign-in.ts";
import type { Browser } from "../session.ts";
import type { AccessApp, SpentCode } from "../store.ts";
import { tooManyGuesses } from "../throttle.ts";
import type { User } from "../user.ts";
import type { Totp } from "./factor.ts";
import { recoveryHash, typedRecoveryCode } from "./recovery.ts";
import { stepOfCode, typedCode } from "./totp.ts";

export const CODES = { what: "wrong codes", reason: "code-throttled" };

export const CODE_WRONG = "the code is wrong, or was used already: wait for the next one";

/** Wrong codes that end a sign-in, and of a user, over all sign-ins, after which each further one waits. */
const LIMITS = { most: FACTOR_LIMITS.codes, ...SIGN_IN_LIMITS };

/** The user who has begun to sign in with a secret; undefined once that has ended. */
export async function whoBegan(app: AccessApp, secret: string): Promise<User | undefined> {
  return (await app.store.factors.begun(sha256(secret), app.now()))?.user;
}

/**
 * Ends a begun sign-in with a code of the app or a recovery code, each of which counts once. Throws `unauthenticated` with
 * the reason `code-wrong`, or `code-ended` where another password or link is needed, and `rate_limited`.
 */
export async function signInByCode(
  app: AccessApp,
  secret: string,
  typed: string,
  browser: Browser,
): Promise<NewlySignedIn> {
  const hash = sha256(secret);
  const begun = await app.store.factors.begun(hash, app.now());
  if (!begun) throw ended();
  const { name } = begun.user;
  const totp = await app.store.factors.totp(name);
  const start = newSession(app, name, begun.method, browser);
  const code = totp ? spentCode(totp, typed, app.now()) : null;
  const user = await app.store.factors.spendCode(hash, code, start.stored, LIMITS);
  if (typeof user === "object" && "wait" in user) throw tooManyGuesses(user.wait, LIMITS, CODES);
  if (user === "ended" || user === "wrong") {
    await recordFailure(app, { who: name, address: browser.address, details: { method: "code" } });
    if (user === "ended") throw ended();
    throw new AppError("unauthenticated", CODE_WRONG, { reason: "code-wrong" });
  }
  return signedIn(app, user, start, browser);
}

/** A typed code as it is spent: one of the app around `now`, or a recovery code; null for a wrong one. */
export function spentCode({ key, step: last }: Totp, typed: string, now: number): SpentCode {
  const code = typedCode(typed);
  if (code !== null) {
    const step = stepOfCode(key, code, now, last);
    return step === null ? null : { key, step };
  }
  const recovery = typedRecoveryCode(typed);
  return recovery === null ? null : { recovery: recoveryHash(key, recovery) };
}

function ended(): AppError {
  return new AppError("unauthenticated", "this sign-in has ended: begin again", { reason: "code-ended" });
}
