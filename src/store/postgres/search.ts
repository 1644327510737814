import { type SearchTerms, searchTerms } from "../../forms/search-text.ts";
import { bytesOf } from "../sql/submission-ids.ts";
import { AFTER_EVERY_ID, filesOf } from "../sql/submission-rows.ts";
import type { Hits } from "../sql/submission-scan.ts";
import { SKIP_LOCKED, type Work, all, only, run } from "../sql/work.ts";

/** What one write adds at most, so that the submissions of others do not wait: some milliseconds. */
const MAX_ADDED = { rows: 250, characters: 500_000 };

/** The term of a form, which keeps the submissions of other forms out of a search. */
function termIn(formId: number, term: string): string {
  return `${formId}x${term}`;
}

/** A term as a text of PostgreSQL has it: https://www.postgresql.org/docs/current/datatype-textsearch.html */
function quoted(term: string): string {
  return `'${term.replaceAll(/['\\]/g, "$&$&")}'`;
}

/** Adds some submissions that the index lacks. Returns whether any may be left. */
export function* updateIndex(): Work<boolean> {
  const rows = yield* all<{ seq: number; form_id: number; data: string }>(
    `SELECT seq, form_id, data FROM submissions WHERE indexed = 0 ORDER BY seq LIMIT ${MAX_ADDED.rows} ${SKIP_LOCKED}`,
  );
  const added: typeof rows = [];
  let characters = 0;
  for (const row of rows) {
    added.push(row);
    characters += row.data.length;
    if (characters >= MAX_ADDED.characters) break;
  }
  if (added.length === 0) return false;
  const seqs = added.map(({ seq }) => seq);
  const files = yield* filesOf(seqs);
  const terms = added.map(({ seq, form_id, data }) => {
    const names = (files.get(seq) ?? []).map(({ name }) => name);
    const found = searchTerms(JSON.parse(data) as Record<string, unknown>, names);
    return found.map((term) => quoted(termIn(form_id, term))).join(" ");
  });
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
  return rows.length === MAX_ADDED.rows || added.length < rows.length;
}

/** How many submissions the index lacks, at most: counting them would take long where many came. Deleted ones leave it at once. */
export function* indexBacklog(): Work<{ missing: number; removals: boolean }> {
  const { missing } = yield* only<{ missing: number }>(
    "SELECT COALESCE(max(seq) - min(seq) + 1, 0) AS missing FROM submissions WHERE indexed = 0",
  );
  return { missing, removals: false };
}

/** Finds the submissions of a form that have all terms. Where PostgreSQL sorts them or looks them up in their order, it decides. */
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
