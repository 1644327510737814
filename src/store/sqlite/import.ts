import type { Database } from "bun:sqlite";
import { noSuchForm } from "../../forms/form.ts";
import type { ImportedSubmission, ImportResult } from "../../forms/store.ts";
import { SUBMISSION_STATES as STATES } from "../../forms/submission-state.ts";
import { runWork } from "./run.ts";
import { query } from "./statements.ts";
import { createUncounted } from "../sql/submission-counts.ts";
import { bytesOf } from "../sql/submission-ids.ts";
import { BY_ID } from "./submissions.ts";

/** Inserts submissions whose id no form has. Throws `not_found` for the form. */
export function importSubmissions(
  db: Database,
  formKey: string,
  submissions: readonly ImportedSubmission[],
): ImportResult {
  const form = query<{ id: number }, { formKey: string }>(
    db,
    "SELECT id FROM forms WHERE key = $formKey AND deleted = 0",
  ).get({ formKey });
  if (!form) throw noSuchForm(formKey);
  const find = query<{ form: number }, { id: Buffer }>(db, `SELECT f.id AS form ${BY_ID}`);
  const insert = query<
    unknown,
    [Buffer, number, string, number, number, string | null, number, string | null]
  >(
    db,
    `INSERT INTO submissions (id, form_id, data, created_at, state, spam, unread, meta)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)`,
  );
  const uncounted = createUncounted();
  const result: ImportResult = { imported: 0, skipped: 0, elsewhere: 0 };
  for (const { id, data, createdAt, state, spam, read, meta } of submissions) {
    const bytes = bytesOf(id);
    const known = find.get({ id: bytes });
    if (known) {
      result.skipped += 1;
      if (known.form !== form.id) result.elsewhere += 1;
    } else {
      insert.run(
        bytes,
        form.id,
        data,
        createdAt,
        STATES.indexOf(state),
        spam,
        read ? 0 : 1,
        meta && JSON.stringify(meta),
      );
      uncounted.add(formKey, state, !read, createdAt);
      result.imported += 1;
    }
  }
  runWork(db, uncounted.count());
  return result;
}
