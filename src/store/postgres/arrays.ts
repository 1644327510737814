// A list as PostgreSQL writes an array: https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO. It is sent as the value of
// a statement, which stores a NUL in it as in any text.

/** A list of texts. */
export function textArray(list: readonly (string | null)[]): string {
  const items = list.map((text) => (text === null ? "NULL" : `"${text.replaceAll(/["\\]/g, "\\$&")}"`));
  return `{${items.join()}}`;
}

/** A list of numbers. */
export function numberArray(list: readonly (number | null)[]): string {
  return `{${list.map((number) => number ?? "NULL").join()}}`;
}

/** A list of bytes. */
export function byteArray(list: readonly (Uint8Array | null)[]): string {
  return `{${list.map((bytes) => (bytes === null ? "NULL" : `"\\\\x${bytes.toHex()}"`)).join()}}`;
}

/** The bytes of ids, which are hexadecimal with dashes. */
export function idArray(ids: readonly (string | null)[]): string {
  const items = ids.map((id) => (id === null ? "NULL" : `"\\\\x${id}"`));
  return `{${items.join()}}`.replaceAll("-", "");
}
