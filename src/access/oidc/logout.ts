import { AppError } from "../../base/errors.ts";
import { isObject } from "../../base/json.ts";
import { sha256 } from "../../base/sum.ts";
import { type Acting, authorOf } from "../caller.ts";
import type { AccessApp } from "../store.ts";
import { hashOfSid } from "./oidc-sign-in.ts";
import type { LogoutToken } from "./provider.ts";

const EVENT = "http://schemas.openid.net/event/backchannel-logout";

/** Age of a logout token beyond which it counts no more, and how far its time may be ahead, in milliseconds. */
const MAX_AGE = 120_000;

/**
 * Ends the sessions that a logout token names (OpenID Connect Back-Channel Logout 1.0): that of its `sid`, else all of its
 * `sub`. Throws `invalid` for a token that is something else, too old, or spent.
 */
export async function logOutByProvider(
  app: AccessApp,
  { issuer, claims }: LogoutToken,
  by: Acting,
): Promise<void> {
  const { events, nonce, iat, jti, sub, sid } = claims;
  const isLogout = isObject(events) && isObject(events[EVENT]);
  // An ID token has a nonce, and is no logout token.
  if (!isLogout || nonce !== undefined) throw wrong("it is not a logout token");
  if (typeof iat !== "number" || Math.abs(app.now() - iat * 1000) > MAX_AGE) throw wrong("it is too old");
  if (!isName(jti)) throw wrong("it has no identifier");
  if ((sub !== undefined && !isName(sub)) || (sid !== undefined && !isName(sid)))
    throw wrong("it names no user");
  if (sub === undefined && sid === undefined) throw wrong("it names no user");
  const logout = {
    token: { hash: sha256(JSON.stringify([issuer, jti])), expiresAt: app.now() + 2 * MAX_AGE },
    sid: isName(sid) ? hashOfSid(issuer, sid) : null,
    identity: isName(sub) ? { issuer, subject: sub } : null,
  };
  if (!(await app.store.identities.logOut(logout, authorOf(by, app.now()))))
    throw wrong("it was used before");
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= 1000;
}

function wrong(why: string): AppError {
  return new AppError("invalid", `the logout token does not count: ${why}`, { reason: "logout-token" });
}
