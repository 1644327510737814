import type { Random } from "../../base/ids.ts";
import { base32 } from "./base32.ts";

const CODES = 10;

/** New recovery codes: `xxxxx-xxxxx`, 50 random bits each, all different. */
export function recoveryCodes(random: Random): string[] {
  const codes = new Set<string>();
  while (codes.size < CODES) {
    const text = base32(random(7));
    codes.add(`${text.slice(0, 5)}-${text.slice(5, 10)}`);
  }
  return [...codes];
}

/** A recovery code as it was typed, in its own form; null for a text that is none. */
export function typedRecoveryCode(text: string): string | null {
  const characters = text.slice(0, 40).toLowerCase().replace(/[\s-]/g, "");
  if (!/^[a-z2-7]{10}$/.test(characters)) return null;
  return `${characters.slice(0, 5)}-${characters.slice(5)}`;
}

/** The hash under which a code is stored: keyed with the user's own key of the app, so that no two users share hashes. */
export function recoveryHash(key: Uint8Array, code: string): string {
  return new Bun.CryptoHasher("sha256", key).update(code).digest("hex");
}
