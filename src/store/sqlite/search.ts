import type { Database } from "bun:sqlite";
import type { SearchTerms } from "../../forms/inbox/search-text.ts";
import type { FindHits } from "../sql/submissions/scan.ts";
import { naturalPosition, termIn } from "./search-index.ts";
import { query } from "./statements.ts";
import { bytesOf } from "../sql/ids.ts";

/** Terms of a search that are looked up in the index. Further ones are checked when the submissions are read. */
const MAX_TERMS = 32;
/** Terms that begin with the prefix of a search. With more, the prefix is checked when the submissions are read. */
const MAX_COMPLETIONS = 100;

/** Sorts after every continuation of a term. */
const LAST = "\u{10ffff}";
/** Sorts before every continuation of a term, and after the term itself. */
const FIRST = "\u0001";

/** A query of the index: `none` if no submission has all terms, `any` if it cannot narrow the search down. */
type IndexQuery = { match: string } | "none" | "any";

/** The query of each search, which takes longer to find than a step with it. */
const known = new WeakMap<SearchTerms, { db: Database; formId: number; query: IndexQuery }>();

/** Finds submissions in the index of a database. */
export function hitsIn(db: Database): FindHits {
  return (formId, terms, before) => {
    const found = matchOf(db, formId, terms);
    if (typeof found === "string") return found;
    return {
      from: "submission_search t CROSS JOIN submission_positions p CROSS JOIN submissions s CROSS JOIN forms f",
      where: `p.position = t.rowid AND s.seq = p.seq AND f.id = s.form_id AND submission_search MATCH $match
              ${before === null ? "" : "AND t.rowid < CAST($position AS INTEGER)"}`,
      order: "t.rowid",
      params: {
        match: found.match,
        // As a text, because a safe integer is too small.
        ...(before !== null && { position: String(positionOf(db, formId, before)) }),
      },
    };
  };
}

/** The query for the submissions of a form that may have the terms; found once for all steps with the same object. */
function matchOf(db: Database, formId: number, terms: SearchTerms): IndexQuery {
  let kept = known.get(terms);
  if (kept?.db !== db || kept.formId !== formId) {
    kept = { db, formId, query: findMatch(db, formId, terms) };
    known.set(terms, kept);
  }
  return kept.query;
}

/** SQLite itself completes a prefix too, but reads every submission that has it first: half a second in a million. */
function findMatch(db: Database, formId: number, { terms, prefix }: SearchTerms): IndexQuery {
  // A table of SQLite that lists the terms of the index. The end of a read drops it, if it began in one.
  query(
    db,
    `CREATE VIRTUAL TABLE IF NOT EXISTS temp.search_terms USING fts5vocab('main', 'submission_search', 'instance')`,
  ).run();
  const parts: string[] = [];
  for (const term of terms.slice(0, MAX_TERMS).map((each) => termIn(formId, each))) {
    // A text that is not a term of the index could have a meaning in a query.
    if (firstTerm(db, term, term) === null) return "none";
    parts.push(`"${term}"`);
  }
  if (prefix !== null) {
    const completions = completionsOf(db, termIn(formId, prefix));
    if (completions.length === 0) return "none";
    if (completions.length <= MAX_COMPLETIONS)
      parts.push(`(${completions.map((term) => `"${term}"`).join(" OR ")})`);
  }
  return parts.length === 0 ? "any" : { match: parts.join(" AND ") };
}

/** The terms that begin with a prefix, one more than `MAX_COMPLETIONS` at most. */
function completionsOf(db: Database, prefix: string): string[] {
  const found: string[] = [];
  let term = firstTerm(db, prefix, prefix + LAST);
  while (term !== null && found.length <= MAX_COMPLETIONS) {
    found.push(term);
    term = firstTerm(db, term + FIRST, prefix + LAST);
  }
  return found;
}

function firstTerm(db: Database, from: string, to: string): string | null {
  const sql = "SELECT term FROM temp.search_terms WHERE term >= ?1 AND term <= ?2 LIMIT 1";
  return query<{ term: string }, [string, string]>(db, sql).get(from, to)?.term ?? null;
}

/** The position of a submission of a form in the index, or where it would be. */
function positionOf(db: Database, formId: number, id: string): bigint {
  const sql = `SELECT p.position FROM submissions s JOIN submission_positions p ON p.seq = s.seq
               WHERE s.form_id = $formId AND s.state IN (0, 1, 2) AND s.id = $id`;
  const row = query<{ position: bigint }, { formId: number; id: Buffer }>(db, sql)
    .safeIntegers(true)
    .get({ formId, id: bytesOf(id) });
  return row?.position ?? naturalPosition(id);
}
