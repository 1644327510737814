/** The bytes that store the id of a submission, or the first ones of an incomplete id. */
export function bytesOf(id: string): Buffer {
  return Buffer.from(id.replaceAll("-", ""), "hex");
}

/** The id that 16 bytes store. */
export function textOf(id: Uint8Array): string {
  const hex = Buffer.from(id.buffer, id.byteOffset, id.byteLength).toString("hex");
  return [0, 8, 12, 16, 20].map((start, part) => hex.slice(start, [8, 12, 16, 20, 32][part])).join("-");
}
