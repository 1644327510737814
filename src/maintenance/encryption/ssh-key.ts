import { createHash, hkdfSync } from "node:crypto";
import { chacha20poly1305 } from "@noble/ciphers/chacha.js";
import { ed25519, x25519 } from "@noble/curves/ed25519.js";
import { type Identity, type Recipient, Stanza } from "age-encryption";

/** The type of the keys, and of the stanzas for them. */
const TYPE = "ssh-ed25519";
const LABEL = `age-encryption.org/v1/${TYPE}`;
const NONCE = new Uint8Array(12);
const KEY_SIZE = 32;
/** A wrapped file key: 16 bytes and their tag. */
const BODY_SIZE = 32;

/**
 * The recipient of a public key as in `id_ed25519.pub`; null for a text that is none. The library has no keys of SSH; the format is
 * that of https://github.com/FiloSottile/age (agessh), which converts them to X25519.
 */
export function sshRecipient(text: string): Recipient | null {
  const [type, encoded = ""] = text.split(" ");
  const key = keyIn(Buffer.from(encoded, "base64"));
  if (type !== TYPE || key === null || Buffer.from(wireOf(key)).toString("base64") !== encoded) return null;
  const theirs = montgomeryOf(key);
  return (
    theirs && {
      wrapFileKey(fileKey) {
        const ephemeral = x25519.utils.randomSecretKey();
        const share = x25519.getPublicKey(ephemeral);
        const wrapping = wrappingKey(key, theirs, share, x25519.scalarMult(ephemeral, theirs));
        return [
          new Stanza([TYPE, tagOf(key), unpadded(share)], chacha20poly1305(wrapping, NONCE).encrypt(fileKey)),
        ];
      },
    }
  );
}

/** The identity of a private key that `ssh-keygen -t ed25519` wrote. Throws an `Error` that says why it is of no use. */
export function sshIdentity(pem: string): Identity {
  const seed = seedIn(pem);
  const key = ed25519.getPublicKey(seed);
  const ours = montgomeryOf(key)!;
  const secret = createHash("sha512").update(seed).digest().subarray(0, KEY_SIZE);
  return {
    unwrapFileKey(stanzas) {
      for (const { args, body } of stanzas) {
        const share = Buffer.from(args[2] ?? "", "base64");
        if (args[0] !== TYPE || args[1] !== tagOf(key)) continue;
        if (share.length !== KEY_SIZE || body.length !== BODY_SIZE) continue;
        try {
          const wrapping = wrappingKey(key, ours, share, x25519.scalarMult(secret, share));
          return chacha20poly1305(wrapping, NONCE).decrypt(body);
        } catch {
          // For another key with the same tag, or damaged.
          continue;
        }
      }
      return null;
    },
  };
}

function wrappingKey(key: Uint8Array, theirs: Uint8Array, share: Uint8Array, shared: Uint8Array): Uint8Array {
  const tweak = new Uint8Array(hkdfSync("sha256", new Uint8Array(), wireOf(key), LABEL, KEY_SIZE));
  const salt = Buffer.concat([share, theirs]);
  return new Uint8Array(hkdfSync("sha256", x25519.scalarMult(tweak, shared), salt, LABEL, KEY_SIZE));
}

/** The point of a public key as X25519 has it; null for bytes that are none. */
function montgomeryOf(key: Uint8Array): Uint8Array | null {
  try {
    return ed25519.Point.fromBytes(key).isSmallOrder() ? null : ed25519.utils.toMontgomery(key);
  } catch {
    return null;
  }
}

/** The first four bytes of the SHA-256 of a public key, by which an identity finds its stanza. */
function tagOf(key: Uint8Array): string {
  return unpadded(createHash("sha256").update(wireOf(key)).digest().subarray(0, 4));
}

function unpadded(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64").replaceAll("=", "");
}

/** A public key as SSH sends it: https://www.rfc-editor.org/rfc/rfc8709 */
function wireOf(key: Uint8Array): Uint8Array {
  return Buffer.concat([stringOf(Buffer.from(TYPE)), stringOf(key)]);
}

function stringOf(bytes: Uint8Array): Uint8Array {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

function keyIn(wire: Buffer): Uint8Array | null {
  const read = createReader(wire);
  try {
    return read.string().toString() === TYPE ? keyOf(read.string()) : null;
  } catch {
    return null;
  }
}

function keyOf(bytes: Buffer): Uint8Array | null {
  return bytes.length === KEY_SIZE ? new Uint8Array(bytes) : null;
}

const PEM =
  /^-----BEGIN OPENSSH PRIVATE KEY-----\s+([A-Za-z0-9+/=\s]+?)-----END OPENSSH PRIVATE KEY-----\s*$/;
const MAGIC = "openssh-key-v1\0";

/** The secret of a private key: https://github.com/openssh/openssh-portable/blob/master/PROTOCOL.key */
function seedIn(pem: string): Uint8Array {
  const bytes = Buffer.from(PEM.exec(pem.trim())?.[1] ?? "", "base64");
  if (bytes.subarray(0, MAGIC.length).toString("latin1") !== MAGIC)
    throw new Error("no private key of OpenSSH");
  const outer = createReader(bytes.subarray(MAGIC.length));
  const cipher = outer.string().toString();
  if (cipher !== "none") throw new Error("protected by a passphrase");
  outer.string();
  outer.string();
  if (outer.number() !== 1) throw new Error("no single key");
  outer.string();
  const inner = createReader(outer.string());
  if (inner.number() !== inner.number()) throw new Error("damaged");
  const type = inner.string().toString();
  if (type !== TYPE) throw new Error(`a key of the type ${type.replace(/[^\w-]/g, "?").slice(0, 40)}`);
  inner.string();
  const secret = inner.string();
  if (secret.length !== 2 * KEY_SIZE) throw new Error("damaged");
  return new Uint8Array(secret.subarray(0, KEY_SIZE));
}

/** Reads numbers and strings as SSH writes them. Throws for bytes that end early. */
function createReader(bytes: Buffer) {
  let at = 0;
  const take = (length: number) => {
    if (at + length > bytes.length) throw new Error("damaged");
    return bytes.subarray(at, (at += length));
  };
  const number = () => take(4).readUInt32BE();
  return { number, string: () => take(number()) };
}
