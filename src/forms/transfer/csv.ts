import { numberIn, parseExactly } from "../../base/json/exact-json.ts";
import { isStructure } from "../../base/json.ts";

/**
 * A cell of CSV (RFC 4180): a text in quotes, a number or boolean as JSON, nothing for null or undefined, and an array
 * or object as JSON in quotes. A text that a spreadsheet would run as a formula is prefixed with `'` (OWASP, CSV
 * injection), also where it begins with a `'` already, so that {@link readCell} reads the same text. The same applies to its
 * parts, because a spreadsheet that splits at semicolons or tabs does so inside quotes too, and at commas if the delimiter is
 * another. Numbers and phone numbers are no formulas.
 */
export function csvCell(value: unknown, delimiter = ","): string {
  if (value === undefined || value === null) return "";
  const patterns = patternsOf(delimiter);
  if (typeof value === "string") return quoted(escapeFormulas(value, patterns));
  if (!isStructure(value)) return JSON.stringify(value);
  return quoted(escapeFormulasInJson(JSON.stringify(value), delimiter));
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

/** Characters that begin a formula, with their full-width forms, which some spreadsheets treat alike. */
const FORMULA = "=+\\-@＝＋－＠";
const AT_START = new RegExp(`^'*[${FORMULA}\\t\\r\\n\\0]`);

/** How the parts of a text are found, if a spreadsheet splits at these characters. */
function partsAt(separators: string) {
  return {
    /** The separator before a part of a text, with whitespace and quotes, and the start of a formula that follows. */
    part: new RegExp(`([${separators}\\t\\r\\n][${separators}"\\s]*)('*[${FORMULA}])?`, "g"),
    /** A number, or a phone number with its country, up to the end of its part. */
    number: new RegExp(
      `(?:[+-]?\\d{1,30}(?:[.,]\\d{1,30})?|\\+\\d[\\d ()./-]{0,30})(?=[${separators}\\t\\r\\n]|$)`,
      "y",
    ),
    /** The `'` is optional, because separators that match nothing would be read again from each of them on. */
    escaped: new RegExp(`([${separators}\\t\\r\\n][${separators}"\\s]*)(?:'(?='*[${FORMULA}]))?`, "g"),
  };
}

type Patterns = ReturnType<typeof partsAt>;

const OF_COMMAS = partsAt(";");
const OF_OTHERS = partsAt(",;");

function patternsOf(delimiter: string): Patterns {
  return delimiter === "," ? OF_COMMAS : OF_OTHERS;
}

const PART_OF_JSON = new RegExp(`;[;\\s]*([${FORMULA}]?)`, "g");
/** The same of each string of JSON, which may follow a comma, and what tells where strings begin and end. */
const PART_OF_STRINGS = new RegExp(`\\\\["\\\\]|[",;][,;\\s]*([${FORMULA}]?)`, "g");

function escapeFormulas(text: string, { part, number }: Patterns): string {
  const isNumber = (at: number) => {
    number.lastIndex = at;
    return number.test(text);
  };
  const parts = text.replaceAll(part, (part, before: string, first: string | undefined, at: number) =>
    first === undefined || isNumber(at + before.length) ? part : `${before}'${first}`,
  );
  return AT_START.test(text) && !isNumber(0) ? `'${parts}` : parts;
}

/** Returns JSON of the same value: inside a string, where a semicolon always is, any character may be escaped. */
function escapeFormulasInJson(json: string, delimiter: string): string {
  const escaped = (part: string, first: string) =>
    `${part.slice(0, -1)}\\u${first.charCodeAt(0).toString(16).padStart(4, "0")}`;
  if (delimiter === ",")
    return json.replaceAll(PART_OF_JSON, (part, first: string) =>
      first === "" ? part : escaped(part, first),
    );
  let isInside = false;
  return json.replaceAll(PART_OF_STRINGS, (part, first?: string) => {
    if (part.startsWith('"')) isInside = !isInside;
    return first && isInside ? escaped(part, first) : part;
  });
}

/**
 * The value of a cell that {@link csvCell} wrote, without its quotes: undefined for an empty cell without quotes. A text that
 * equals the cell of an array or object is read as that.
 */
export function readCell(text: string, isQuoted: boolean, delimiter = ","): unknown {
  if (isQuoted) return jsonIn(text, delimiter) ?? unescapeFormulas(text, delimiter);
  if (text === "") return undefined;
  if (text === "true" || text === "false") return text === "true";
  return numberIn(text) ?? unescapeFormulas(text, delimiter);
}

const ESCAPED_START = new RegExp(`^'(?='*[${FORMULA}\\t\\r\\n\\0])`);

/** The text without what `escapeFormulas` added. */
export function unescapeFormulas(text: string, delimiter = ","): string {
  return text.replace(ESCAPED_START, "").replaceAll(patternsOf(delimiter).escaped, "$1");
}

/** The array or object that has this cell. */
function jsonIn(text: string, delimiter: string): object | undefined {
  if (!/^[[{]/.test(text)) return undefined;
  try {
    const value = parseExactly(text) as object;
    return csvCell(value, delimiter) === quoted(text) ? value : undefined;
  } catch {
    return undefined;
  }
}
