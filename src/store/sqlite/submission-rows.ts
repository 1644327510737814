import { isoTime } from "../../base/clock.ts";
import type { RawSubmission, Submission } from "../../forms/submission.ts";
import { SUBMISSION_STATES as STATES } from "../../forms/submission-state.ts";
import { textOf } from "../sql/submission-ids.ts";

export type SubmissionRow = {
  id: Uint8Array;
  form: string;
  data: string;
  files: string;
  created_at: number;
  /** The position in `SUBMISSION_STATES`. */
  state: number;
  spam: string | null;
  unread: number;
  meta: string | null;
};

/** The files of the submission `s` as JSON. Most have none, which is found in less time than an empty list is made. */
export const FILES = `iif(EXISTS (SELECT 1 FROM files WHERE submission_seq = s.seq),
    (SELECT json_group_array(
              json_object('field', field, 'name', name, 'type', type, 'size', size, 'sha256', sha256)
              ORDER BY position)
     FROM files WHERE submission_seq = s.seq),
    '[]')`;

const NO_FILES = "[]";

/** The columns of a `SubmissionRow` in a join of submissions `s` and forms `f`. */
export const COLUMNS = `
  s.id, f.slug AS form, s.data, s.created_at, s.state, s.spam, s.unread, s.meta, ${FILES} AS files`;

/** Sorts after every id, which has 16 bytes. */
export const AFTER_EVERY_ID = Buffer.alloc(17, 0xff);

export function viewSubmission(row: SubmissionRow): Submission {
  return { ...viewRaw(row), data: JSON.parse(row.data) };
}

export function viewRaw(row: SubmissionRow): RawSubmission {
  return {
    id: textOf(row.id),
    form: row.form,
    data: row.data,
    files: row.files === NO_FILES ? [] : JSON.parse(row.files),
    createdAt: isoTime(row.created_at),
    state: STATES[row.state]!,
    spam: row.spam,
    read: row.unread === 0,
    meta: row.meta === null ? null : JSON.parse(row.meta),
  };
}
