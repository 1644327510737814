import { Readable, pipeline } from "node:stream";
import { CsvError, type InfoRecord, type Options, parse } from "csv-parse";
import { AppError } from "../../base/errors.ts";
import { readCell, unescapeFormulas } from "./csv.ts";
import type { ImportLine } from "./import-lines.ts";
import { atLine } from "./import-row.ts";
import { IMPORT_LIMITS, SUBMISSION_LIMITS } from "../limits.ts";
import { CONFIRMING, HANDLED, columnsFromWords } from "../submission-columns.ts";

type Cell = { text: string; isQuoted: boolean };
type Row = { line: number; cells: Cell[] };

/**
 * The rows of CSV as JSON, each an object of an export where the first line is that of an export, else an object of fields with
 * texts. The delimiter is a comma, semicolon or tab, or the one of a first line such as `sep=;`. An empty cell is no field, a
 * row of empty cells is left out, and one may end before its empty last cells. Throws `invalid` and `too_large` with the
 * number of a line.
 */
export async function* csvRows(text: AsyncIterable<string>): AsyncGenerator<ImportLine> {
  const { head, all } = await withHead(text);
  /** The parser counts CR LF inside cells as two lines. */
  let miscounted = 0;
  // Called before an error in a later row discards the rows that were not yet read.
  const locate = (cells: Cell[], { lines }: InfoRecord): Row => {
    const texts = cells.map(({ text }) => text);
    miscounted += countIn(texts, /\r\n/g);
    return { line: lines - miscounted - countIn(texts, /\r\n|\r|\n/g), cells };
  };
  const named = NAMED_DELIMITER.exec(head)?.[1];
  const delimiter = named ?? delimiterOf(head);
  const parser = parse({
    bom: true,
    delimiter,
    from_line: named === undefined ? 1 : 2,
    relax_column_count_less: true,
    record_delimiter: ["\r\n", "\n", "\r"],
    skip_empty_lines: true,
    max_record_size: IMPORT_LIMITS.row,
    cast: (text, { quoting }): Cell => ({ text, isQuoted: quoting }),
    // Its type knows only records of texts.
    on_record: locate as unknown as NonNullable<Options["on_record"]>,
  });
  // An error reaches the loop below through the parser.
  pipeline(Readable.from(all), parser, () => {});
  let toObject: ((cells: Cell[]) => object) | undefined;
  let areOurs = false;
  let columns = 0;
  try {
    for await (const { line, cells } of parser as AsyncIterable<Row>) {
      if (!toObject) {
        columns = cells.length;
        areOurs = isOurs(cells);
        toObject = areOurs ? ours(cells, delimiter) : foreign(cells, line);
      } else if (areOurs && cells.length < columns) throw atLine(line, new AppError("invalid", UNEVEN));
      else if (cells.some(isFilled)) yield { line, json: JSON.stringify(toObject(cells)) };
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw atLine(Number(error["lines"]) - miscounted, csvError(error));
  }
}

function countIn(texts: string[], pattern: RegExp): number {
  return texts.reduce((sum, text) => sum + (text.match(pattern)?.length ?? 0), 0);
}

function isOurs(header: Cell[]): boolean {
  return header[0]?.text === "id" && header[1]?.text === "createdAt";
}

function isFilled({ text, isQuoted }: Cell): boolean {
  return isQuoted || text !== "";
}

/** Reads rows of an export: its own columns are at the beginning and end, those between are fields. */
function ours(header: Cell[], delimiter: string): (cells: Cell[]) => object {
  const areOwn = (at: number, ...names: string[]) =>
    names.every((name, index) => header[at + index]?.text === name && !header[at + index]?.isQuoted);
  /** The place of columns that end before one; that one if they are not there. */
  const before = (end: number, ...names: string[]) =>
    areOwn(end - names.length, ...names) ? end - names.length : end;
  const hasFolder = areOwn(2, "state", "spam");
  const first = hasFolder ? 4 : 2;
  const { length } = header;
  const confirming = before(length, ...CONFIRMING);
  const handled = before(confirming, ...HANDLED);
  const unchecked = before(handled, "unchecked");
  // The column `flags` is for people: its variants lack their environment.
  const flags = before(unchecked, "files", "flags");
  const files = flags === unchecked ? before(unchecked, "files") : flags;
  const others = before(files, "otherFields");
  const names: string[] = [];
  for (const { text } of header) {
    const name = unescapeFormulas(text, delimiter);
    // One of two fields such as `-a` and `'-a` really has that name.
    names.push(names.includes(name) ? text : name);
  }
  return (cells) => {
    const valueAt = (at: number) => readCell(cells[at]!.text, cells[at]!.isQuoted, delimiter);
    const textAt = (at: number) => unescapeFormulas(cells[at]!.text, delimiter);
    const fields = Array.from({ length: others - first }, (_, index) => first + index);
    const data = fields.map((at) => [names[at]!, valueAt(at)] as const);
    const rest = others < files ? valueAt(others) : undefined;
    return {
      ...(isFilled(cells[0]!) && { id: cells[0]!.text }),
      ...(isFilled(cells[1]!) && { createdAt: cells[1]!.text }),
      ...(hasFolder && { state: cells[2]!.text || undefined, spam: valueAt(3) }),
      ...(unchecked < handled && { unchecked: textAt(unchecked) || null }),
      ...(handled < confirming &&
        columnsFromWords(
          HANDLED,
          HANDLED.map((_, index) => textAt(handled + index)),
        )),
      ...(confirming < length &&
        columnsFromWords(
          CONFIRMING,
          CONFIRMING.map((_, index) => textAt(confirming + index)),
        )),
      // fromEntries keeps a field called `__proto__`; JSON leaves out the fields without a value.
      data: Object.fromEntries([...data, ...Object.entries(typeof rest === "object" ? rest! : {})]),
    };
  };
}

/**
 * Reads rows of texts. A column that repeats makes a list of its values, as a repeated field of a form does. Throws `too_large`
 * for a name that no field can have.
 */
function foreign(header: Cell[], line: number): (cells: Cell[]) => object {
  for (const { text } of header) {
    const bytes = Buffer.byteLength(text);
    if (bytes > SUBMISSION_LIMITS.fieldName)
      throw new AppError(
        "too_large",
        `line ${line}: the column "${text.slice(0, 60)}…" has a name of ${bytes} bytes`,
        {
          hint: `a field has a name of at most ${SUBMISSION_LIMITS.fieldName} bytes: shorten it in the file`,
        },
      );
  }
  return (cells) => {
    const fields = new Map<string, string | string[]>();
    for (const [at, cell] of cells.entries()) {
      const name = header[at]!.text;
      const earlier = fields.get(name);
      if (isFilled(cell)) fields.set(name, earlier === undefined ? cell.text : [earlier, cell.text].flat());
    }
    // A field called `data` is a text, so that this is no row of an export.
    return Object.fromEntries(fields);
  };
}

/** Characters in which the end of the first line has to be found. */
const MAX_HEAD = 65_536;

/** The beginning of a text, with its first line, and the whole text. */
async function withHead(text: AsyncIterable<string>): Promise<{ head: string; all: AsyncGenerator<string> }> {
  const chunks = text[Symbol.asyncIterator]();
  let head = "";
  while (head.length < MAX_HEAD && !/[^\r\n][\r\n]/.test(unquoted(head))) {
    const { done, value } = await chunks.next();
    if (done) break;
    head += value;
  }
  const all = async function* () {
    yield head;
    yield* { [Symbol.asyncIterator]: () => chunks };
  };
  return { head, all: all() };
}

/** The text with each part in quotes as two quotes. */
function unquoted(text: string): string {
  return text.replaceAll(/"[^"]*(?:"|$)/g, '""');
}

/** A line that spreadsheets write and read before the first one. */
const NAMED_DELIMITER = /^\uFEFF?sep=([,;\t|])(?:\r\n|\r|\n)/i;

/** The delimiter that occurs most often in the first line, outside quotes. */
function delimiterOf(head: string): string {
  const [line = ""] = unquoted(head)
    .replace(/^[\uFEFF\r\n]+/, "")
    .split(/[\r\n]/, 1);
  const count = (character: string) => line.split(character).length;
  return [",", ";", "\t"].reduce((best, each) => (count(each) > count(best) ? each : best));
}

const UNEVEN = "the row has more or fewer cells than the first line";

function csvError({ code, message }: CsvError): AppError {
  if (code === "CSV_MAX_RECORD_SIZE")
    return new AppError("too_large", "the row is too large, or a quote is not closed");
  const known: Record<string, string> = {
    CSV_RECORD_INCONSISTENT_FIELDS_LENGTH: UNEVEN,
    CSV_QUOTE_NOT_CLOSED: "a quote is not closed",
    INVALID_OPENING_QUOTE: "a quote is inside a cell that does not begin with one",
    CSV_INVALID_CLOSING_QUOTE: "a quote is followed by something other than a delimiter",
  };
  return new AppError("invalid", known[code] ?? message);
}
