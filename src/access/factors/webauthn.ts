import { AppError } from "../../base/errors.ts";
import { FACTOR_LIMITS } from "../limits.ts";
import type { Passkey } from "./factor.ts";
import type { Site } from "./site.ts";

export type NewCredential = {
  id: string;
  rawId: string;
  type: "public-key";
  response: { clientDataJSON: string; attestationObject: string };
};

export type UsedCredential = {
  id: string;
  rawId: string;
  type: "public-key";
  response: {
    clientDataJSON: string;
    authenticatorData: string;
    signature: string;
    userHandle?: string | undefined;
  };
};

/** The answer of a passkey to the challenge of a ticket, in the browser at a site. */
export type PasskeyAnswer = { credential: UsedCredential; ticket: string; site: Site };

/** Loaded with the first passkey. In the executable a dependency of it fails without the polyfill. */
async function load() {
  await import("reflect-metadata");
  return import("@simplewebauthn/server");
}

/** The options by which a device makes a passkey of a user. */
export async function creationOptions(
  { host }: Site,
  challenge: string,
  user: { name: string; handle: string },
  known: readonly Passkey[],
  minutes: number,
) {
  const { generateRegistrationOptions } = await load();
  return generateRegistrationOptions({
    rpName: "formflag",
    rpID: host,
    userName: user.name,
    userDisplayName: user.name,
    userID: new Uint8Array(Buffer.from(user.handle, "base64url")),
    challenge: new Uint8Array(Buffer.from(challenge, "base64url")),
    timeout: minutes * 60_000,
    attestationType: "none",
    excludeCredentials: known.map(({ credential }) => ({
      id: Buffer.from(credential).toString("base64url"),
    })),
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  });
}

/** The options by which a browser offers the passkeys with these ids; without any, every passkey of this site. */
export function requestOptions(
  { host }: Site,
  challenge: string,
  minutes: number,
  ids: readonly Uint8Array[] = [],
) {
  return {
    challenge,
    rpId: host,
    timeout: minutes * 60_000,
    userVerification: "required",
    allowCredentials: ids.map((id) => ({ type: "public-key", id: Buffer.from(id).toString("base64url") })),
  };
}

/** The credential of an answer to {@link creationOptions}. Throws `invalid`, whatever is wrong with it. */
export async function verifyNew(
  response: NewCredential,
  challenge: string,
  { origin, host }: Site,
): Promise<Pick<Passkey, "credential" | "publicKey" | "counter">> {
  const { verifyRegistrationResponse } = await load();
  const { decodeAttestationObject, decodeCredentialPublicKey, isoBase64URL } =
    await import("@simplewebauthn/server/helpers");
  return accepted(async () => {
    // No certificates are asked for, and none is followed: other formats lead to addresses that the sender names.
    const object = decodeAttestationObject(isoBase64URL.toBuffer(response.response.attestationObject));
    const isPlain = object.get("fmt") === "none";
    const isSelf = object.get("fmt") === "packed" && object.get("attStmt").get("x5c") === undefined;
    if (!isPlain && !isSelf) return null;
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: { ...response, clientExtensionResults: {} },
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: host,
      requireUserVerification: true,
    });
    if (!verified) return null;
    const { id, publicKey, counter } = registrationInfo.credential;
    if (id !== response.id || !isSmall(publicKey, decodeCredentialPublicKey(publicKey) as unknown as CoseKey))
      return null;
    return { credential: new Uint8Array(Buffer.from(id, "base64url")), publicKey, counter };
  });
}

/** The new counter of a passkey after an answer to {@link requestOptions}. Throws `invalid`, whatever is wrong with it. */
export async function verifyUse(
  response: UsedCredential,
  { credential, publicKey, counter }: Passkey,
  challenge: string,
  { origin, host }: Site,
): Promise<number> {
  const { verifyAuthenticationResponse } = await load();
  return accepted(async () => {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      // The library does not read the handle of the user, and its type has no undefined.
      response: {
        ...response,
        response: { ...response.response, userHandle: response.response.userHandle ?? "" },
        clientExtensionResults: {},
      },
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: host,
      credential: {
        id: Buffer.from(credential).toString("base64url"),
        publicKey: new Uint8Array(publicKey),
        counter,
      },
      requireUserVerification: true,
    });
    return verified ? authenticationInfo.newCounter : null;
  });
}

type CoseKey = ReadonlyMap<number, unknown>;

/** The numbers of the parts of an RSA key in COSE (RFC 8230, 4). */
const [MODULUS, EXPONENT] = [-1, -2];

/** Whether a public key is used at little cost: any key may be sent, and a large one of RSA would take seconds. */
function isSmall({ byteLength }: Uint8Array, key: CoseKey): boolean {
  const sizeOf = (part: number) => (key.get(part) as Uint8Array | undefined)?.byteLength ?? 0;
  if (byteLength > FACTOR_LIMITS.publicKey) return false;
  return key.get(COSE_KEY_TYPE) !== RSA || (sizeOf(MODULUS) <= 512 && sizeOf(EXPONENT) <= 4);
}

const [COSE_KEY_TYPE, RSA] = [1, 3];

/** The library throws errors of any kind at what it does not accept, and of what it cannot read. */
async function accepted<T>(check: () => Promise<T | null>): Promise<T> {
  let done: T | null;
  try {
    done = await check();
  } catch (error) {
    throw refused(error);
  }
  if (done === null) throw refused();
  return done;
}

function refused(cause?: unknown): AppError {
  return new AppError("invalid", "the passkey was not accepted: try again", {
    reason: "passkey-refused",
    cause,
  });
}
