import { recordFailure } from "../audit/audit.ts";
import { AppError } from "../../base/errors.ts";
import { dashedKey } from "../../base/ids.ts";
import type { Caller } from "../caller.ts";
import { FACTOR_LIMITS, SIGN_IN_LIMITS } from "../limits.ts";
import { type NewlySignedIn, newSession, signedIn } from "../sign-in.ts";
import type { AccessApp, FactorsApp } from "../store.ts";
import { type Throttle, createThrottle } from "../throttle.ts";
import type { Passkey, SpentChallenge } from "./factor.ts";
import { type Self, changeFactors, requireFresh } from "./factors.ts";
import type { Site } from "./site.ts";
import {
  type NewCredential,
  type UsedCredential,
  creationOptions,
  requestOptions,
  verifyNew,
  verifyUse,
} from "./webauthn.ts";
import { sha256 } from "../../base/sum.ts";
import { signInSecret, type Browser } from "../session.ts";
import type { User } from "../user.ts";

/** A challenge as a device signs it, in base64url, and as it is spent. */
type Challenge = { text: string; spent: SpentChallenge };

const keys = new WeakMap<object, Promise<string>>();

/** The key of challenges and handles, which all processes of a database share. */
function keyOf({ store, random }: FactorsApp): Promise<string> {
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
export function challengeTicket({ now, random }: FactorsApp): string {
  return `${signInSecret(random)}.${now() + FACTOR_LIMITS.challengeMinutes * 60_000}`;
}

/** The challenge of a ticket for a purpose. Throws `invalid` with the reason `challenge-ended`. */
export async function challengeOf(app: FactorsApp, ticket: string, purpose: string): Promise<Challenge> {
  const expiresAt = Number(/^[\w-]{43}\.(\d{1,15})$/.exec(ticket)?.[1] ?? 0);
  if (expiresAt <= app.now())
    throw new AppError("invalid", "this took too long, or was begun in another browser: try again", {
      reason: "challenge-ended",
    });
  const text = mac(await keyOf(app), `challenge ${purpose} ${ticket}`).digest("base64url");
  return { text, spent: { hash: sha256(text), expiresAt } };
}

/** The handle under which devices keep passkeys of a user, in base64url: it says nothing about the user. */
async function userHandle(app: AccessApp, { name, createdAt }: User): Promise<string> {
  return mac(await keyOf(app), `user ${createdAt} ${name}`).digest("base64url");
}

/** Options for a browser, and the ticket for its cookie. */
export type Begun<T> = { options: T; ticket: string };

const SIGN_IN = "sign-in";

const purposeOf = ({ user, session }: Self) => `add ${session} ${user}`;

/** Begins to add a passkey. Throws `forbidden` as {@link addPasskey}, `conflict` for one too many. */
export async function beginPasskey(
  app: AccessApp,
  caller: Caller,
  self: Self,
  site: Site,
): Promise<Begun<Awaited<ReturnType<typeof creationOptions>>>> {
  const user = await requireFresh(app, caller, self);
  const known = await app.store.factors.passkeys(user.name);
  requireRoom(known);
  const ticket = challengeTicket(app);
  const { text } = await challengeOf(app, ticket, purposeOf(self));
  const named = { name: user.name, handle: await userHandle(app, user) };
  const options = await creationOptions(site, text, named, known, FACTOR_LIMITS.challengeMinutes);
  return { options, ticket };
}

/**
 * Adds a passkey to the caller's own user, and ends every other session. Throws `invalid` with the reasons
 * `passkey-refused`, `passkey-name` and `challenge-ended`, `conflict` with `passkey-known`, `passkeys-full` and
 * `challenge-spent`, `forbidden` with `sign-in-old` in a session of more than 15 minutes.
 */
export async function addPasskey(
  app: AccessApp,
  caller: Caller,
  self: Self,
  { name, credential, ticket, site }: { name: string; credential: NewCredential; ticket: string; site: Site },
): Promise<Passkey> {
  const label = passkeyName(name);
  await requireFresh(app, caller, self);
  const { text, spent } = await challengeOf(app, ticket, purposeOf(self));
  const made = await verifyNew(credential, text, site);
  const id = dashedKey(app.random);
  return changeFactors(app, caller, self, async (user, at) => {
    requireRoom(await app.store.factors.passkeys(user.name));
    const passkey: Passkey = { ...made, id, name: label, createdAt: at, usedAt: null };
    const change = { change: "insertPasskey", name: user.name, passkey, challenge: spent } as const;
    return { changes: [{ ...change, keep: self.session }], result: passkey };
  });
}

/** Changes the name of a passkey of the caller's own user. Throws `invalid`, `not_found`, `forbidden`. */
export async function renamePasskey(
  app: AccessApp,
  caller: Caller,
  self: Self,
  { id, name }: { id: string; name: string },
): Promise<void> {
  const label = passkeyName(name);
  await changeFactors(app, caller, self, async (user) => {
    await requirePasskey(app, user.name, id);
    return { changes: [{ change: "renamePasskey", name: user.name, id, label }], result: undefined };
  });
}

/** Removes a passkey of the caller's own user, and ends every other session. Throws `not_found`, `forbidden`. */
export async function removePasskey(app: AccessApp, caller: Caller, self: Self, id: string): Promise<void> {
  await changeFactors(app, caller, self, async ({ name }) => {
    await requirePasskey(app, name, id);
    return { changes: [{ change: "deletePasskey", name, id, keep: self.session }], result: undefined };
  });
}

/** Begins to sign in by a passkey, of whichever user has it. */
export async function beginSignIn(
  app: AccessApp,
  site: Site,
): Promise<Begun<ReturnType<typeof requestOptions>>> {
  const ticket = challengeTicket(app);
  const { text } = await challengeOf(app, ticket, SIGN_IN);
  return { options: requestOptions(site, text, FACTOR_LIMITS.challengeMinutes), ticket };
}

/**
 * Signs in by a passkey; no code is asked for. Throws `unauthenticated` with the reasons `passkey-unknown` and
 * `passkey-refused`, also for a challenge that was spent or a counter that did not grow, `invalid` with `challenge-ended`,
 * and `rate_limited`.
 */
export async function signInByPasskey(
  app: AccessApp,
  { credential, ticket, site }: { credential: UsedCredential; ticket: string; site: Site },
  browser: Browser,
): Promise<NewlySignedIn> {
  const failures = throttleOf(app);
  const network = browser.network ?? "";
  // As wrong passwords, those of this machine have no limit.
  if (network !== "") failures.check(network);
  const { text, spent } = await challengeOf(app, ticket, SIGN_IN);
  let who: string | null = null;
  try {
    const found = await app.store.factors.passkey(new Uint8Array(Buffer.from(credential.id, "base64url")));
    const isOf = found && (await userHandle(app, found.user)) === credential.response.userHandle;
    if (!isOf) throw unknownPasskey("unauthenticated");
    const { user, passkey } = found;
    who = user.name;
    const counter = await verifyUse(credential, passkey, text, site);
    const start = newSession(app, user.name, "passkey", browser);
    const used = { id: passkey.id, counter, challenge: spent };
    const entered = await app.store.factors.usePasskey(used, start.stored);
    if (!entered) throw notAccepted("unauthenticated");
    return signedIn(app, entered, start, browser);
  } catch (error) {
    if (!(error instanceof AppError) || error.code === "unavailable") throw error;
    failures.count(network);
    await recordFailure(app, { who, address: browser.address, details: { method: "passkey" } });
    throw error.reason === "passkey-refused" ? notAccepted("unauthenticated") : error;
  }
}

export function unknownPasskey(code: "unauthenticated" | "forbidden"): AppError {
  return new AppError(code, "this passkey is not known here", { reason: "passkey-unknown" });
}

export function notAccepted(code: "unauthenticated" | "forbidden"): AppError {
  return new AppError(code, "the passkey was not accepted: try again", {
    reason: "passkey-refused",
  });
}

const PASSKEYS = { what: "wrong passkeys", reason: "passkey-throttled" };

const throttles = new WeakMap<object, Throttle>();

/** Counts wrong passkeys of each network, and at acts of each user, in this process. */
export function throttleOf({ store, now }: FactorsApp): Throttle {
  let throttle = throttles.get(store);
  if (!throttle) {
    const { failuresOfNetwork, networkWaitSeconds } = SIGN_IN_LIMITS;
    throttles.set(store, (throttle = createThrottle(now, failuresOfNetwork, networkWaitSeconds, PASSKEYS)));
  }
  return throttle;
}

function passkeyName(text: string): string {
  const name = text.trim();
  // Without control characters and halves of characters, which not every database keeps.
  if (name !== "" && name.length <= FACTOR_LIMITS.passkeyName && !/[\p{Cc}\p{Cs}]/u.test(name)) return name;
  throw new AppError("invalid", `a passkey is named by 1 to ${FACTOR_LIMITS.passkeyName} characters`, {
    reason: "passkey-name",
  });
}

function requireRoom(known: readonly Passkey[]): void {
  if (known.length < FACTOR_LIMITS.passkeys) return;
  throw new AppError("conflict", `a user has at most ${FACTOR_LIMITS.passkeys} passkeys: remove one first`, {
    reason: "passkeys-full",
  });
}

async function requirePasskey({ store }: AccessApp, user: string, id: string): Promise<void> {
  if ((await store.factors.passkeys(user)).some((each) => each.id === id)) return;
  throw new AppError("not_found", `passkey "${id}" does not exist`, { reason: "passkey-not-found" });
}
