import { type SearchTerms, termIn } from "../../forms/inbox/search-text.ts";
import { createTermReader } from "../../forms/inbox/term-reader.ts";
import { bytesOf, textOf } from "../sql/ids.ts";
import { AFTER_EVERY_ID, filesOf } from "../sql/submissions/submissions.ts";
import type { Hits } from "../sql/submissions/scan.ts";
import { SKIP_LOCKED, type Work, all, only, run } from "../sql/work.ts";

/** Submissions that one write adds at most, so that those of others do not wait: some milliseconds. */
const MAX_ADDED = 250;

/** About how many bytes of text one write reads. */
const MAX_READ = 500_000;

/** A term as a text of PostgreSQL has it: https://www.postgresql.org/docs/current/datatype-textsearch.html */
function quoted(term: string): string {
  return `'${term.replaceAll(/['\\]/g, "$&$&")}'`;
}

/** Adds some submissions that the index lacks. Returns whether any may be left. */
export function* updateIndex(): Work<boolean> {
  const rows = yield* all<{ seq: number; id: Uint8Array; form_id: number; bytes: number }>(
    `SELECT seq, id, form_id, octet_length(data) AS bytes FROM submissions
     WHERE indexed = 0 ORDER BY seq LIMIT ${MAX_ADDED} ${SKIP_LOCKED}`,
  );
  let bytes = 0;
  const read = rows.filter((row, index) => index === 0 || (bytes += row.bytes) <= MAX_READ);
  const params = { seqs: JSON.stringify(read.map(({ seq }) => seq)) };
  const contents = yield* all<{ seq: number; data: string }>(
    "SELECT seq, data FROM submissions WHERE seq IN (SELECT CAST(value AS BIGINT) FROM json_each($seqs))",
    params,
  );
  const dataOf = new Map(contents.map(({ seq, data }) => [seq, data]));
  const files = yield* filesOf(read.map(({ seq }) => seq));
  const termsOf = createTermReader();
  const seqs: number[] = [];
  const terms: string[] = [];
  for (const { seq, id, form_id } of read) {
    const names = (files.get(seq) ?? []).map(({ name }) => name);
    const found = termsOf(textOf(id), () => ({ data: dataOf.get(seq)!, names: JSON.stringify(names) }));
    if (found === null) break;
    seqs.push(seq);
    terms.push(found.map((term) => quoted(termIn(form_id, term))).join(" "));
  }
  if (seqs.length === 0) return rows.length > 0;
  yield* run(
    `INSERT INTO submission_terms (seq, terms)
     SELECT CAST(s.value AS BIGINT), CAST(t.value AS TSVECTOR)
     FROM json_each($seqs) AS s JOIN json_each($terms) AS t ON t.key = s.key
     ON CONFLICT (seq) DO UPDATE SET terms = excluded.terms`,
    { seqs: JSON.stringify(seqs), terms: JSON.stringify(terms) },
  );
  yield* run(
    `UPDATE submissions SET indexed = 1 WHERE seq IN (SELECT CAST(value AS BIGINT) FROM json_each($seqs))`,
    { seqs: JSON.stringify(seqs) },
  );
  return rows.length === MAX_ADDED || seqs.length < rows.length;
}

/**
 * An upper bound for the number of submissions that are missing in the index; counting many would take long. Deleted
 * submissions leave the index at once.
 */
export function* indexBacklog(): Work<{ missing: number; removals: boolean }> {
  const { missing } = yield* only<{ missing: number }>(
    "SELECT COALESCE(max(seq) - min(seq) + 1, 0) AS missing FROM submissions WHERE indexed = 0",
  );
  return { missing, removals: false };
}

/** Finds the submissions of a form that have all terms. If PostgreSQL sorts them or looks them up in their order, it decides. */
export function findHits(formId: number, { terms, prefix }: SearchTerms, before: string | null): Hits {
  const parts = terms.map((term) => quoted(termIn(formId, term)));
  if (prefix !== null) parts.push(`${quoted(termIn(formId, prefix))}:*`);
  if (parts.length === 0) return "any";
  return {
    from: "submission_terms t CROSS JOIN submissions s CROSS JOIN forms f",
    where: `t.terms @@ CAST($match AS TSQUERY) AND s.seq = t.seq AND s.form_id = $formId AND f.id = s.form_id
            AND s.id < $before`,
    order: "s.id",
    params: {
      match: parts.join(" & "),
      formId,
      before: before === null ? AFTER_EVERY_ID : bytesOf(before),
    },
  };
}
