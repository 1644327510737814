import type { Database } from "bun:sqlite";
import { noSuchForm } from "../../forms/form.ts";
import type { Scan, ScanStep } from "../../forms/store.ts";
import type { RawSubmission } from "../../forms/submission.ts";
import { SUBMISSION_STATES as STATES } from "../../forms/submission-state.ts";
import { matchOf, positionOf } from "./search.ts";
import { query } from "./statements.ts";
import { bytesOf, textOf } from "../sql/submission-ids.ts";
import { AFTER_EVERY_ID, COLUMNS, FILES, type SubmissionRow, viewRaw } from "./submission-rows.ts";

/** The data is null where the submission is not chosen. */
type Row = Omit<SubmissionRow, "data"> & { data: string | null };

type Values = Record<string, number | bigint | string | Buffer>;

export function scanSubmissions(db: Database, formKey: string, scan: Scan): ScanStep {
  const form = query<{ id: number }, { formKey: string }>(
    db,
    "SELECT id FROM forms WHERE key = $formKey",
  ).get({ formKey });
  if (!form) throw noSuchForm(formKey);
  const found = scan.terms ? matchOf(db, form.id, scan.terms) : "any";
  if (found === "none") return { submissions: [], next: null };
  const rows = found === "any" ? newest(db, form.id, scan) : hits(db, form.id, found.match, scan);
  const submissions: RawSubmission[] = [];
  let [scanned, bytes] = [0, 0];
  for (const row of rows) {
    const { data } = row;
    if (data !== null) submissions.push(viewRaw({ ...row, data }));
    scanned += 1;
    bytes += (data?.length ?? 0) + (row.files?.length ?? 0);
    if (scanned === scan.limit || bytes >= scan.bytes) return { submissions, next: textOf(row.id) };
  }
  return { submissions, next: null };
}

/** The submissions in the folders that are scanned; the index has an order in each, which SQLite merges. */
function newest(db: Database, formId: number, scan: Scan): Iterable<Row> {
  const { condition, values } = conditionOf({ ...scan, states: STATES });
  const folders = scan.states.map(
    (state) => `SELECT ${columnsFor(scan, condition)} FROM submissions s JOIN forms f ON f.id = s.form_id
                WHERE s.form_id = $formId AND s.state = ${STATES.indexOf(state)} AND s.id < $before`,
  );
  return query<Row, Values>(db, `${folders.join("\nUNION ALL\n")} ORDER BY 1 DESC LIMIT $limit`).iterate({
    ...values,
    formId,
    before: scan.before === null ? AFTER_EVERY_ID : bytesOf(scan.before),
    limit: scan.limit,
  });
}

/** The submissions that the index has for a query, in every folder. */
function hits(db: Database, formId: number, match: string, scan: Scan): Iterable<Row> {
  const { condition, values } = conditionOf(scan);
  const before = scan.before === null ? "" : "AND t.rowid < $before";
  return query<Row, Values>(
    db,
    `SELECT ${columns(condition)} FROM submission_search t
     CROSS JOIN submission_positions p ON p.position = t.rowid
     CROSS JOIN submissions s ON s.seq = p.seq
     CROSS JOIN forms f ON f.id = s.form_id
     WHERE submission_search MATCH $match ${before} ORDER BY t.rowid DESC LIMIT $limit`,
  ).iterate({
    ...values,
    match,
    limit: scan.limit,
    ...(scan.before !== null && { before: positionOf(db, formId, scan.before) }),
  });
}

/** Without a condition that could fail, which would cost each row a third of its time. */
function columnsFor({ unread, since, until }: Scan, condition: string): string {
  return unread || since !== null || until !== null ? columns(condition) : COLUMNS;
}

/** Every submission counts as scanned, but only those that fulfil the condition are read whole. */
function columns(condition: string): string {
  return `s.id, f.slug AS form, s.created_at, s.state, s.spam, s.unread, s.meta,
          iif(${condition}, s.data, NULL) AS data, iif(${condition}, ${FILES}, NULL) AS files`;
}

function conditionOf({ states, unread, since, until }: Pick<Scan, "states" | "unread" | "since" | "until">): {
  condition: string;
  values: Values;
} {
  const parts = [`s.state IN (${states.map((state) => STATES.indexOf(state)).join()})`];
  if (unread) parts.push("s.unread = 1");
  if (since !== null) parts.push("s.created_at >= $since");
  if (until !== null) parts.push("s.created_at < $until");
  return {
    condition: parts.join(" AND "),
    values: { ...(since !== null && { since }), ...(until !== null && { until }) },
  };
}
