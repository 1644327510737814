/** Bytes, and their SHA-256 in hex. */
export type Sum = { size: number; sha256: string };

/** Returns a counter of the size and the SHA-256 of bytes that arrive in chunks. */
export function createSum() {
  const hash = new Bun.CryptoHasher("sha256");
  let size = 0;
  let finished: Sum | undefined;
  return {
    /** Returns the bytes of the chunk. */
    add: (chunk: Uint8Array): number => {
      hash.update(chunk);
      size += chunk.byteLength;
      return chunk.byteLength;
    },
    size: () => size,
    /** Ends the sum: `add` must not be called afterwards. */
    result: (): Sum => (finished ??= { size, sha256: hash.digest("hex") }),
  };
}

/** The SHA-256 of a text as hex. */
export function sha256(text: string): string {
  return new Bun.CryptoHasher("sha256").update(text).digest("hex");
}

/** Returns the size and the SHA-256 of all chunks; calls `each` with every chunk and waits for it. */
export async function sumOf(
  bytes: AsyncIterable<Uint8Array>,
  each?: (chunk: Uint8Array) => Promise<void>,
): Promise<Sum> {
  const sum = createSum();
  for await (const chunk of bytes) {
    sum.add(chunk);
    await each?.(chunk);
  }
  return sum.result();
}
