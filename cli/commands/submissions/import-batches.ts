import { atLine, completeRow, readRow, rowText } from "../../../src/forms/transfer/import-row.ts";
import { IMPORT_LIMITS } from "../../../src/forms/limits.ts";
import type { Source } from "./import-source.ts";

/** Rows that are sent together, as JSON lines. */
export type Batch = {
  text: string;
  /** The lines of the file on which the first and the last row begin. */
  first: number;
  last: number;
  /** Whether a row has neither id nor time, so that it gets another id each time. */
  hasNew: boolean;
};

const CLOCKWORK = {
  now: Date.now,
  random: (length: number) => crypto.getRandomValues(new Uint8Array(length)),
};

/**
 * The rows of a source in batches within the limits of one request. Each row is checked here too, so that an error has its
 * line in the file. Throws `invalid` and `too_large`.
 */
export async function* batchesOf(source: Source, formKey: string): AsyncGenerator<Batch> {
  let texts: string[] = [];
  let bytes = 0;
  let batch = { first: 0, last: 0, hasNew: false };
  for await (const { line, json } of source.lines) {
    let text: string;
    let isNew: boolean;
    try {
      const row = readRow(json);
      isNew = row.id === null && row.createdAt === null;
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
