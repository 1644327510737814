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

/** Submissions with a term that are read without looking for the other terms of a search, which takes twenty times as long. */
const RARE = 100;

/**
 * A query of the index, or a JSON list of the positions in it of the few submissions with a term: `none` if no submission has all terms, `any` if the index
 * cannot narrow the search down.
 */
type IndexQuery = { match: string } | { rare: string } | "none" | "any";

/** The query of each search, which takes longer to find than a step with it. */
const known = new WeakMap<SearchTerms, { db: Database; formId: number; query: IndexQuery }>();

/** Finds submissions in the index of a database. */
export function hitsIn(db: Database): FindHits {
  return (formId, terms, before) => {
    // A table of SQLite that lists the terms of the index. The end of a read drops it, if it began in one.
    query(
      db,
      `CREATE VIRTUAL TABLE IF NOT EXISTS temp.search_terms USING fts5vocab('main', 'submission_search', 'instance')`,
    ).run();
    const found = queryFor(db, formId, terms);
    if (typeof found === "string") return found;
    const [position, condition, from] =
      "rare" in found
        ? ["p.position", "p.position IN (SELECT value FROM json_each($rare))", ""]
        : [
            "t.rowid",
            "submission_search MATCH $match AND p.position = t.rowid",
            "submission_search t CROSS JOIN ",
          ];
    return {
      from: `${from}submission_positions p CROSS JOIN submissions s CROSS JOIN forms f`,
      where: `${condition} AND s.seq = p.seq AND f.id = s.form_id
              ${before === null ? "" : `AND ${position} < CAST($position AS INTEGER)`}`,
      order: position,
      params: {
        ...found,
        // As a text, because a safe integer is too small.
        ...(before !== null && { position: String(positionOf(db, formId, before)) }),
      },
    };
  };
}

/** The query for the submissions of a form that may have the terms; found once for all steps with the same object. */
function queryFor(db: Database, formId: number, terms: SearchTerms): IndexQuery {
  let kept = known.get(terms);
  if (kept?.db !== db || kept.formId !== formId) {
    kept = { db, formId, query: findQuery(db, formId, terms) };
    known.set(terms, kept);
  }
  return kept.query;
}

/** SQLite itself completes a prefix too, but reads every submission that has it first: half a second in a million. */
function findQuery(db: Database, formId: number, { terms, prefix }: SearchTerms): IndexQuery {
  const completions = (limit: number) =>
    prefix === null ? null : completionsOf(db, termIn(formId, prefix), limit);
  const parts: string[] = [];
  const inForm = terms.slice(0, MAX_TERMS).map((each) => termIn(formId, each));
  // Long terms are rare more often.
  for (const term of inForm.toSorted((a, b) => b.length - a.length)) {
    const { count, rare } = rareWith(db, term);
    // A text that is not a term of the index could have a meaning in a query.
    if (count === 0) return "none";
    if (count <= RARE) return completions(1)?.length === 0 ? "none" : { rare };
    parts.push(`"${term}"`);
  }
  const found = completions(MAX_COMPLETIONS + 1);
  if (found?.length === 0) return "none";
  if (found !== null && found.length <= MAX_COMPLETIONS)
    parts.push(`(${found.map((term) => `"${term}"`).join(" OR ")})`);
  return parts.length === 0 ? "any" : { match: parts.join(" AND ") };
}

/** The positions of the submissions with a term, one more than `RARE` at most, and their number. */
function rareWith(db: Database, term: string): { count: number; rare: string } {
  const sql = `SELECT count(*) AS count, json_group_array(doc) AS rare
               FROM (SELECT doc FROM temp.search_terms WHERE term = ?1 LIMIT ${RARE + 1})`;
  return query<{ count: number; rare: string }, [string]>(db, sql).get(term)!;
}

/**
 * The first terms that begin with a prefix. Each is looked up behind the one before, since the index would list a term once for
 * each submission.
 */
function completionsOf(db: Database, prefix: string, limit: number): string[] {
  const next = (from: string) =>
    `SELECT (SELECT term FROM temp.search_terms WHERE term >= ${from} AND term <= $last LIMIT 1)`;
  const sql = `WITH RECURSIVE found (completion) AS (
                 ${next("$prefix")} UNION ALL
                 ${next("completion || char(1)")} FROM found WHERE completion IS NOT NULL LIMIT $limit)
               SELECT completion FROM found WHERE completion IS NOT NULL`;
  return query<{ completion: string }>(db, sql)
    .all({ prefix, last: prefix + LAST, limit })
    .map(({ completion }) => completion);
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
