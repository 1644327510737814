import type { FileHandle } from "node:fs/promises";
import { KiB } from "../base/bytes.ts";
import { type Sum, createSum } from "../base/sum.ts";

/**
 * Bytes of a file that are collected for one write. A write for each chunk that arrives costs a third of the throughput:
 * `npm run bench -- uploads`.
 */
const WRITE_SIZE = 256 * KiB;
/** Buffers that are kept for the next files. */
const MAX_FREE_BUFFERS = 32;

/** The bytes of one file on their way to the disk. */
type FileWriter = {
  /** Appends bytes. If it returns a promise, the caller must not change or append bytes until that settles. */
  write: (bytes: Uint8Array) => Promise<void> | undefined;
  /** Writes what was collected, and returns the sum of all bytes; may be called again. */
  finish: () => Promise<Sum>;
  /** Forgets what was collected. */
  abandon: () => void;
};

/** Returns a function that creates writers; each passes large pieces to its `put`. They share their buffers. */
export function createFileWriters(): (put: (bytes: Uint8Array) => Promise<void>) => FileWriter {
  const free: Buffer[] = [];
  return (put) => {
    const sum = createSum();
    let buffer: Buffer | undefined;
    let used = 0;
    const putAll = (bytes: Uint8Array) => {
      sum.add(bytes);
      return put(bytes);
    };
    const flush = async () => {
      if (!buffer) return;
      const bytes = buffer.subarray(0, used);
      used = 0;
      await putAll(bytes);
    };
    const append = async (bytes: Uint8Array) => {
      await flush();
      if (!buffer || bytes.byteLength >= WRITE_SIZE) return putAll(bytes);
      buffer.set(bytes);
      used = bytes.byteLength;
    };
    return {
      write(bytes) {
        buffer ??= free.pop() ?? Buffer.allocUnsafeSlow(WRITE_SIZE);
        if (used + bytes.byteLength > WRITE_SIZE) return append(bytes);
        buffer.set(bytes, used);
        used += bytes.byteLength;
        return undefined;
      },
      async finish() {
        await flush();
        if (buffer && free.length < MAX_FREE_BUFFERS) free.push(buffer);
        buffer = undefined;
        return sum.result();
      },
      // A write may still read the buffer, so no other file gets it.
      abandon: () => void (buffer = undefined),
    };
  };
}

/** Appends all the bytes to a file. */
export async function writeAll(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  let offset = 0;
  while (offset < bytes.byteLength) {
    const { bytesWritten } = await handle.write(bytes, offset, bytes.byteLength - offset);
    offset += bytesWritten;
  }
}
