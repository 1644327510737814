import { Decrypter, Encrypter, type Identity, type Recipient } from "age-encryption";
import { MiB } from "../../base/bytes.ts";
import { AppError } from "../../base/errors.ts";
import { sshIdentity, sshRecipient } from "./ssh-key.ts";

type Bytes = ReadableStream<Uint8Array>;

/** Longest header in bytes, before which nothing is decrypted: that of thousands of recipients. */
const MAX_HEADER = 4 * MiB;

/** Encrypts for recipients whose texts `readRecipients` has checked. `opener` decrypts this archive, and only in this process. */
export async function encrypt(
  recipients: readonly string[],
  plain: Bytes,
): Promise<{ encrypted: Bytes; opener: Identity }> {
  const encrypter = new Encrypter();
  for (const each of readRecipients(recipients)) encrypter.addRecipient(each);
  let kept: Uint8Array | null = null;
  encrypter.addRecipient({
    wrapFileKey(fileKey) {
      kept = fileKey;
      return [];
    },
  });
  return { encrypted: await encrypter.encrypt(plain), opener: { unwrapFileKey: () => kept } };
}

/**
 * Recipients by their texts: `age1…` or `ssh-ed25519 AAAA…`. Throws `invalid` for any other, also for a private key, which it does
 * not repeat.
 */
export function readRecipients(texts: readonly string[]): (string | Recipient)[] {
  return texts.map((text) => {
    if (/^AGE-SECRET-KEY-|PRIVATE KEY/i.test(text))
      throw invalid("a recipient is a public key, and this one is private: it must not be here");
    if (text.startsWith("ssh-")) {
      const recipient = sshRecipient(text);
      if (recipient) return recipient;
      const what = /^ssh-ed25519(\s|$)/.test(text) ? "is damaged" : "is not of the type ssh-ed25519";
      throw invalid(`the recipient ${shown(text)} ${what}`);
    }
    try {
      new Encrypter().addRecipient(text);
    } catch {
      throw invalid(`the recipient ${shown(text)} is neither age1… nor ssh-ed25519 …, or has a mistake`);
    }
    return text;
  });
}

function shown(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}

/** The identities in the text of a file: those of age, one a line, or a private key of SSH. Throws `invalid`; `name` is the file. */
export function readIdentities(text: string, name: string): (string | Identity)[] {
  if (/^-----BEGIN AGE ENCRYPTED FILE-----|^age-encryption\.org\//.test(text))
    throw invalid(`${name} is protected by a passphrase`, `decrypt it first: age -d ${name}`);
  if (/^-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text)) return [identityOfSsh(text, name)];
  const lines = text.split("\n").map((line) => line.trim());
  const found = lines.flatMap((line, index) => {
    if (line === "" || line.startsWith("#")) return [];
    try {
      new Decrypter().addIdentity(line);
    } catch {
      const what = line.startsWith("age1") || line.startsWith("ssh-") ? "is a public key" : "is no identity";
      throw invalid(`line ${index + 1} of ${name} ${what}`, IDENTITIES);
    }
    return [line];
  });
  if (found.length === 0) throw invalid(`${name} holds no identity`, IDENTITIES);
  return found;
}

const IDENTITIES = "it is what age-keygen writes, or a private key that ssh-keygen -t ed25519 writes";

function identityOfSsh(text: string, name: string): Identity {
  try {
    return sshIdentity(text);
  } catch (error) {
    const why = (error as Error).message;
    const hint = /passphrase/.test(why)
      ? `save a copy without one: cp ${name} copy && ssh-keygen -p -N '' -f copy`
      : IDENTITIES;
    throw invalid(`${name} is of no use: it is ${why}`, hint);
  }
}

/**
 * Decrypts an archive. Throws `forbidden` if no identity opens it, with `name` as where they are from, and `unsupported` for a
 * damaged header; the stream throws it for damage behind that.
 */
export async function decrypt(
  identities: readonly (string | Identity)[],
  name: string,
  encrypted: Bytes,
): Promise<Bytes> {
  const decrypter = new Decrypter();
  for (const each of identities) decrypter.addIdentity(each);
  // Reached if no identity before it matched.
  decrypter.addIdentity({
    unwrapFileKey() {
      throw new AppError("forbidden", `none of the identities in ${name} opens this archive`, {
        hint: "name the file with the private key of a recipient, with which the archive was encrypted",
      });
    },
  });
  let header: number | null = 0;
  const bounded = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      if (header !== null && (header += chunk.byteLength) > MAX_HEADER) throw damaged();
      controller.enqueue(chunk);
    },
  });
  const plain = await decrypter.decrypt(encrypted.pipeThrough(bounded)).catch((error: unknown) => {
    throw error instanceof AppError ? error : damaged(error);
  });
  header = null;
  return plain;
}

/** The error of an archive that cannot be decrypted although its key is known. */
function damaged(cause?: unknown): AppError {
  return new AppError("unsupported", "this archive is damaged: it cannot be decrypted", {
    hint: "was it copied or downloaded completely?",
    cause,
  });
}

function invalid(message: string, hint?: string): AppError {
  return new AppError("invalid", message, { hint });
}
