import type { Random } from "../../base/ids.ts";
import { base32 } from "./base32.ts";

/** Codes of an authenticator app (RFC 6238) as every app makes them: SHA-1, six digits, steps of 30 seconds. */
const TOTP = { bytes: 20, digits: 6, seconds: 30 } as const;

/** Steps by which the clock of a device may differ. */
const SKEW = 1;

/** The length of a key in base32. */
export const TOTP_KEY = /^[a-z2-7]{32}$/;

/** A new key: 160 random bits. */
export function totpKey(random: Random): Uint8Array {
  return random(TOTP.bytes);
}

/** The code of a step (RFC 4226, 5.3). */
export function totpCode(key: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = new Bun.CryptoHasher("sha1", key).update(counter).digest();
  const number = mac.readUInt32BE(mac[19]! & 15) & 0x7fffffff;
  return String(number % 10 ** TOTP.digits).padStart(TOTP.digits, "0");
}

/** The step of a time in milliseconds since 1970. */
export function totpStep(now: number): number {
  return Math.floor(now / 1000 / TOTP.seconds);
}

/** The step whose code this is, around `now` and behind the step `last`; null for a code of no such step. */
export function stepOfCode(key: Uint8Array, code: string, now: number, last: number): number | null {
  const current = totpStep(now);
  for (let step = Math.max(current - SKEW, last + 1, 0); step <= current + SKEW; step += 1)
    if (crypto.timingSafeEqual(Buffer.from(totpCode(key, step)), Buffer.from(code))) return step;
  return null;
}

/** The digits of a code as they were typed, with spaces or without; null for a text that is none. */
export function typedCode(text: string): string | null {
  const digits = text.slice(0, 20).replace(/\s/g, "");
  return /^\d{6}$/.test(digits) ? digits : null;
}

/** The address by which apps take a key, such as from a QR code. `place` names the server beside others. */
export function totpUrl(key: Uint8Array, user: string, place: string): string {
  const label = `formflag:${user}${place === "" ? "" : `@${place}`}`;
  const parameters = new URLSearchParams({
    secret: base32(key).toUpperCase(),
    issuer: "formflag",
    algorithm: "SHA1",
    digits: String(TOTP.digits),
    period: String(TOTP.seconds),
  });
  return `otpauth://totp/${encodeURIComponent(label)}?${parameters.toString()}`;
}
