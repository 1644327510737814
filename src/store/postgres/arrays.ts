/** A list of texts as PostgreSQL writes an array: https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO */
export function textArray(list: readonly (string | null)[]): string {
  const items = list.map((text) => (text === null ? "NULL" : `"${text.replaceAll(/["\\]/g, "\\$&")}"`));
  return `{${items.join()}}`;
}

/** A list of numbers as an array. */
export function numberArray(list: readonly number[]): string {
  return `{${list.join()}}`;
}

/** The bytes of ids, which are hexadecimal with dashes, as an array. */
export function idArray(ids: readonly string[]): string {
  return `{${ids.map((id) => `"\\\\x${id.replaceAll("-", "")}"`).join()}}`;
}
