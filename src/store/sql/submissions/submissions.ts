import { isoTime } from "../../../base/clock.ts";
import type {
  FileInfo,
  RawSubmission,
  Submission,
  SubmissionPage,
  Standing,
} from "../../../forms/submission.ts";
import { SUBMISSION_STATES as STATES, type SubmissionState } from "../../../forms/submission-state.ts";
import { parsed } from "../../../forms/submission.ts";
import { labelsOf } from "../../../forms/inbox/handling.ts";
import type { ImportedSubmission } from "../../../forms/store.ts";
import {
  COLUMN_NAMES,
  type ColumnName,
  columnsOfRow,
  CONFIRMING,
  HANDLED,
  storedName,
  type StoredName,
  textsOfColumns,
} from "../../../forms/submission-columns.ts";
import { textOf, bytesOf } from "../ids.ts";
import { type Value, type Work, all, FOR_UPDATE_OF_S, fieldsOf, first, merged } from "../work.ts";
import { OF_FORM, PROJECT_OF_FORM } from "../rows.ts";
import { noSuchForm } from "../../../forms/form.ts";
import { allAmong } from "../lists.ts";
import { cutPage, pageCut } from "../pages.ts";

export type SubmissionRow = {
  id: Uint8Array;
  seq: number;
  project: string;
  form: string;
  data: string;
  created_at: number;
  /** The position in `SUBMISSION_STATES`. */
  state: number;
  spam: string | null;
  unread: number;
} & Record<ColumnName, string | null>;

/** The columns of a `SubmissionRow` in a join of submissions `s` and forms `f`, except its data. */
export const COLUMNS_BUT_DATA = `s.id, s.seq, ${PROJECT_OF_FORM} AS project, f.slug AS form, s.created_at, s.state, s.spam,
  s.unread, ${fieldsOf("s", COLUMN_NAMES.join(" "))}`;

export const COLUMNS = `${COLUMNS_BUT_DATA}, s.data`;

/** The columns that an import stores as {@link importedValues}. */
export const IMPORTED_COLUMNS = [
  "data, created_at, state, spam, unread",
  ...COLUMN_NAMES.map(storedName),
].join();

export function importedValues(submission: ImportedSubmission): Value[] {
  const { data, createdAt, state, spam, read } = submission;
  return [data, createdAt, STATES.indexOf(state), spam, read ? 0 : 1, ...textsOfColumns(submission)];
}

/** Sorts after every id, which has 16 bytes. */
export const AFTER_EVERY_ID = Buffer.alloc(17, 0xff);

/** The submissions of rows, as they were sent. */
export function* viewRaw(rows: readonly SubmissionRow[]): Work<RawSubmission[]> {
  const files = yield* filesOf(rows.map(({ seq }) => seq));
  return rows.map((row) => ({
    id: textOf(row.id),
    project: row.project,
    form: row.form,
    data: row.data,
    files: files.get(row.seq) ?? [],
    createdAt: isoTime(row.created_at),
    state: STATES[row.state]!,
    spam: row.spam,
    read: row.unread === 0,
    ...columnsOfRow(row),
  }));
}

/** The files of submissions with some, by their `seq`. */
export function* filesOf(seqs: readonly number[]): Work<Map<number, FileInfo[]>> {
  const files = new Map<number, FileInfo[]>();
  if (seqs.length === 0) return files;
  const rows = yield* all<FileInfo & { seq: number }>(
    `SELECT submission_seq AS seq, field, name, type, size, sha256 FROM files
     WHERE submission_seq IN (SELECT CAST(value AS BIGINT) FROM json_each($seqs))
     ORDER BY submission_seq, position`,
    { seqs: JSON.stringify(seqs) },
  );
  for (const { seq, ...file } of rows) {
    const known = files.get(seq);
    if (known) known.push(file);
    else files.set(seq, [file]);
  }
  return files;
}

/** Joins submissions of any form to it. */
export const OF_FORMS = `FROM forms f CROSS JOIN submissions s WHERE ${OF_FORM} AND f.deleted = 0`;

