/** MurmurHash3 for 32 bits of the UTF-8 of a text, as flagd hashes it: https://github.com/aappleby/smhasher/wiki/MurmurHash3 */
export function hashOf(text: string): number {
  for (let at = 0; at < text.length; at += 1)
    if (text.charCodeAt(at) > 0x7f) return hashOfBytes(bytesOf(text));
  return hashOfBytes(text);
}

/** `bytes` has one character for each byte. */
function hashOfBytes(bytes: string): number {
  const { length } = bytes;
  let hash = 0;
  let at = 0;
  for (; at + 4 <= length; at += 4) {
    hash ^= mixed(
      bytes.charCodeAt(at) |
        (bytes.charCodeAt(at + 1) << 8) |
        (bytes.charCodeAt(at + 2) << 16) |
        (bytes.charCodeAt(at + 3) << 24),
    );
    hash = (Math.imul((hash << 13) | (hash >>> 19), 5) + 0xe6546b64) | 0;
  }
  let rest = 0;
  for (let shift = 0; at < length; at += 1, shift += 8) rest |= bytes.charCodeAt(at) << shift;
  hash ^= mixed(rest) ^ length;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function mixed(block: number): number {
  const product = Math.imul(block, 0xcc9e2d51);
  return Math.imul((product << 15) | (product >>> 17), 0x1b873593);
}

/** The beginning of the first byte of a character, by the number of bytes behind it. */
const LEADS = [0, 0xc0, 0xe0, 0xf0];

/** The UTF-8 of a text, one character for each byte; half a surrogate pair is U+FFFD. */
function bytesOf(text: string): string {
  let bytes = "";
  for (const sign of text.replace(/\p{Cs}/gu, "\ufffd")) {
    const point = sign.codePointAt(0)!;
    let more = point < 0x80 ? 0 : point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
    bytes += String.fromCharCode(LEADS[more]! | (point >> (6 * more)));
    while ((more -= 1) >= 0) bytes += String.fromCharCode(0x80 | ((point >> (6 * more)) & 0x3f));
  }
  return bytes;
}
