import type { Caller } from "../../access/caller.ts";
import { requireScopeForNamed } from "../../access/rights.ts";
import { AppError } from "../../base/errors.ts";
import { createTurns } from "../../base/event-loop.ts";
import { overLimit } from "../intake/fields.ts";
import type { FormName } from "../form-name.ts";
import { findForm } from "../lookup.ts";
import { atLine, completeRow, readRow } from "./import-row.ts";
import { IMPORT_LIMITS as LIMITS } from "../limits.ts";
import type { FormsApp, ImportedSubmission, ImportResult } from "../store.ts";

/**
 * Stores the rows of JSON lines as submissions of a form, all or none, and returns how many. Those with a known id are
 * skipped; files are not imported, and nothing is delivered. Throws `not_found` for the form, `invalid` and `too_large` with
 * the number of a line, `forbidden`.
 */
export async function importSubmissions(
  app: FormsApp,
  caller: Caller,
  form: FormName,
  text: string,
): Promise<ImportResult> {
  requireScopeForNamed(caller, "forms:write");
  await caller.verify();
  const { key } = await findForm(app, caller, "forms:write", form);
  const lines = await linesOf(text);
  if (lines.length > 1 && Buffer.byteLength(text) > LIMITS.batch)
    throw overLimit("an import of several submissions in one request is", LIMITS.batch);
  const rows: ImportedSubmission[] = [];
  const takeTurns = createTurns();
  for (const { line, json } of lines) {
    try {
      rows.push(completeRow(await readRow(json, takeTurns), { formKey: key, line }, app));
    } catch (error) {
      throw atLine(line, error);
    }
    await takeTurns();
  }
  return app.store.submissions.import(key, rows);
}

/** Lines that are looked at before others may take their turn. */
const LINES = 10_000;

/** The lines that are not empty, with their numbers from 1. Throws `too_large`. */
async function linesOf(text: string): Promise<{ line: number; json: string }[]> {
  const takeTurns = createTurns();
  const lines: { line: number; json: string }[] = [];
  // A body of millions of empty lines must not become a list of them.
  for (let [line, start] = [1, 0]; start < text.length; line += 1) {
    const next = text.indexOf("\n", start);
    const end = next === -1 ? text.length : next;
    const json = text.slice(start, end);
    if (json.trim() !== "") lines.push({ line, json });
    if (lines.length > LIMITS.rows)
      throw new AppError("too_large", `an import has at most ${LIMITS.rows} submissions in one request`);
    start = end + 1;
    if (line % LINES === 0) await takeTurns();
  }
  return lines;
}
