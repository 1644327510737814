import { createHash, generateKeyPairSync, sign } from "node:crypto";

/** CBOR (RFC 8949) of what an authenticator sends: integers, bytes, texts and maps. */
function cbor(value: unknown): Buffer {
  const head = (major: number, size: number) =>
    size < 24
      ? Buffer.from([(major << 5) | size])
      : size < 256
        ? Buffer.from([(major << 5) | 24, size])
        : Buffer.from([(major << 5) | 25, size >> 8, size & 255]);
  if (typeof value === "number") return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === "string")
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.byteLength), value]);
  const entries = [...(value as Map<unknown, unknown>)];
  return Buffer.concat([head(5, entries.length), ...entries.flat().map(cbor)]);
}

const b64 = (bytes: Uint8Array | string) => Buffer.from(bytes as string).toString("base64url");
const digest = (bytes: Uint8Array | string) => createHash("sha256").update(bytes).digest();

/** How an answer may differ from what is right. */
type Faults = {
  challenge?: string;
  origin?: string;
  host?: string;
  type?: string;
  /** Present 1, verified 4. */
  flags?: number;
  userHandle?: string;
  fmt?: string;
  credential?: Uint8Array;
};

/** A device that makes passkeys with ES256, as a browser would pass on what it does at an origin. */
export function createAuthenticator(origin: string) {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { x, y } = publicKey.export({ format: "jwk" }) as { x: string; y: string };
  const credential = crypto.getRandomValues(Buffer.alloc(32));
  let handle = "";
  const device = {
    /** How often it was used; it stays 0 for a device that does not count. */
    counter: 0,
    credential,
    create(options: { challenge: string; rp: { id: string }; user: { id: string } }, faults: Faults = {}) {
      handle = options.user.id;
      const id = faults.credential ?? credential;
      const key = cbor(
        new Map<number, unknown>([
          [1, 2],
          [3, -7],
          [-1, 1],
          [-2, Buffer.from(x, "base64url")],
          [-3, Buffer.from(y, "base64url")],
        ]),
      );
      const size = Buffer.from([id.byteLength >> 8, id.byteLength & 255]);
      const attested = Buffer.concat([Buffer.alloc(16), size, id, key]);
      const authData = dataOf(faults.host ?? options.rp.id, (faults.flags ?? 5) | 0x40, attested);
      const attestation = new Map<string, unknown>([
        ["fmt", faults.fmt ?? "none"],
        ["attStmt", new Map()],
        ["authData", authData],
      ]);
      const clientDataJSON = clientData("webauthn.create", options.challenge, faults);
      return credentialOf(id, {
        clientDataJSON: b64(clientDataJSON),
        attestationObject: b64(cbor(attestation)),
      });
    },
    get(options: { challenge: string; rpId: string }, faults: Faults = {}) {
      const data = dataOf(faults.host ?? options.rpId, faults.flags ?? 5, Buffer.alloc(0));
      const clientDataJSON = clientData("webauthn.get", options.challenge, faults);
      const signature = sign("sha256", Buffer.concat([data, digest(clientDataJSON)]), privateKey);
      return credentialOf(faults.credential ?? credential, {
        clientDataJSON: b64(clientDataJSON),
        authenticatorData: b64(data),
        signature: b64(signature),
        userHandle: faults.userHandle ?? handle,
      });
    },
  };
  const dataOf = (host: string, flags: number, rest: Buffer) => {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(device.counter);
    return Buffer.concat([digest(host), Buffer.from([flags]), counter, rest]);
  };
  const clientData = (type: string, challenge: string, faults: Faults) =>
    JSON.stringify({
      type: faults.type ?? type,
      challenge: faults.challenge ?? challenge,
      origin: faults.origin ?? origin,
      crossOrigin: false,
    });
  const credentialOf = <T>(id: Uint8Array, response: T) => ({
    id: b64(id),
    rawId: b64(id),
    type: "public-key" as const,
    response,
    clientExtensionResults: {},
  });
  return device;
}
