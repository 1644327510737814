import { numberIn, parseExactly } from "../../base/json/exact-json.ts";
import { isStructure } from "../../base/json.ts";

/**
 * A cell of CSV (RFC 4180): a text in quotes, a number or boolean as JSON, nothing for null or undefined, and an array
 * or object as JSON in quotes. A text that a spreadsheet would run as a formula is prefixed with `'` (OWASP, CSV
 * injection), also where it begins with a `'` already, so that {@link readCell} reads the same text. The same applies to its
 * parts, because a spreadsheet that splits at semicolons or tabs does so inside quotes too. Numbers and phone numbers are no
 * formulas.
 */
export function csvCell(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return quoted(escapeFormulas(value));
  return isStructure(value) ? quoted(escapeFormulasInJson(JSON.stringify(value))) : JSON.stringify(value);
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

/** Characters that begin a formula, with their full-width forms, which some spreadsheets treat alike. */
const FORMULA = "=+\\-@＝＋－＠";
const AT_START = new RegExp(`^'*[${FORMULA}\\t\\r\\n\\0]`);
/** The separator before a part of a text, with whitespace and quotes, and the start of a formula that follows. */
const PART = new RegExp(`([;\\t\\r\\n][;"\\s]*)('*[${FORMULA}])?`, "g");
/** A number, or a phone number with its country, up to the end of its part. */
const NUMBER = /(?:[+-]?\d{1,30}(?:[.,]\d{1,30})?|\+\d[\d ()./-]{0,30})(?=[;\t\r\n]|$)/y;
const PART_OF_JSON = new RegExp(`(;[;\\s]*)([${FORMULA}]?)`, "g");

function escapeFormulas(text: string): string {
  const isNumber = (at: number) => {
    NUMBER.lastIndex = at;
    return NUMBER.test(text);
  };
  const parts = text.replaceAll(PART, (part, before: string, first: string | undefined, at: number) =>
    first === undefined || isNumber(at + before.length) ? part : `${before}'${first}`,
  );
  return AT_START.test(text) && !isNumber(0) ? `'${parts}` : parts;
}

/** Returns JSON of the same value: a semicolon is always inside a string, where any character may be escaped. */
function escapeFormulasInJson(json: string): string {
  return json.replaceAll(PART_OF_JSON, (part, before: string, first: string) =>
    first === "" ? part : `${before}\\u${first.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/**
 * The value of a cell that {@link csvCell} wrote, without its quotes: undefined for an empty cell without quotes. A text that
 * equals the cell of an array or object is read as that.
 */
export function readCell(text: string, isQuoted: boolean): unknown {
  if (isQuoted) return jsonIn(text) ?? unescapeFormulas(text);
  if (text === "") return undefined;
  if (text === "true" || text === "false") return text === "true";
  return numberIn(text) ?? unescapeFormulas(text);
}

const ESCAPED_START = new RegExp(`^'(?='*[${FORMULA}\\t\\r\\n\\0])`);
/** The `'` is optional, because separators that match nothing would be read again from each of them on. */
const ESCAPED_PART = new RegExp(`([;\\t\\r\\n][;"\\s]*)(?:'(?='*[${FORMULA}]))?`, "g");

/** The text without what `escapeFormulas` added. */
export function unescapeFormulas(text: string): string {
  return text.replace(ESCAPED_START, "").replaceAll(ESCAPED_PART, "$1");
}

/** The array or object that has this cell. */
function jsonIn(text: string): object | undefined {
  if (!/^[[{]/.test(text)) return undefined;
  try {
    const value = parseExactly(text) as object;
    return csvCell(value) === quoted(text) ? value : undefined;
  } catch {
    return undefined;
  }
}
