import { normalize } from "../base/normalize.ts";
import { formatBytes } from "../base/bytes.ts";
import { AppError } from "../base/errors.ts";
import { PASSWORD_LIMITS } from "./limits.ts";

/** Argon2id with 19 MiB and 2 passes: https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html */
export const HASHING = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const;

/** The format of a hash that formflag makes. One that a backup brings must not cost more. */
export const PASSWORD_HASH = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{43}\$[A-Za-z0-9+/]{43}$/;

/**
 * A password with the characters that keyboards compose in different ways made equal; null if it is too long to be one.
 */
function normalise(typed: string): string | null {
  if (Buffer.byteLength(typed) > PASSWORD_LIMITS.typedBytes) return null;
  const password = normalize(typed, "NFKC");
  return Buffer.byteLength(password) > PASSWORD_LIMITS.bytes ? null : password;
}

/** A password that was typed to be checked, normalised; null for a text that is no password, whose hash is not worth the work. */
export function typedPassword(text: string): string | null {
  return normalise(text) || null;
}

/** A new password, normalised. Throws `invalid` if it is too short or too long. */
export function checkNewPassword(text: string): string {
  const password = normalise(text);
  const { leastCharacters, bytes } = PASSWORD_LIMITS;
  if (password === null)
    throw new AppError("invalid", `a password has at most ${formatBytes(bytes)}`, {
      reason: "password-long",
    });
  if (Array.from(password).length < leastCharacters)
    throw new AppError("invalid", `a password has at least ${leastCharacters} characters`, {
      reason: "password-short",
    });
  return password;
}
