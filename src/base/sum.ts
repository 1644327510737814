/** Bytes, and their SHA-256 in hex. */
export type Sum = { size: number; sha256: string };

/** Measures bytes that come in pieces. */
export function createSum() {
  const hash = new Bun.CryptoHasher("sha256");
  let size = 0;
  let finished: Sum | undefined;
  return {
    /** Returns how many bytes were added. */
    add: (chunk: Uint8Array): number => {
      hash.update(chunk);
      size += chunk.byteLength;
      return chunk.byteLength;
    },
    size: () => size,
    /** Nothing may be added after it. */
    result: (): Sum => (finished ??= { size, sha256: hash.digest("hex") }),
  };
}
