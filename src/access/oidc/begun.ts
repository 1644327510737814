import type { Random } from "../../base/ids.ts";
import { isObject } from "../../base/json.ts";
import { signInSecret } from "../session.ts";
import type { SignInSecrets } from "./provider.ts";

/** The purpose of a sign-in that has begun. */
export type Intent = {
  /** The page of the dashboard to go on to, by its path; empty for the first one. */
  next: string;
  /** The id of the session whose user gets the identity; null signs in. */
  connects: string | null;
};

/** The cookie of a sign-in that has begun: a secret, and what it is for. */
export function beginSignIn(random: Random, intent: Intent): string {
  return `${signInSecret(random)}.${Buffer.from(JSON.stringify(intent)).toString("base64url")}`;
}

/** The purpose in the cookie of a sign-in; null for a text that is none. Nothing in it counts unless the state fits it. */
export function intentOf(cookie: string): Intent | null {
  const [, text] = /^[\w-]{43}\.([\w-]+)$/.exec(cookie) ?? [];
  if (text === undefined) return null;
  try {
    const intent: unknown = JSON.parse(Buffer.from(text, "base64url").toString());
    if (!isObject(intent)) return null;
    const { next, connects } = intent;
    const isIntent = typeof next === "string" && (connects === null || typeof connects === "string");
    return isIntent ? { next, connects } : null;
  } catch {
    return null;
  }
}

/** The secrets of a sign-in, derived from the whole cookie, so that no replica has to keep any. */
export function secretsOf(cookie: string): SignInSecrets {
  const derived = (use: string) =>
    new Bun.CryptoHasher("sha256", cookie).update(`oidc ${use}`).digest("base64url");
  return { state: derived("state"), nonce: derived("nonce"), verifier: derived("verifier") };
}
