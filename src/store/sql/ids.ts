/** The bytes that store the id of a submission, or the first ones of an incomplete id. */
export function bytesOf(id: string): Buffer {
  return Buffer.from(id.replaceAll("-", ""), "hex");
}

/** The id that 16 bytes store. */
export function textOf(id: Uint8Array): string {
  const hex = id.toHex();
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** The bytes that store a hash in hex. */
export function bytesOfHash(hash: string): Buffer {
  return Buffer.from(hash, "hex");
}

/** The opposite of {@link bytesOfHash}. */
export function hashOfBytes(bytes: Uint8Array | null): string | null {
  return bytes === null ? null : Buffer.from(bytes).toString("hex");
}
