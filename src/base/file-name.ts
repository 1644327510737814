/** Bytes of a file name that every file system and mail program takes. */
const FILE_NAME_BYTES = 200;

/**
 * A name of at most {@link FILE_NAME_BYTES} bytes of UTF-8. A longer one loses characters in front of its extension, which
 * programs open it by.
 */
export function shortFileName(name: string): string {
  if (Buffer.byteLength(name) <= FILE_NAME_BYTES) return name;
  const extension = /\.[^.\s]{1,16}$/u.exec(name)?.[0] ?? "";
  const room = new Uint8Array(FILE_NAME_BYTES - Buffer.byteLength(extension));
  // Ends between characters.
  const { read } = new TextEncoder().encodeInto(name.slice(0, name.length - extension.length), room);
  return name.slice(0, read) + extension;
}
