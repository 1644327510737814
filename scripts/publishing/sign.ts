import { createPrivateKey, createPublicKey, sign } from "node:crypto";
import { AppError } from "../../src/base/errors.ts";

/** The key of a release: its public half in PEM, and a function that signs. */
export type Signer = { publicKey: string; sign: (bytes: Uint8Array) => Uint8Array };

/**
 * Reads a private key in PEM, as `openssl genpkey -algorithm ed25519` makes one. Signatures are the 64 bytes of Ed25519
 * (RFC 8032). Throws `invalid` for a file that holds no such key.
 */
export async function readSigner(file: string): Promise<Signer> {
  const hint = "openssl genpkey -algorithm ed25519 -out FILE makes one";
  const text = await Bun.file(file)
    .text()
    .catch(() => {
      throw new AppError("invalid", `${file} cannot be read`, { hint });
    });
  let key;
  try {
    key = createPrivateKey(text);
  } catch {
    throw new AppError("invalid", `${file} holds no private key in PEM without a password`, { hint });
  }
  if (key.asymmetricKeyType !== "ed25519")
    throw new AppError("invalid", `${file} holds a key of another kind than Ed25519`, { hint });
  return {
    publicKey: createPublicKey(key).export({ type: "spki", format: "pem" }),
    sign: (bytes) => new Uint8Array(sign(null, bytes, key)),
  };
}
