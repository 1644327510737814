import { AppError } from "../../base/errors.ts";
import { sha256 } from "../../base/sum.ts";
import { FACTOR_LIMITS } from "../limits.ts";
import { signInSecret } from "../session.ts";
import type { AccessApp } from "../store.ts";
import type { User } from "../user.ts";
import type { SpentChallenge } from "./factor.ts";

/** A challenge as a device signs it, in base64url, and as it is spent. */
export type Challenge = { text: string; spent: SpentChallenge };

const keys = new WeakMap<object, Promise<string>>();

/** The key of challenges and handles, which all processes of a database share. */
function keyOf({ store, random }: AccessApp): Promise<string> {
  let key = keys.get(store);
  if (!key) {
    keys.set(store, (key = store.secrets.keep("passkeys", signInSecret(random))));
    key.catch(() => keys.delete(store));
  }
  return key;
}

const mac = (key: string, text: string) => new Bun.CryptoHasher("sha256", key).update(text);

/**
 * A ticket for one challenge, for the cookie of the browser that is to answer it: the challenge is derived from it, so that
 * nothing is stored before it is answered.
 */
export function challengeTicket({ now, random }: AccessApp): string {
  return `${signInSecret(random)}.${now() + FACTOR_LIMITS.challengeMinutes * 60_000}`;
}

/** The challenge of a ticket for a purpose. Throws `invalid` with the reason `challenge-ended`. */
export async function challengeOf(app: AccessApp, ticket: string, purpose: string): Promise<Challenge> {
  const expiresAt = Number(/^[\w-]{43}\.(\d{1,15})$/.exec(ticket)?.[1] ?? 0);
  if (expiresAt <= app.now())
    throw new AppError("invalid", "this took too long, or was begun in another browser: try again", {
      reason: "challenge-ended",
    });
  const text = mac(await keyOf(app), `challenge ${purpose} ${ticket}`).digest("base64url");
  return { text, spent: { hash: sha256(text), expiresAt } };
}

/** The handle under which devices keep passkeys of a user, in base64url: it says nothing about the user. */
export async function userHandle(app: AccessApp, { name, createdAt }: User): Promise<string> {
  return mac(await keyOf(app), `user ${createdAt} ${name}`).digest("base64url");
}
