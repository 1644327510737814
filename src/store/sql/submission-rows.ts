import { isoTime } from "../../base/clock.ts";
import type { FileInfo, RawSubmission, Submission } from "../../forms/submission.ts";
import { SUBMISSION_STATES as STATES } from "../../forms/submission-state.ts";
import { textOf } from "./submission-ids.ts";
import { type Work, all } from "./work.ts";

export type SubmissionRow = {
  id: Uint8Array;
  seq: number;
  form: string;
  data: string;
  created_at: number;
  /** The position in `SUBMISSION_STATES`. */
  state: number;
  spam: string | null;
  unread: number;
  meta: string | null;
};

/** The columns of a `SubmissionRow` in a join of submissions `s` and forms `f`. */
export const COLUMNS = "s.id, s.seq, f.slug AS form, s.data, s.created_at, s.state, s.spam, s.unread, s.meta";

/** Sorts after every id, which has 16 bytes. */
export const AFTER_EVERY_ID = Buffer.alloc(17, 0xff);

/** The submissions of rows, as they were sent. */
export function* viewRaw(rows: readonly SubmissionRow[]): Work<RawSubmission[]> {
  const files = yield* filesOf(rows.map(({ seq }) => seq));
  return rows.map((row) => ({
    id: textOf(row.id),
    form: row.form,
    data: row.data,
    files: files.get(row.seq) ?? [],
    createdAt: isoTime(row.created_at),
    state: STATES[row.state]!,
    spam: row.spam,
    read: row.unread === 0,
    meta: row.meta === null ? null : JSON.parse(row.meta),
  }));
}

/** The submissions of rows. */
export function* viewSubmissions(rows: readonly SubmissionRow[]): Work<Submission[]> {
  return (yield* viewRaw(rows)).map((each) => ({ ...each, data: JSON.parse(each.data) }));
}

/** The files of submissions by their `seq`, for those that have some. */
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
