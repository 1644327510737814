import type { Challenge } from "altcha-lib/types";
import type { ClockAndRandom } from "../../base/clock.ts";
import type { Random } from "../../base/ids.ts";
import { isObject, parseJson } from "../../base/json.ts";
import { once } from "../../base/once.ts";
import type { FormsApp } from "../store.ts";

/**
 * Proof of work against automated submissions: a challenge of ALTCHA (https://altcha.org), which a browser solves by
 * trying counters until the key derived from one of them starts with the challenge's prefix.
 */
const ALGORITHM = "PBKDF2/SHA-256";

/** Iterations of PBKDF2 for each counter that is tried. */
const COST = 2000;

/** The counter that solves a challenge, inclusive: the number of derivations that solving takes, less one. */
const [MIN_COUNTER, MAX_COUNTER] = [1000, 5000];

/** How long a challenge can be solved and submitted, in milliseconds. */
const LIFETIME = 3_600_000;

/** Characters of a payload; the widget sends about 750. */
const MAX_PAYLOAD = 4096;

/** The secrets that challenges are signed with, each the text of 256 random bits as base64url. */
export type ChallengeKeys = { signature: string; keySignature: string };

/** A solved challenge: its nonce as 32 hex digits, and when it expires, in milliseconds since 1970. */
type SolvedChallenge = { nonce: string; expiresAt: number };

export type Challenger = {
  /**
   * A challenge for one form, as JSON for the widget. Deriving its key takes about 0.4 ms of a thread other than the
   * caller's. The first call loads the library.
   */
  create: (formKey: string) => Promise<Challenge>;
  /**
   * Verifies the payload of the widget: base64 of the JSON of a challenge and its solution. Returns null unless this
   * form's challenge was solved and has not expired. Two payloads of one challenge have the same nonce, however they
   * are spelled; the caller accepts a nonce once.
   */
  verify: (formKey: string, payload: string) => SolvedChallenge | null;
};

/** Returns a function for the challenger. Its keys are in the database; the first call of any process creates them. */
export function createChallengerSource(app: FormsApp): () => Promise<Challenger> {
  return once(async () => {
    const { secrets } = app.store;
    const made = createChallengeKeys(app.random);
    const [signature, keySignature] = await Promise.all([
      secrets.keep("challenge-signature", made.signature),
      secrets.keep("challenge-key-signature", made.keySignature),
    ]);
    return createChallenger({ signature, keySignature }, app);
  });
}

/** New secrets for {@link createChallenger}, which stay the same for as long as their challenges are valid. */
export function createChallengeKeys(random: Random): ChallengeKeys {
  const secret = () => Buffer.from(random(32)).toString("base64url");
  return { signature: secret(), keySignature: secret() };
}

/**
 * Returns functions that create challenges and verify their solutions. The library chooses salts and nonces itself, from the runtime's source of
 * randomness; `random` chooses the counters.
 */
export function createChallenger(keys: ChallengeKeys, { now, random }: ClockAndRandom): Challenger {
  const create = async (formKey: string): Promise<Challenge> => {
    const [{ createChallenge }, { deriveKey }] = await Promise.all([
      import("altcha-lib"),
      import("altcha-lib/algorithms/pbkdf2"),
    ]);
    return createChallenge({
      algorithm: ALGORITHM,
      cost: COST,
      counter: chooseCounter(random),
      data: { form: formKey },
      deriveKey,
      expiresAt: new Date(now() + LIFETIME),
      hmacSignatureSecret: keys.signature,
      hmacKeySignatureSecret: keys.keySignature,
    });
  };

  // The library's verifySolution compares the expiry with the machine's clock instead of `now`.
  const verify = (formKey: string, payload: string): SolvedChallenge | null => {
    const sent = parsePayload(payload);
    if (!sent || !isEqual(sent.signature, hmac(keys.signature, canonicalJson(sent.parameters)))) return null;
    // The signature covers every parameter, so they are as `create` made them.
    const { data, expiresAt, keySignature, nonce } = sent.parameters as SignedParameters;
    const expires = expiresAt * 1000;
    if (data.form !== formKey || expires <= now()) return null;
    // Only the counter leads to the second half of the key, so the counter itself need not be checked.
    const isSolved = isEqual(keySignature, hmac(keys.keySignature, Buffer.from(sent.derivedKey, "hex")));
    return isSolved ? { nonce, expiresAt: expires } : null;
  };
  return { create, verify };
}

/** Parameters that `create` signs and `verify` reads. `expiresAt` is in seconds since 1970. */
type SignedParameters = {
  data: { form: string };
  expiresAt: number;
  keySignature: string;
  nonce: string;
};

type Sent = { parameters: Record<string, unknown>; signature: string; derivedKey: string };

function chooseCounter(random: Random): number {
  const number = Buffer.from(random(4)).readUInt32BE();
  return MIN_COUNTER + (number % (MAX_COUNTER - MIN_COUNTER + 1));
}

/** Returns undefined for a payload that no widget sends. */
function parsePayload(payload: string): Sent | undefined {
  if (payload.length > MAX_PAYLOAD) return undefined;
  const sent = parseJson(Buffer.from(payload, "base64").toString());
  const [challenge, solution] = isObject(sent) ? [sent["challenge"], sent["solution"]] : [];
  if (!isObject(challenge) || !isObject(solution)) return undefined;
  const { parameters, signature } = challenge;
  const { derivedKey } = solution;
  return isObject(parameters) && typeof signature === "string" && typeof derivedKey === "string"
    ? { parameters, signature, derivedKey }
    : undefined;
}

/** The text that the library signs: parameters in the order of their names. */
function canonicalJson(parameters: Record<string, unknown>): string {
  return JSON.stringify(
    Object.fromEntries(Object.entries(parameters).toSorted(([a], [b]) => (a < b ? -1 : 1))),
  );
}

/** HMAC-SHA-256 (RFC 2104) as hex. */
function hmac(secret: string, data: string | Uint8Array): string {
  return new Bun.CryptoHasher("sha256", secret).update(data).digest("hex");
}

/** Compares in a time that does not depend on where the texts differ. */
function isEqual(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && crypto.timingSafeEqual(a, b);
}
