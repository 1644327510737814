import { AppError } from "../../base/errors.ts";
import type { Random } from "../../base/ids.ts";

/** A login of the command line that waits for its approval. Times are milliseconds since 1970. */
export type DeviceLogin = {
  /** The name that the client gives itself. */
  client: string;
  address: string;
  /** Seconds for which its session will last. */
  lasts: number;
  createdAt: number;
  expiresAt: number;
};

/** Without vowels, so that no code is a word, and without digits that look like letters (RFC 8628, 6.1). */
const LETTERS = "BCDFGHJKLMNPQRSTVWXZ";
const CODE = new RegExp(`^[${LETTERS}]{8}$`);

/** The code that a person types: `ABCD-EFGH`, each letter equally likely. */
export function userCode(random: Random): string {
  const limit = 256 - (256 % LETTERS.length);
  let code = "";
  while (code.length < 8) {
    for (const byte of random(16))
      if (byte < limit && code.length < 8) code += LETTERS[byte % LETTERS.length];
  }
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}

/** A code as it was made, of one that was typed in small letters or with other dashes; null for what cannot be one. */
export function typedCode(text: string): string | null {
  if (text.length > 50) return null;
  const letters = text.toUpperCase().replaceAll(/[\s\p{Pd}_.]/gu, "");
  if (!CODE.test(letters)) return null;
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}

export function noSuchLogin(): AppError {
  return new AppError("not_found", "no login waits under this code: it was answered, or has expired", {
    reason: "login-unknown",
  });
}
