import { type Turns, createTurns } from "../../base/event-loop.ts";
import { parseExactly } from "../../base/json/exact-json.ts";
import { csvCell } from "./csv.ts";
import { MAX_CSV_FIELDS } from "../limits.ts";
import type { CsvStyle } from "./export-format.ts";
import type { RawSubmission } from "../submission.ts";
import { CSV_GROUPS, type ColumnName, wordsOf } from "../submission-columns.ts";
import type { SubmissionState } from "../submission-state.ts";

/** The columns of an export as CSV: fields past `MAX_CSV_FIELDS` share the column `otherFields`, as a JSON object. */
export type CsvColumns = {
  hasFolder: boolean;
  fields: Set<string>;
  hasOthers: boolean;
  /** Whether there are columns for more than fields. */
  hasFiles: boolean;
  /** The groups of `CSV_GROUPS` of which any submission has some. */
  groups: Set<(typeof CSV_GROUPS)[number]>;
};

/** The columns of submissions in these states, before any field is known; or for some fields alone, in their order. */
export function createColumns(
  states: readonly SubmissionState[],
  fields: readonly string[] | null = null,
): CsvColumns {
  const hasFolder = states.some((state) => state === "spam" || state === "unconfirmed");
  return {
    hasFolder,
    hasOthers: false,
    groups: new Set(),
    hasFiles: fields === null,
    fields: new Set(fields),
  };
}

/** Adds the fields of submissions, in the order in which they are seen. */
export function addFields(columns: CsvColumns, submissions: readonly RawSubmission[]): void {
  const { fields, groups } = columns;
  for (const submission of submissions) {
    for (const group of CSV_GROUPS)
      if (!groups.has(group) && group.some((name) => wordsOf(submission, name) !== null)) groups.add(group);
    for (const field of Object.keys(JSON.parse(submission.data) as object)) {
      if (fields.size < MAX_CSV_FIELDS) fields.add(field);
      else columns.hasOthers ||= !fields.has(field);
    }
  }
}

/** The header and one line for each submission, a chunk a page, in turns with other requests. Default: commas, and no mark. */
export async function* csvLines(
  columns: CsvColumns,
  pages: AsyncIterable<RawSubmission[]>,
  { bom = false, delimiter = "," }: CsvStyle = {},
): AsyncGenerator<string> {
  const lineOf = (cells: string[]) => `${cells.join(delimiter)}\r\n`;
  yield `${bom ? "\uFEFF" : ""}${lineOf(headerOf(columns, delimiter))}`;
  const takeTurns = createTurns();
  for await (const page of pages) {
    let text = "";
    for (const submission of page) {
      const row = await rowOf(columns, submission, delimiter, takeTurns);
      if (row !== null) text += lineOf(row);
    }
    yield text;
  }
}

/** The columns behind the fields and the files, in their order. */
function ownOf({ groups }: CsvColumns): ColumnName[] {
  return CSV_GROUPS.filter((group) => groups.has(group)).flat();
}

/** The names of the columns: `id`, `createdAt`, `state` and `spam` where spam is among them, the fields, `files`, and the groups that any has. */
export function namesOf(columns: CsvColumns): string[] {
  const { before, fields, after } = partsOf(columns);
  return [...before, ...fields, ...after];
}

function partsOf(columns: CsvColumns): Record<"before" | "fields" | "after", string[]> {
  const { hasFolder, fields, hasOthers, hasFiles } = columns;
  return {
    before: ["id", "createdAt", ...(hasFolder ? ["state", "spam"] : [])],
    fields: [...fields],
    after: [...(hasOthers ? ["otherFields"] : []), ...(hasFiles ? ["files"] : []), ...ownOf(columns)],
  };
}

/** The cells of the first line. */
function headerOf(columns: CsvColumns, delimiter: string): string[] {
  const { before, fields, after } = partsOf(columns);
  return [...before, ...fields.map((each) => csvCell(each, delimiter)), ...after];
}

/** The values of a submission by {@link namesOf}; null for one with a field that has no column, because it came later than the columns. */
export function valuesOf(columns: CsvColumns, submission: RawSubmission): unknown[] | null {
  const { hasFolder, fields, hasOthers, hasFiles } = columns;
  const { id, createdAt, state, spam, files } = submission;
  const data = parseExactly(submission.data) as Record<string, unknown>;
  const rest = Object.entries(data).filter(([field]) => !fields.has(field));
  if (rest.length > 0 && !hasOthers) return null;
  const other = rest.length > 0 ? Object.fromEntries(rest) : undefined;
  const names = files.length > 0 ? files.map(({ name }) => name).join("; ") : undefined;
  return [
    id,
    createdAt,
    ...(hasFolder ? [state, spam] : []),
    ...[...fields].map((field) => (Object.hasOwn(data, field) ? data[field] : undefined)),
    ...(hasOthers ? [other] : []),
    ...(hasFiles ? [names] : []),
    ...ownOf(columns).map((name) => wordsOf(submission, name) ?? undefined),
  ];
}

/** The cells of a submission; null as for {@link valuesOf}. */
async function rowOf(
  columns: CsvColumns,
  submission: RawSubmission,
  delimiter: string,
  takeTurns: Turns,
): Promise<string[] | null> {
  const values = valuesOf(columns, submission);
  if (values === null) return null;
  // Ids, times and folders need no quotes.
  const own = columns.hasFolder ? 3 : 2;
  const texts = values.slice(0, own) as string[];
  for (const cell of values.slice(own)) {
    texts.push(csvCell(cell, delimiter));
    // One cell can have a quarter of a megabyte of quotes, of which each is doubled.
    const turn = takeTurns();
    if (turn !== undefined) await turn;
  }
  return texts;
}
