/**
 * A cell of CSV (RFC 4180): a text in quotes, a number or boolean as JSON, nothing for null or undefined, and an array
 * or object as JSON in quotes. A text that a spreadsheet would run as a formula is prefixed with `'` (OWASP, CSV
 * injection), also where one begins inside it: a spreadsheet that splits at semicolons or tabs makes cells of the
 * parts, whether or not they are in quotes.
 */
export function csvCell(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return quoted(harmless(value));
  return typeof value === "object" ? quoted(harmlessJson(JSON.stringify(value))) : JSON.stringify(value);
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

/** Characters that begin a formula. The full-width forms count too: some spreadsheets fold them. */
const FORMULA = "=+\\-@＝＋－＠";
const AT_START = new RegExp(`^[${FORMULA}\\t\\r\\n\\0]`);
/** Where a part of a text begins, and its first character; what stands between them is no part of a formula. */
const PART = new RegExp(`([;\\t\\r\\n][;"\\s]*)([${FORMULA}]?)`, "g");
const PART_OF_JSON = new RegExp(`(;[;\\s]*)([${FORMULA}]?)`, "g");

function harmless(text: string): string {
  const parts = text.replaceAll(PART, (part, before: string, first: string) =>
    first === "" ? part : `${before}'${first}`,
  );
  return AT_START.test(text) ? `'${parts}` : parts;
}

/** The same value in JSON: a semicolon is in a text there, in which any character may be an escape. */
function harmlessJson(json: string): string {
  return json.replaceAll(PART_OF_JSON, (part, before: string, first: string) =>
    first === "" ? part : `${before}\\u${first.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
