/** Parses a value of a condition: a number, true or false; a value in quotes, and any other, is a text. */
export function valueOf(text: string): unknown {
  const quoted = unquoted(text);
  if (quoted !== undefined) return quoted;
  if (text === "true" || text === "false") return text === "true";
  return /^-?\d+(\.\d+)?$/.test(text) && String(Number(text)) === text ? Number(text) : text;
}

/** The text in quotes; undefined for a text without. */
export function unquoted(text: string): string | undefined {
  return /^"([^"]*)"$|^'([^']*)'$/s
    .exec(text)
    ?.slice(1)
    .find((part) => part !== undefined);
}

/** Parses values between commas; one in quotes may hold commas itself. */
export function listOf(text: string): unknown[] {
  const parts = text.match(/\s*("[^"]*"|'[^']*'|[^,]*)\s*(,|$)/gs) ?? [];
  return parts
    .map((part) => part.replace(/,$/, "").trim())
    .filter(Boolean)
    .map(valueOf);
}

/** A value as `valueOf` reads it. */
export function textOf(value: unknown): string {
  return quotedWhere(value, (text) => valueOf(text) === text);
}

/** A value as `listOf` reads it in a list. */
export function itemText(value: unknown): string {
  return quotedWhere(value, (text) => valueOf(text) === text && !text.includes(","));
}

/** A text as `unquoted` reads it, where it is in quotes. */
export function plainText(value: unknown): string {
  return quotedWhere(value, (text) => unquoted(text) === undefined);
}

/** A text, a number, true or false as text; empty for anything else, whose `toString` may be a value of its own. */
export function scalarText(value: unknown): string {
  const isScalar = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
  return isScalar ? String(value) : "";
}

/** A text, in quotes unless it `isPlain`; any other value as its text. */
function quotedWhere(value: unknown, isPlain: (text: string) => boolean): string {
  if (typeof value !== "string") return scalarText(value);
  if (isPlain(value) && value !== "" && value.trim() === value) return value;
  return value.includes('"') ? `'${value}'` : `"${value}"`;
}