export function* listSubmissions(
  formKey: string,
  limit: number,
  before: string | null,
  states: readonly SubmissionState[] = STATES,
): Work<SubmissionPage> {
  const formId = yield* formIdOf(formKey);
  const folders = states.map(
    (state) => `SELECT ${COLUMNS} FROM submissions s JOIN forms f ON f.id = s.form_id
               WHERE s.form_id = $formId AND s.state = ${STATES.indexOf(state)} AND s.id < $before`,
  );
  const params = { formId, before: before === null ? AFTER_EVERY_ID : bytesOf(before), limit: limit + 1 };
  const rows = yield* all<SubmissionRow>(merged(folders), params, pageCut("data"));
  const { items, more } = cutPage(rows, limit, (row) => row);
  return { submissions: (yield* viewRaw(items)).map(parsed), more };
}

/** Throws `not_found`. */
export function* formIdOf(formKey: string): Work<number> {
  const form = yield* first<{ id: number }>("SELECT id FROM forms WHERE key = $formKey", { formKey });
  if (!form) throw noSuchForm(formKey);
  return form.id;
}

export function* findSubmission(id: string): Work<Submission | undefined> {
  const found = yield* findRawSubmission(id);
  return found && parsed(found);
}

export function* findRawSubmission(id: string): Work<RawSubmission | undefined> {
  const sql = `SELECT ${COLUMNS} ${OF_FORMS} AND s.id = $id`;
  const [found] = yield* viewRaw(yield* all<SubmissionRow>(sql, { id: bytesOf(id) }));
  return found;
}

/** The standing of submissions, by id. Unknown ids are left out. */
export function* standingOfSubmissions(ids: readonly string[]): Work<Record<string, Standing>> {
  type Row = Pick<
    SubmissionRow,
    "id" | "project" | "form" | "state" | "unread" | (typeof HANDLED)[number]
  > & {
    waits: number;
  };
  const rows = yield* allAmong<Row>(
    ids.map(bytesOf),
    (
      list,
    ) => `SELECT s.id, ${PROJECT_OF_FORM} AS project, f.slug AS form, s.state, s.unread, s.${HANDLED.join(", s.")}, ${WAITS} AS waits
               ${OF_FORMS} AND s.id IN ${list}`,
  );
  const found = new Map(
    rows.map(({ id, state, unread, labels, waits, ...row }) => [
      textOf(id),
      { ...row, state: STATES[state]!, read: unread === 0, labels: labelsOf(labels), waits: waits === 1 },
    ]),
  );
  return Object.fromEntries(
    ids.flatMap((id) => {
      const standing = found.get(textOf(bytesOf(id)));
      return standing === undefined ? [] : [[id, standing]];
    }),
  );
}

/** Whether the sender of a submission `s` was to confirm it, and has not. */
const WAITS = "CASE WHEN s.consent IS NOT NULL AND s.confirmed_at IS NULL THEN 1 ELSE 0 END";

/** The columns of a submission that change, by what people do with it. */
export const CHANGING = [
  "state",
  "spam",
  "unread",
  ...HANDLED,
  ...CONFIRMING.map(storedName),
  "consent",
] as const;

export type KnownSubmission = Pick<SubmissionRow, "seq" | "state" | "spam" | "unread"> &
  Pick<Submission, "assignee"> & {
    [Name in StoredName<"labels" | (typeof CONFIRMING)[number] | "consent">]: string | null;
  } & {
    form_id: number;
    /** 1 where its form learns from what people mark. */
    learn: number;
  };

/** The given submissions that exist, by their ids, locked for a change. */
export function* lockSubmissions(ids: readonly string[]): Work<Map<string, KnownSubmission>> {
  const bytes = ids.map(bytesOf);
  const columns = CHANGING.map((name) => `s.${name}`).join();
  const rows = yield* allAmong<KnownSubmission & { id: Uint8Array }>(
    bytes,
    (list) =>
      `SELECT s.id, s.seq, s.form_id, f.learn, ${columns} ${OF_FORMS} AND s.id IN ${list} ORDER BY s.id ${FOR_UPDATE_OF_S}`,
  );
  const found = new Map(rows.map((row) => [textOf(row.id), row]));
  const known = new Map<string, KnownSubmission>();
  for (const [index, id] of ids.entries()) {
    const row = found.get(textOf(bytes[index]!));
    if (row) known.set(id, row);
  }
  return known;
}
