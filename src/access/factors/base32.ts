const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";

/** Bytes in base32 (RFC 4648) in lower case, without padding; the length in bits is a multiple of five. */
export function base32(bytes: Uint8Array): string {
  let [text, value, bits] = ["", 0, 0];
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xfff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += ALPHABET[(value >> bits) & 31];
    }
  }
  return text;
}

/** The bytes of a text that {@link base32} made; null for another one. */
export function bytesOfBase32(text: string): Uint8Array | null {
  const bytes: number[] = [];
  let [value, bits] = [0, 0];
  for (const character of text) {
    const digit = ALPHABET.indexOf(character);
    if (digit < 0) return null;
    value = ((value << 5) | digit) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((value >> bits) & 255);
  }
  return Uint8Array.from(bytes);
}
