import { type CellValue, writeXlsxStream } from "hucre/xlsx";
import { MiB } from "../../base/bytes.ts";
import { AppError } from "../../base/errors.ts";
import { createTurns } from "../../base/event-loop.ts";
import { isRawNumber } from "../../base/json/exact-json.ts";
import { isObject, isStructure } from "../../base/json.ts";
import type { Form } from "../form.ts";
import type { RawSubmission } from "../submission.ts";
import { type CsvColumns, namesOf, valuesOf } from "./export-csv.ts";

/** Characters of a cell, of a sheet's name with room for the number of a further sheet, and digits of a number. */
const [MAX_CELL, MAX_NAME, MAX_DIGITS] = [32_767, 28, 15];

/** Characters of submissions in a workbook, whose sheets have at most 4 GiB each. */
const MAX_XLSX = 1024 * MiB;

/** The format of the cells of a column whose texts stand for more. */
const FORMATS = { number: undefined, date: "yyyy-mm-dd", "date-time": "yyyy-mm-dd hh:mm:ss" } as const;

type Reading = keyof typeof FORMATS;

/**
 * Submissions as a workbook, with one sheet named like the form, and further ones beyond 1,048,576 rows. The columns are those
 * of CSV. Numbers and booleans keep their types, and so do texts, except of a field that the schema of the form describes as a
 * number, a date or a time. A number that Excel would round is a text. Times are in UTC. Nothing is a formula. Throws
 * `unsupported` for more than {@link MAX_XLSX} characters.
 */
export async function* xlsxExport(
  { name, schema }: Pick<Form, "name" | "schema">,
  columns: CsvColumns,
  pages: AsyncIterable<RawSubmission[]>,
): AsyncGenerator<Uint8Array> {
  const names = namesOf(columns);
  const first = columns.hasFolder ? 4 : 2;
  const readings = names.map((each, index) =>
    index >= first && index < first + columns.fields.size ? readingOf(schema, each) : undefined,
  );
  readings[1] = "date-time";
  const rows = async function* (): AsyncGenerator<CellValue[]> {
    const takeTurns = createTurns();
    let size = 0;
    for await (const page of pages)
      for (const submission of page) {
        size += submission.data.length;
        if (size > MAX_XLSX)
          throw new AppError("unsupported", "a workbook cannot hold so many submissions", {
            reason: "export-too-large",
          });
        const values = valuesOf(columns, submission);
        if (values !== null) yield values.map((value, index) => cellOf(value, readings[index]));
        const turn = takeTurns();
        if (turn !== undefined) await turn;
      }
  };
  const heads = names.map((each, index) => {
    const numFmt = FORMATS[readings[index] ?? "number"];
    return {
      header: textCell(each) ?? "",
      ...(numFmt !== undefined && { numFmt, width: numFmt.length + 1 }),
    };
  });
  yield* writeXlsxStream(rows(), { name: sheetName(name), columns: heads, freezePane: { rows: 1 } });
}

/** A name for a sheet: of at most 28 characters, without those forbidden by Excel. */
export function sheetName(name: string): string {
  const kept = safeText(name.replaceAll(/[[\]:*?/\\\p{Cc}]/gu, " "))
    .slice(0, MAX_NAME)
    .replaceAll(/^[\s']+|[\s'\uD800-\uDBFF]+$/g, "");
  return kept === "" || /^history$/i.test(kept) ? `${kept} submissions`.trim() : kept;
}

/** The reading of a field by the schema of its form; undefined for one that is as it was sent. */
function readingOf(schema: object | null, field: string): Reading | undefined {
  const properties = isObject(schema) ? schema["properties"] : undefined;
  const property = isObject(properties) && Object.hasOwn(properties, field) ? properties[field] : undefined;
  if (!isObject(property)) return undefined;
  const { type, format } = property;
  if (type === "number" || type === "integer") return "number";
  return format === "date" || format === "date-time" ? format : undefined;
}

/** The value of a cell, as text unless Excel holds the same value. */
export function cellOf(value: unknown, reading?: Reading): CellValue {
  if (value === undefined || value === null) return null;
  if (typeof value === "boolean") return value;
  if (typeof value === "number") return numberCell(String(value));
  if (isRawNumber(value)) return numberCell(value.rawJSON);
  if (isStructure(value)) return textCell(JSON.stringify(value));
  const text = value as string;
  if (reading === "number")
    return /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/.test(text) ? numberCell(text) : textCell(text);
  return (reading === undefined ? null : dateIn(text, reading)) ?? textCell(text);
}

/** A number, or its text if it has more digits than Excel keeps. */
function numberCell(text: string): CellValue {
  const digits = text.split(/e/i)[0]!.replaceAll(/\D/g, "").replace(/^0+/, "");
  const number = Number(text);
  const isKept = digits.length <= MAX_DIGITS && Number.isFinite(number) && (number !== 0 || digits === "");
  return isKept ? number : text;
}

/** The first day on which spreadsheets agree: Excel has a 29 February 1900. */
const FIRST = Date.UTC(1900, 2, 1);

/** The time of a text as RFC 3339 writes it; null for any other, and for one without a zone or before 1900-03-01. */
function dateIn(text: string, reading: Reading): Date | null {
  const pattern =
    reading === "date"
      ? /^\d{4}-\d{2}-\d{2}$/
      : /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/;
  const time = pattern.test(text) ? Date.parse(text) : NaN;
  // A day that a month does not have is read as one of the next.
  const isDay = reading !== "date" || new Date(time || 0).toISOString().startsWith(text);
  return time >= FIRST && isDay ? new Date(time) : null;
}

/** A text of at most 32,767 characters, of which a longer one ends with `…`; null for none. */
function textCell(text: string): string | null {
  if (text === "") return null;
  const lines = text.replaceAll(/\r\n?/g, "\n");
  const cut =
    lines.length > MAX_CELL ? `${lines.slice(0, MAX_CELL - 1).replace(/[\uD800-\uDBFF]$/, "")}…` : lines;
  // Excel reads _x0041_ as the character of that code.
  return safeText(cut).replaceAll(/_(?=x[0-9A-Fa-f]{4}_)/g, "_x005F_");
}

/** A text without what XML cannot hold; the library writes control characters as Excel does. */
function safeText(text: string): string {
  return text.toWellFormed().replaceAll(/[\uFFFE\uFFFF]/g, "\uFFFD");
}
