import { AppError } from "../../base/errors.ts";
import type { Caller } from "../caller.ts";
import { FACTOR_LIMITS, SIGN_IN_LIMITS } from "../limits.ts";
import { recordFailure } from "../audit/audit.ts";
import { tooManyGuesses } from "../throttle.ts";
import { CODES, CODE_WRONG, spentCode } from "./code-step.ts";
import type { FactorsApp } from "../store.ts";
import {
  type Begun,
  challengeOf,
  challengeTicket,
  notAccepted,
  throttleOf,
  unknownPasskey,
} from "./passkeys.ts";
import type { PresentedFactor } from "./second-factor.ts";
import type { Site } from "./site.ts";
import { type PasskeyAnswer, requestOptions, verifyUse } from "./webauthn.ts";

/** A second factor that a caller presents for one act. */
export type Presented = { code: string } | { passkey: PasskeyAnswer };

/** The purpose of a challenge: the act, such as the approval of a change, that it is for alone. */
const purposeOf = ({ name }: Caller, act: readonly string[]) => JSON.stringify([name, ...act]);

/** Begins to present one of the passkeys of the caller for an act. */
export async function beginPresenting(
  app: FactorsApp,
  caller: Caller,
  act: readonly string[],
  site: Site,
): Promise<Begun<ReturnType<typeof requestOptions>>> {
  const ticket = challengeTicket(app);
  const { text } = await challengeOf(app, ticket, purposeOf(caller, act));
  const own = (await app.store.factors.passkeys(caller.name)).map(({ credential }) => credential);
  return { options: requestOptions(site, text, FACTOR_LIMITS.challengeMinutes, own), ticket };
}

/**
 * Spends what the caller presents for an act, and returns what it was. Throws `forbidden` with the reasons `code-wrong`,
 * `passkey-unknown` and `passkey-refused`, also for a code or a challenge that was spent, `invalid` with
 * `challenge-ended`, and `rate_limited`.
 */
export async function presentFactor(
  app: FactorsApp,
  caller: Caller,
  presented: Presented,
  act: readonly string[],
): Promise<PresentedFactor> {
  try {
    if ("passkey" in presented) return await presentPasskey(app, caller, presented.passkey, act);
    return await presentCode(app, caller, presented.code);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "forbidden") throw error;
    const [who, address] = [caller.name, caller.address ?? null];
    const details = { method: "passkey" in presented ? "passkey" : "code" };
    await recordFailure(app, { action: "second-factor.fail", who, object: who, address, details });
    throw error;
  }
}

async function presentCode(app: FactorsApp, { name }: Caller, typed: string): Promise<PresentedFactor> {
  const now = app.now();
  const totp = await app.store.factors.totp(name);
  const code = totp ? spentCode(totp, typed, now) : null;
  const tried = await app.store.factors.tryCode(name, code, now, SIGN_IN_LIMITS);
  if (typeof tried === "object") throw tooManyGuesses(tried.wait, SIGN_IN_LIMITS, CODES);
  if (tried === "wrong" || code === null)
    throw new AppError("forbidden", CODE_WRONG, { reason: "code-wrong" });
  return "step" in code ? "totp" : "recovery";
}

async function presentPasskey(
  app: FactorsApp,
  caller: Caller,
  { credential, ticket, site }: PasskeyAnswer,
  act: readonly string[],
): Promise<PresentedFactor> {
  const failures = throttleOf(app);
  const key = `user ${caller.name}`;
  failures.check(key);
  const { text, spent } = await challengeOf(app, ticket, purposeOf(caller, act));
  try {
    const id = new Uint8Array(Buffer.from(credential.id, "base64url"));
    const own = await app.store.factors.passkeys(caller.name);
    const passkey = own.find((each) => Buffer.compare(each.credential, id) === 0);
    if (!passkey) throw unknownPasskey("forbidden");
    const counter = await verifyUse(credential, passkey, text, site);
    const used = { id: passkey.id, counter, challenge: spent };
    if (!(await app.store.factors.presentPasskey(used, caller.name, app.now())))
      throw notAccepted("forbidden");
    return "passkey";
  } catch (error) {
    if (!(error instanceof AppError) || error.code === "unavailable") throw error;
    failures.count(key);
    throw error.reason === "passkey-refused" ? notAccepted("forbidden") : error;
  }
}
