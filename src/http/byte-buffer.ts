/**
 * Bytes that arrive in pieces, in one buffer that doubles as it fills. A list of pieces would cost about a hundred bytes
 * for each, and a sender may send bytes one by one.
 */
export type ByteBuffer = {
  size: () => number;
  append: (bytes: Uint8Array) => void;
  /** A view, valid until the next change. */
  bytes: () => Buffer;
  /** Removes the first bytes. */
  drop: (count: number) => void;
};

const EMPTY = Buffer.alloc(0);
const MIN_CAPACITY = 1024;

export function createByteBuffer(): ByteBuffer {
  let buffer = EMPTY;
  let size = 0;
  const move = (start: number, capacity: number) => {
    const larger = Buffer.allocUnsafeSlow(capacity);
    buffer.copy(larger, 0, start, size);
    buffer = larger;
  };
  return {
    size: () => size,
    append(bytes) {
      const needed = size + bytes.byteLength;
      if (needed > buffer.length) move(0, Math.max(needed, 2 * buffer.length, MIN_CAPACITY));
      buffer.set(bytes, size);
      size = needed;
    },
    bytes: () => buffer.subarray(0, size),
    drop(count) {
      const remaining = size - count;
      if (remaining === 0) buffer = EMPTY;
      // Frees a large buffer of which little is left.
      else if (buffer.length > MIN_CAPACITY && buffer.length > 4 * remaining)
        move(count, Math.max(remaining, MIN_CAPACITY));
      else if (count > 0) buffer.copyWithin(0, count, size);
      size = remaining;
    },
  };
}
