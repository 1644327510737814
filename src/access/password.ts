import { formatBytes } from "../base/bytes.ts";
import { AppError } from "../base/errors.ts";
import { PASSWORD_LIMITS } from "./limits.ts";

/** Argon2id with 19 MiB and 2 passes: https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html */
export const HASHING = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const;

/** The format of a hash that formflag makes. One that a backup brings must not cost more. */
export const PASSWORD_HASH = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{43}\$[A-Za-z0-9+/]{43}$/;

/** The characters of a password, which keyboards compose in different ways. */
export function normalisePassword(text: string): string {
  return text.normalize("NFKC");
}

/** Whether a password is short enough to be one, so that its hash is worth the work. */
export function isPossible(password: string): boolean {
  return password !== "" && Buffer.byteLength(password) <= PASSWORD_LIMITS.bytes;
}

/** A new password, normalised. Throws `invalid` where it is too short or too long. */
export function checkNewPassword(text: string): string {
  const password = normalisePassword(text);
  const { leastCharacters, bytes } = PASSWORD_LIMITS;
  if (Array.from(password).length < leastCharacters)
    throw new AppError("invalid", `a password has at least ${leastCharacters} characters`, {
      reason: "password-short",
    });
  if (Buffer.byteLength(password) > bytes)
    throw new AppError("invalid", `a password has at most ${formatBytes(bytes)}`, {
      reason: "password-long",
    });
  return password;
}
