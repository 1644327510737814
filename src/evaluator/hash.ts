/** MurmurHash3 for 32 bits of the UTF-8 of a text, as flagd hashes it: https://github.com/aappleby/smhasher/wiki/MurmurHash3 */
export function hashOf(text: string): number {
  for (let at = 0; at < text.length; at += 1)
    if (text.charCodeAt(at) > 0x7f) return hashOfBytes(bytesOf(text));
  return hashOfBytes(text);
}

/** `bytes` has one character for each byte. */
function hashOfBytes(bytes: string): number {
  const { length } = bytes;
  const whole = length & ~3;
  let hash = 0;
  for (let at = 0; at < whole; at += 4) {
    const block =
      bytes.charCodeAt(at) |
      (bytes.charCodeAt(at + 1) << 8) |
      (bytes.charCodeAt(at + 2) << 16) |
      (bytes.charCodeAt(at + 3) << 24);
    hash ^= mixed(block);
    hash = (Math.imul((hash << 13) | (hash >>> 19), 5) + 0xe6546b64) | 0;
  }
  let rest = 0;
  for (let at = length - 1; at >= whole; at -= 1) rest = (rest << 8) | bytes.charCodeAt(at);
  hash ^= mixed(rest) ^ length;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function mixed(block: number): number {
  const product = Math.imul(block, 0xcc9e2d51);
  return Math.imul((product << 15) | (product >>> 17), 0x1b873593);
}

/** The UTF-8 of a text, one character for each byte; half a surrogate pair is U+FFFD. */
function bytesOf(text: string): string {
  let bytes = "";
  for (const sign of text) {
    const point = sign.codePointAt(0)!;
    const code = point >= 0xd800 && point <= 0xdfff ? 0xfffd : point;
    const more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    bytes += String.fromCharCode(more === 0 ? code : ((0xff80 >> more) & 0xff) | (code >> (6 * more)));
    for (let left = more - 1; left >= 0; left -= 1)
      bytes += String.fromCharCode(0x80 | ((code >> (6 * left)) & 0x3f));
  }
  return bytes;
}
