import type { Scan, ScanStep } from "../../../forms/inbox/scan.ts";
import type { SearchTerms } from "../../../forms/inbox/search-text.ts";
import { COLUMN_FILTERS } from "../../../forms/submission-columns.ts";
import { SUBMISSION_STATES as STATES } from "../../../forms/submission-state.ts";
import { bytesOf, textOf } from "../ids.ts";
import { AFTER_EVERY_ID, COLUMNS, COLUMNS_BUT_DATA, type SubmissionRow, viewRaw } from "./submissions.ts";
import { formIdOf } from "./submissions.ts";
import { type Cut, type Params, type Work, all, merged } from "../work.ts";

/**
 * How a search index finds the submissions `s` of a form, joined to forms `f`, that may have some terms. `none` if no
 * submission has all terms, `any` if the index cannot narrow the search. `order` is an expression in the order of the
 * ids.
 */
export type Hits = { from: string; where: string; order: string; params: Params } | "none" | "any";

/** Finds the hits of a search index among the submissions of a form with an id below `before`. */
export type FindHits = (formId: number, terms: SearchTerms, before: string | null) => Hits;

/** The data is null if the submission is not chosen. */
type Row = Omit<SubmissionRow, "data"> & { data: string | null };

type Chosen = Pick<
  Scan,
  "states" | "unread" | "since" | "until" | "isLabeled" | (typeof COLUMN_FILTERS)[number]
>;

export function* scanSubmissions(findHits: FindHits, formKey: string, scan: Scan): Work<ScanStep> {
  const formId = yield* formIdOf(formKey);
  const hits = scan.terms ? findHits(formId, scan.terms, scan.before) : "any";
  if (hits === "none") return { submissions: [], next: null };
  const rows = yield* hits === "any" ? newest(formId, scan) : among(hits, scan);
  const chosen: SubmissionRow[] = [];
  let next: string | null = null;
  let [scanned, bytes] = [0, 0];
  for (const row of rows) {
    const { data } = row;
    const isLate = scan.upTo !== null && row.seq > scan.upTo;
    if (data !== null && !isLate) chosen.push({ ...row, data });
    scanned += 1;
    bytes += data?.length ?? 0;
    if (scanned < scan.limit && bytes < scan.bytes) continue;
    next = textOf(row.id);
    break;
  }
  return { submissions: yield* viewRaw(chosen), next };
}

/** The submissions in the folders that are scanned. */
function newest(formId: number, scan: Scan): Work<Row[]> {
  const { condition, params } = conditionOf({ ...scan, states: STATES });
  // Few of many submissions have either, and an index of their own.
  const few = fewOf(scan).map((part) => ` AND ${part}`);
  const folders = scan.states.map(
    (state) => `SELECT ${columnsFor(scan, condition)} FROM submissions s JOIN forms f ON f.id = s.form_id
                WHERE s.form_id = $formId AND s.state = ${STATES.indexOf(state)} AND s.id < $before${few.join("")}`,
  );
  return all<Row>(
    merged(folders),
    {
      ...params,
      formId,
      before: scan.before === null ? AFTER_EVERY_ID : bytesOf(scan.before),
      limit: scan.limit,
    },
    cutOf(scan),
  );
}

/** The submissions that an index has, in every folder. */
function among(hits: Exclude<Hits, string>, scan: Scan): Work<Row[]> {
  const { condition, params } = conditionOf(scan);
  return all<Row>(
    `SELECT ${columns(condition)} FROM ${hits.from} WHERE ${hits.where} ORDER BY ${hits.order} DESC LIMIT $limit`,
    { ...params, ...hits.params, limit: scan.limit },
    cutOf(scan),
  );
}

function cutOf({ bytes }: Scan): Cut {
  return { columns: ["data"], bytes };
}

/** Without a condition that could fail, which would cost each row a third of its time. */
function columnsFor({ unread, since, until }: Chosen, condition: string): string {
  return unread || since !== null || until !== null ? columns(condition) : COLUMNS;
}

/** Every submission counts as scanned, but only matching ones are read whole. */
function columns(condition: string): string {
  return `${COLUMNS_BUT_DATA}, CASE WHEN ${condition} THEN s.data END AS data`;
}

/** The conditions that few of many submissions meet. */
function fewOf({ isLabeled, ...scan }: Chosen): string[] {
  const given = COLUMN_FILTERS.filter((name) => scan[name] != null);
  return [...given.map((name) => `s.${name} = $${name}`), ...(isLabeled ? ["s.labels IS NOT NULL"] : [])];
}

function conditionOf(scan: Chosen): { condition: string; params: Params } {
  const { states, unread, since, until } = scan;
  const parts = [`s.state IN (${states.map((state) => STATES.indexOf(state)).join()})`];
  if (unread) parts.push("s.unread = 1");
  if (since !== null) parts.push("s.created_at >= $since");
  if (until !== null) parts.push("s.created_at < $until");
  const values = {
    since,
    until,
    ...Object.fromEntries(COLUMN_FILTERS.map((name) => [name, scan[name] ?? null])),
  };
  return {
    condition: [...parts, ...fewOf(scan)].join(" AND "),
    params: Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)),
  };
}
