import { recountStored } from "./quota.ts";
import { isIdOf } from "../../../base/ids.ts";
import { noSuchForm } from "../../../forms/form.ts";
import type { ImportedSubmission, ImportResult } from "../../../forms/store.ts";
import { allAmong } from "../lists.ts";
import { insertRows } from "../lists.ts";
import { createUncounted } from "./counts.ts";
import { fillSegments } from "../memberships/members.ts";
import { bytesOf, textOf } from "../ids.ts";
import { FILLS } from "../rows.ts";
import { IMPORTED_COLUMNS, OF_FORMS, importedValues } from "./submissions.ts";
import { FOR_UPDATE, type Value, type Work, first, run } from "../work.ts";

/** Inserts submissions whose id no form has. Throws `not_found` for the form. */
export function* importSubmissions(
  formKey: string,
  submissions: readonly ImportedSubmission[],
): Work<ImportResult> {
  const form = yield* first<{ id: number; fills: number }>(
    `SELECT id, fills FROM forms WHERE key = $formKey AND deleted = 0 ${FOR_UPDATE}`,
    { formKey },
  );
  if (!form) throw noSuchForm(formKey);
  yield* recountStored(form.id);
  const known = yield* formsOf(submissions.map(({ id }) => bytesOf(id)));
  const uncounted = createUncounted();
  const rows: Value[][] = [];
  let hasForeign = false;
  const result: ImportResult = { imported: 0, skipped: 0, elsewhere: 0 };
  for (const submission of submissions) {
    const { createdAt, state, read } = submission;
    const id = bytesOf(submission.id);
    const holder = known.get(textOf(id));
    if (holder !== undefined) {
      result.skipped += 1;
      if (holder !== form.id) result.elsewhere += 1;
      continue;
    }
    known.set(textOf(id), form.id);
    rows.push([id, form.id, ...importedValues(submission)]);
    uncounted.add(formKey, state, !read, createdAt);
    hasForeign ||= !isIdOf(submission.id, createdAt);
    result.imported += 1;
  }
  yield* insertRows(`INSERT INTO submissions (id, form_id, ${IMPORTED_COLUMNS})`, rows, "");
  yield* uncounted.count();
  if (form.fills === 1) yield* fillImported(form.id, rows);
  if (hasForeign) yield* run("UPDATE forms SET foreign_ids = 1 WHERE id = $id", { id: form.id });
  return result;
}

/** Makes members of those in submissions that were imported. */
function* fillImported(formId: number, rows: readonly Value[][]): Work<void> {
  const stored = yield* allAmong<{ seq: number; data: string }>(
    rows.map(([id]) => id!),
    (list) => `SELECT s.seq, s.data ${OF_FORMS} AND f.id = $formId AND ${FILLS} AND s.id IN ${list}`,
    { formId },
  );
  yield* fillSegments(formId, stored);
}

export function* hasForeignIds(formKey: string): Work<boolean> {
  const row = yield* first("SELECT 1 FROM forms WHERE key = $formKey AND foreign_ids = 1", { formKey });
  return row !== undefined;
}

/** The forms that have submissions of some ids, by these. */
function* formsOf(ids: readonly Uint8Array[]): Work<Map<string, number>> {
  const rows = yield* allAmong<{ id: Uint8Array; form: number }>(
    ids,
    (list) => `SELECT s.id, f.id AS form ${OF_FORMS} AND s.id IN ${list}`,
  );
  return new Map(rows.map(({ id, form }) => [textOf(id), form]));
}
