/**
 * The messages of `flagd.sync.v1`: texts with a number, in the encoding of protocol buffers.
 * https://protobuf.dev/programming-guides/encoding/ and https://buf.build/open-feature/flagd/docs/main:flagd.sync.v1
 */

/** The selector in a request of `SyncFlags` or `FetchAllFlags`, its field 2. Undefined for a message that is broken. */
export function selectorIn(message: Buffer): string | undefined {
  let [at, selector] = [0, ""];
  const varint = (): number => {
    // Numbers past 2^53 are no lengths or tags: what they lead to is past the end.
    for (let value = 0, scale = 1; at < message.length && scale < 2 ** 70; scale *= 128) {
      const byte = message[at]!;
      at += 1;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
    return Number.NaN;
  };
  while (at < message.length) {
    const tag = varint();
    const length = lengthOf(tag % 8, varint);
    const end = at + length;
    if (!(end <= message.length)) return undefined;
    if (tag === SELECTOR) selector = message.toString("utf8", at, end);
    at = end;
  }
  return selector;
}

/** Bytes of a value behind what `varint` reads of it, by its wire type; NaN for a type that there is not. */
function lengthOf(type: number, varint: () => number): number {
  if (type === 0) return varint() * 0;
  if (type === 2) return varint();
  return type === 1 ? 8 : type === 5 ? 4 : Number.NaN;
}

/** Field 2, a text. */
const SELECTOR = 2 * 8 + 2;

/** An answer with a flagd file: field 1. */
export function fileMessage(text: string): Buffer {
  const file = Buffer.from(text);
  const head = [8 + 2];
  let rest = file.length;
  for (; rest > 127; rest = Math.floor(rest / 128)) head.push((rest % 128) + 128);
  return Buffer.concat([Buffer.from([...head, rest]), file]);
}
