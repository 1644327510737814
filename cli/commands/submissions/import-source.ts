import { own } from "../../../src/base/shapes/own.ts";
import { clock } from "../../../src/base/clock.ts";
import { AppError, systemCode } from "../../../src/base/errors.ts";
import { notUtf8 } from "../../../src/base/bytes.ts";
import { IMPORT_LIMITS } from "../../../src/forms/limits.ts";
import {
  IMPORT_FORMATS,
  type ImportFormat,
  type ImportLine,
  linesIn,
} from "../../../src/forms/transfer/import-lines.ts";
import { atLine, completeRow, isTimeName, readRow, rowText } from "../../../src/forms/transfer/import-row.ts";
import type { Io } from "../../output/terminal.ts";
import { chunksOf } from "../../session/connection.ts";
import { UNREADABLE } from "../../session/sources.ts";
import { usage } from "../../session/usage.ts";

/** The rows of a file, as they are read. */
export type Source = {
  lines: AsyncIterable<ImportLine>;
  /** Whether the text is taken for CSV only since it is nothing else. */
  isUnsure: boolean;
  /** Bytes; null for standard input. */
  size: number | null;
  /** Bytes that were read. */
  done: () => number;
};

/** Opens a file, or standard input for `-`. Throws `invalid` for a file that cannot be read. */
export async function openSource(file: string, format: ImportFormat | null, io: Io): Promise<Source> {
  const name = file === "-" ? "standard input" : file;
  let done = 0;
  const chunks = chunksOf(file === "-" ? io.stdin() : Bun.file(file).stream());
  const text = textOf(chunks, name, (bytes) => (done += bytes));
  const first = await text.next().catch((error: unknown) => Promise.reject(unreadable(error, name)));
  const head = first.done ? "" : first.value;
  const all = async function* () {
    yield head;
    yield* text;
  };
  const isJsonl = (format ?? formatOf(file, head)) === "jsonl";
  const lines = isJsonl
    ? linesIn(all())
    : (await import("../../../src/forms/transfer/import-csv.ts")).csvRows(all());
  const isUnsure = !isJsonl && format === null && !/\.csv$/i.test(file) && head.trim() !== "";
  return { lines, isUnsure, size: file === "-" ? null : Bun.file(file).size, done: () => done };
}

/** Throws `invalid` for bytes that are not UTF-8. */
async function* textOf(
  chunks: AsyncIterable<Uint8Array>,
  name: string,
  onRead: (bytes: number) => void,
): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let start: Uint8Array = new Uint8Array();
  try {
    for await (const chunk of chunks) {
      if (start.byteLength === 0) start = chunk.slice(0, 4);
      onRead(chunk.byteLength);
      yield decoder.decode(chunk, { stream: true });
    }
    yield decoder.decode();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw notUtf8(start, name, error);
  }
}

/** By the end of the name, or by the first character. Throws `invalid` for a JSON array. */
function formatOf(file: string, head: string): ImportFormat {
  const end = /\.(\w+)$/.exec(file)?.[1]?.toLowerCase();
  const named = IMPORT_FORMATS.find((format) => format === end);
  if (named !== undefined) return named;
  const start = head.trimStart()[0];
  if (start === "[")
    throw usage(
      `${file === "-" ? "standard input" : file} is a JSON array`,
      "write one object a line, as jq -c '.[]' does",
    );
  return start === "{" ? "jsonl" : "csv";
}

function unreadable(error: unknown, name: string): unknown {
  if (error instanceof AppError) return error;
  const code = systemCode(error) || String(error);
  return usage(`${name} cannot be read (${code})`, own(UNREADABLE, code));
}

/** Rows that are sent together, as JSON lines. */
export type Batch = {
  text: string;
  /** The lines of the file on which the first and the last row begin. */
  first: number;
  last: number;
  /** Whether a row has neither id nor time, so that it gets another id each time. */
  hasNew: boolean;
};

/** Rows of a source that may be other than what was meant. */
export type Doubts = {
  /** The first time that cannot be read, with its column. */
  time: { name: string; text: string } | null;
  /** Rows without an id that say the same as one before. */
  alike: number;
};

const CLOCKWORK = {
  now: () => clock.now(),
  random: (length: number) => clock.random(length),
};

/** The first field of a row that is called as a time is elsewhere. */
function timeIn(data: string): Doubts["time"] {
  const fields = JSON.parse(data) as Record<string, unknown>;
  const name = Object.keys(fields).find(isTimeName);
  return name === undefined ? null : { name, text: String(fields[name]) };
}

/**
 * The rows of a source in batches within the limits of one request. Each row is checked here too, so that an error has its
 * line in the file; `doubts` is filled in. Throws `invalid` and `too_large`.
 */
export async function* batchesOf(source: Source, formKey: string, doubts: Doubts): AsyncGenerator<Batch> {
  const known = new Set<number | bigint>();
  let texts: string[] = [];
  let bytes = 0;
  let batch = { first: 0, last: 0, hasNew: false };
  for await (const { line, json } of source.lines) {
    let text: string;
    let isNew: boolean;
    try {
      const row = await readRow(json);
      isNew = row.id === null && row.createdAt === null;
      if (isNew) doubts.time ??= timeIn(row.data);
      if (row.id === null) {
        const content = Bun.hash(`${row.createdAt} ${row.data}`);
        if (known.has(content)) doubts.alike += 1;
        known.add(content);
      }
      text = `${rowText(completeRow(row, { formKey, line }, CLOCKWORK))}\n`;
    } catch (error) {
      throw atLine(line, error);
    }
    const size = Buffer.byteLength(text);
    if (texts.length === IMPORT_LIMITS.rows || (texts.length > 0 && bytes + size > IMPORT_LIMITS.batch)) {
      yield { ...batch, text: texts.join("") };
      [texts, bytes] = [[], 0];
    }
    batch = {
      first: texts.length === 0 ? line : batch.first,
      last: line,
      hasNew: isNew || (texts.length > 0 && batch.hasNew),
    };
    texts.push(text);
    bytes += size;
  }
  if (texts.length > 0) yield { ...batch, text: texts.join("") };
}
