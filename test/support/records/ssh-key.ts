import { ed25519 } from "@noble/curves/ed25519.js";

/** A pair of keys as ssh-keygen writes them: https://github.com/openssh/openssh-portable/blob/master/PROTOCOL.key */
export function sshKeyPair(comment: string, { cipher = "none", type = "ssh-ed25519" } = {}) {
  const { secretKey, publicKey } = ed25519.keygen();
  const wire = Buffer.concat([text(type), text(publicKey)]);
  const check = Buffer.alloc(8, 7);
  const secret = [text(type), text(publicKey), text(Buffer.concat([secretKey, publicKey])), text(comment)];
  const key = [
    text(cipher),
    text(cipher),
    text(""),
    number(1),
    text(wire),
    text(Buffer.concat([check, ...secret])),
  ];
  const encoded = Buffer.concat([Buffer.from("openssh-key-v1\0"), ...key]).toString("base64");
  const lines = encoded.match(/.{1,70}/g)!.join("\n");
  return {
    pem: `-----BEGIN OPENSSH PRIVATE KEY-----\n${lines}\n-----END OPENSSH PRIVATE KEY-----\n`,
    publicKey: `${type} ${wire.toString("base64")} ${comment}`,
  };
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function text(value: string | Uint8Array): Buffer {
  return Buffer.concat([number(Buffer.byteLength(value)), Buffer.from(value as string)]);
}
