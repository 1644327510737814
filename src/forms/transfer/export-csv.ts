import { type Turns, createTurns } from "../../base/event-loop.ts";
import { parseExactly } from "../../base/json/exact-json.ts";
import { csvCell } from "./csv.ts";
import { MAX_CSV_FIELDS } from "../limits.ts";
import { seenInWords } from "../seen-flags.ts";
import type { RawSubmission } from "../submission.ts";
import type { SubmissionState } from "../submission-state.ts";

/** The columns of an export as CSV: fields past `MAX_CSV_FIELDS` share the column `otherFields`, as a JSON object; `flags`, and `assignee` with `labels`, are there if any submission has some. */
type CsvColumns = {
  hasFolder: boolean;
  fields: Set<string>;
  hasOthers: boolean;
  /** Whether there are columns for more than fields. */
  hasFiles: boolean;
  hasFlags: boolean;
  isHandled: boolean;
};

/** The columns of submissions in these states, before any field is known; or for some fields alone, in their order. */
export function createColumns(
  states: readonly SubmissionState[],
  fields: readonly string[] | null = null,
): CsvColumns {
  const has = { hasFolder: states.includes("spam"), hasOthers: false, hasFlags: false, isHandled: false };
  return { ...has, hasFiles: fields === null, fields: new Set(fields) };
}

/** Adds the fields of submissions, in the order in which they are seen. */
export function addFields(columns: CsvColumns, submissions: readonly RawSubmission[]): void {
  const { fields } = columns;
  for (const { data, flags, assignee, labels } of submissions) {
    columns.hasFlags ||= flags !== null;
    columns.isHandled ||= assignee !== null || labels.length > 0;
    for (const field of Object.keys(JSON.parse(data) as object)) {
      if (fields.size < MAX_CSV_FIELDS) fields.add(field);
      else columns.hasOthers ||= !fields.has(field);
    }
  }
}

/** The header and one line for each submission, a chunk a page, in turns with other requests. */
export async function* csvLines(
  columns: CsvColumns,
  pages: AsyncIterable<RawSubmission[]>,
): AsyncGenerator<string> {
  yield headerOf(columns);
  const takeTurns = createTurns();
  for await (const page of pages) {
    let text = "";
    for (const submission of page) text += await rowOf(columns, submission, takeTurns);
    yield text;
  }
}

/**
 * The first line: `id,createdAt`, `state,spam` where spam is among them, the fields, `files`, and `flags` and
 * `assignee,labels` if any has some.
 */
function headerOf({ hasFolder, fields, hasOthers, hasFiles, hasFlags, isHandled }: CsvColumns): string {
  const folder = hasFolder ? ["state", "spam"] : [];
  const others = hasOthers ? ["otherFields"] : [];
  const own = [
    ...(hasFiles ? ["files"] : []),
    ...(hasFlags ? ["flags"] : []),
    ...(isHandled ? ["assignee", "labels"] : []),
  ];
  return lineOf(["id", "createdAt", ...folder, ...[...fields].map(csvCell), ...others, ...own]);
}

/** The line of a submission; empty for one with a field that has no column, because it came later than the columns. */
async function rowOf(columns: CsvColumns, submission: RawSubmission, takeTurns: Turns): Promise<string> {
  const { hasFolder, fields, hasOthers, hasFiles, hasFlags, isHandled } = columns;
  const { id, createdAt, state, spam, files, flags, assignee, labels } = submission;
  const data = parseExactly(submission.data) as Record<string, unknown>;
  const rest = Object.entries(data).filter(([field]) => !fields.has(field));
  if (rest.length > 0 && !hasOthers) return "";
  const values = [...fields].map((field) => (Object.hasOwn(data, field) ? data[field] : undefined));
  const other = rest.length > 0 ? Object.fromEntries(rest) : undefined;
  const names = files.length > 0 ? files.map(({ name }) => name).join("; ") : undefined;
  const seen = flags === null ? undefined : seenInWords(flags);
  const cells = [
    ...values,
    ...(hasOthers ? [other] : []),
    ...(hasFiles ? [names] : []),
    ...(hasFlags ? [seen] : []),
  ];
  if (isHandled) cells.push(assignee ?? undefined, labels.length > 0 ? labels.join(", ") : undefined);
  const folder = hasFolder ? [state, csvCell(spam)] : [];
  const texts = [id, createdAt, ...folder];
  for (const cell of cells) {
    texts.push(csvCell(cell));
    // One cell can have a quarter of a megabyte of quotes, of which each is doubled.
    const turn = takeTurns();
    if (turn !== undefined) await turn;
  }
  return lineOf(texts);
}

function lineOf(cells: string[]): string {
  return `${cells.join(",")}\r\n`;
}
