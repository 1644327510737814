import { type Database, SQLiteError } from "bun:sqlite";
import type { NewDelivery } from "../../delivery/delivery.ts";
import type { Conditions, Insertion, StoredSubmission } from "../../forms/intake/insertion.ts";
import type { Measured } from "../../forms/intake/measured.ts";
import * as shared from "../sql/submissions/intake.ts";
import { runWork } from "./run.ts";
import { query } from "./statements.ts";

/**
 * Inserts a submission like the shared operation of both databases; the commit counts it, and what it `measured`. Returns
 * undefined for a submission that is now in the inbox. Two shortcuts for speed (`npm run bench -- submissions`): parameters
 * are not an object, which would take twice as long to send to a thread, and a submission without side effects has its own
 * statement, which takes half as long.
 */
export function insertSubmission(
  db: Database,
  id: string,
  formKey: string,
  data: string,
  createdAt: number,
  files: StoredSubmission["files"],
  conditions: Conditions | null,
  deliveries: readonly NewDelivery[],
  meta: string | null,
  flags: string | null,
  _measured: readonly Measured[] | null,
): Insertion | undefined {
  if (conditions === null && files.length === 0 && deliveries.length === 0)
    if (insertPlain(db, id, formKey, data, createdAt, meta, flags)) return undefined;
  const insertion = runWork(
    db,
    shared.insertSubmission({ id, formKey, data, createdAt, files, meta, flags }, conditions, deliveries),
  );
  const isPlain =
    insertion.kind === "stored" && insertion.spam === null && !insertion.fills && !insertion.waits;
  return isPlain ? undefined : insertion;
}

/** Returns false, and inserts nothing, for a form that fills segments or does not exist. */
function insertPlain(
  db: Database,
  id: string,
  formKey: string,
  data: string,
  createdAt: number,
  meta: string | null,
  flags: string | null,
): boolean {
  try {
    // A third faster than INSERT … SELECT … FROM forms.
    query<unknown, [string, string, number, string, string | null, string | null]>(
      db,
      `INSERT INTO submissions (id, form_id, data, created_at, state, unread, meta, flags)
       VALUES (unhex(?1, '-'), (SELECT id FROM forms WHERE key = ?4 AND fills = 0), ?2, ?3, 0, 1, ?5, ?6)`,
    ).run(id, data, createdAt, formKey, meta, flags);
    return true;
  } catch (error) {
    if (error instanceof SQLiteError && error.code === "SQLITE_CONSTRAINT_NOTNULL") return false;
    throw error;
  }
}
