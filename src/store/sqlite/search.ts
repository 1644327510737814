import type { Database } from "bun:sqlite";
import { type SearchTerms, termIn } from "../../forms/inbox/search-text.ts";
import type { FindHits } from "../sql/submissions/scan.ts";
import { naturalPosition } from "./search-index.ts";
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

/** Frequent terms and prefixes that are kept. */
const MAX_FREQUENT = 1000;

/**
 * A query of the index, or a JSON list of the positions in it of the few submissions with a term: `none` if no submission
 * has all terms, `any` if the index cannot narrow the search down.
 */
type IndexQuery = { match: string } | { rare: string } | "none" | "any";

/** Finds submissions in the index of a database. */
export function hitsIn(db: Database): FindHits {
  // Finding the query of a search takes longer than a step with it.
  const known = new WeakMap<SearchTerms, { formId: number; query: IndexQuery }>();
  const frequent = createFrequent();
  return (formId, terms, before) => {
    // A table of SQLite that lists the terms of the index. The end of a read drops it, if it began in one.
    query(
      db,
      `CREATE VIRTUAL TABLE IF NOT EXISTS temp.search_terms USING fts5vocab('main', 'submission_search', 'instance')`,
    ).run();
    let kept = known.get(terms);
    if (kept?.formId !== formId) {
      kept = { formId, query: findQuery(db, formId, terms, frequent) };
      known.set(terms, kept);
    }
    const found = kept.query;
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

type Frequent = { has: (name: string) => boolean; add: (name: string) => void };

/**
 * Names of the index that were frequent once, which are not looked up again: a page shows the same search each time that
 * something changes. Where one is so no more, the index narrows a search down by less.
 */
function createFrequent(): Frequent {
  const names = new Set<string>();
  return {
    has: (name) => names.has(name),
    add(name) {
      if (names.size >= MAX_FREQUENT) names.clear();
      names.add(name);
    },
  };
}

/** SQLite itself completes a prefix too, but reads every submission that has it first: half a second in a million. */
function findQuery(
  db: Database,
  formId: number,
  { terms, prefix }: SearchTerms,
  frequent: Frequent,
): IndexQuery {
  const beginning = prefix === null ? null : termIn(formId, prefix);
  const parts: string[] = [];
  const inForm = terms.slice(0, MAX_TERMS).map((each) => termIn(formId, each));
  // Long terms are rare more often.
  for (const term of inForm.toSorted((a, b) => b.length - a.length)) {
    const rare = frequent.has(term) ? null : rareWith(db, term);
    // A text that is not a term of the index could have a meaning in a query.
    if (rare === "[]") return "none";
    if (rare !== null)
      return beginning !== null && completionsOf(db, beginning, 1).length === 0 ? "none" : { rare };
    frequent.add(term);
    parts.push(`"${term}"`);
  }
  if (beginning !== null && !frequent.has(`${beginning}*`)) {
    const completions = completionsOf(db, beginning, MAX_COMPLETIONS + 1);
    if (completions.length === 0) return "none";
    if (completions.length > MAX_COMPLETIONS) frequent.add(`${beginning}*`);
    else parts.push(`(${completions.map((term) => `"${term}"`).join(" OR ")})`);
  }
  return parts.length === 0 ? "any" : { match: parts.join(" AND ") };
}

/** A JSON list of the positions of the submissions with a term; null for more than `RARE`. */
function rareWith(db: Database, term: string): string | null {
  const sql = `SELECT CASE WHEN count(*) <= ${RARE} THEN json_group_array(doc) END AS rare
               FROM (SELECT doc FROM temp.search_terms WHERE term = ?1 LIMIT ${RARE + 1})`;
  return query<{ rare: string | null }, [string]>(db, sql).get(term)!.rare;
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
               WHERE s.form_id = $formId AND s.state IN (0, 1, 2, 3) AND s.id = $id`;
  const row = query<{ position: bigint }, { formId: number; id: Buffer }>(db, sql)
    .safeIntegers(true)
    .get({ formId, id: bytesOf(id) });
  return row?.position ?? naturalPosition(id);
}
