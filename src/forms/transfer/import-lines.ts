import { overLimit } from "../intake/fields.ts";
import { atLine } from "./import-row.ts";
import { IMPORT_LIMITS } from "../limits.ts";

/** A row of a file as JSON, and the line on which it begins, from 1. */
export type ImportLine = { line: number; json: string };

/** The formats that can be imported. */
export const IMPORT_FORMATS = ["jsonl", "csv"] as const;

export type ImportFormat = (typeof IMPORT_FORMATS)[number];

/** The lines of a text that are not empty. Throws `too_large` for a line past the limit of a row. */
export async function* linesIn(text: AsyncIterable<string>): AsyncGenerator<ImportLine> {
  let line = 1;
  let rest = "";
  for await (const chunk of text) {
    const lines = chunk.split("\n");
    lines[0] = rest + lines[0]!;
    rest = lines.pop()!;
    for (const json of lines) {
      if (json.trim() !== "") yield { line, json };
      line += 1;
    }
    if (rest.length > IMPORT_LIMITS.row) throw atLine(line, overLimit("the row is", IMPORT_LIMITS.row));
  }
  if (rest.trim() !== "") yield { line, json: rest };
}
