import { type Database, SQLiteError } from "bun:sqlite";
import { termIn } from "../../forms/inbox/search-text.ts";
import { createTermReader } from "../../forms/inbox/term-reader.ts";
import { query } from "./statements.ts";
import { textOf } from "../sql/ids.ts";
import { type Work, run } from "../sql/work.ts";

/** Most rows and terms that one write adds or removes, so that other submissions wait only a few milliseconds. */
const MAX_ADDED = { rows: 250, terms: 5000 };
const MAX_REMOVED_TERMS = 100;
const MAX_MERGED_PAGES = 32;

type TermReader = ReturnType<typeof createTermReader>;

type Row = { seq: number; id: Uint8Array; form_id: number; data: string; names: string };

const ROW = `s.seq, s.id, s.form_id, s.data,
  (SELECT json_group_array(name ORDER BY position) FROM files WHERE submission_seq = s.seq) AS names`;

/**
 * Updates a part of the index: removes deleted submissions, then adds missing ones, and merges the additions when
 * nothing is missing. Returns whether more is to do.
 */
export function updateIndex(db: Database): boolean {
  const termsOf = createTermReader();
  removeDeleted(db, termsOf);
  addMissing(db, termsOf);
  const { missing, removals } = indexBacklog(db);
  return missing > 0 || removals || mergeParts(db);
}

/**
 * SQLite writes each addition as a part of its own, and a search looks into every part: in the twenty that a million
 * submissions leave, for four times as long as in three. Merges some pages of them; returns whether more can be merged.
 */
function mergeParts(db: Database): boolean {
  const sql = "SELECT total_changes() AS changes";
  const before = query<{ changes: number }, []>(db, sql).get()!.changes;
  query<unknown, [number]>(
    db,
    "INSERT INTO submission_search (submission_search, rank) VALUES ('merge', ?1)",
  ).run(MAX_MERGED_PAGES);
  // One change is the statement itself (https://www.sqlite.org/fts5.html#the_merge_command).
  return query<{ changes: number }, []>(db, sql).get()!.changes - before >= 2;
}

/** How many submissions are not in the index, at most, and whether it has deleted ones. */
export function indexBacklog(db: Database): { missing: number; removals: boolean } {
  const sql = `SELECT coalesce((SELECT max(seq) FROM submissions), 0)
                    - coalesce((SELECT max(seq) FROM submission_positions), 0) AS missing,
                 EXISTS (SELECT 1 FROM search_removals) AS removals`;
  const { missing, removals } = query<{ missing: number; removals: number }, []>(db, sql).get()!;
  return { missing, removals: removals === 1 };
}

function addMissing(db: Database, termsOf: TermReader): void {
  const rows = query<Row, []>(
    db,
    `SELECT ${ROW} FROM submissions s
     WHERE s.seq > (SELECT coalesce(max(seq), 0) FROM submission_positions) ORDER BY s.seq LIMIT ${MAX_ADDED.rows}`,
  ).iterate();
  const added: { seq: number; natural: bigint; id: string; terms: string[] }[] = [];
  let count = 0;
  for (const row of rows) {
    const id = textOf(row.id);
    const terms = termsOf(id, () => row);
    if (terms === null) break;
    const named = terms.map((term) => termIn(row.form_id, term));
    added.push({ seq: row.seq, id, natural: naturalPosition(id), terms: named });
    count += terms.length;
    if (count >= MAX_ADDED.terms) break;
  }
  if (added.length === 0) return;
  const isFirst = query(db, "SELECT 1 FROM submission_positions LIMIT 1").get() === null;
  if (isFirst) setSecureDelete(db);
  // SQLite writes a part of its index each time that a row comes before the last one.
  added.sort((a, b) => (a.id < b.id ? -1 : 1));
  for (const { seq, natural, terms } of added) {
    const position = freePosition(db, natural);
    query<unknown, [number, bigint]>(
      db,
      "INSERT INTO submission_positions (seq, position) VALUES (?1, ?2)",
    ).run(seq, position);
    query<unknown, [bigint, string]>(db, "INSERT INTO submission_search (rowid, terms) VALUES (?1, ?2)").run(
      position,
      terms.join(" "),
    );
  }
}

/** Makes SQLite overwrite the words it removes (https://www.sqlite.org/fts5.html), unless it is too old to know how. */
function setSecureDelete(db: Database): void {
  try {
    db.run("INSERT INTO submission_search (submission_search, rank) VALUES ('secure-delete', 1)");
  } catch (error) {
    if (!(error instanceof SQLiteError && error.code === "SQLITE_ERROR")) throw error;
  }
}

/** The position of an id among others: its milliseconds and its counter (RFC 9562, 5.7), with room for seven more. */
export function naturalPosition(id: string): bigint {
  const hex = id.replaceAll("-", "");
  const position = BigInt(`0x${hex.slice(0, 12)}${hex.slice(13, 16)}`) << 3n;
  return position < LAST_NATURAL ? position : LAST_NATURAL;
}

/** Ids from here on, which an import may have, share the last million positions that SQLite can count. */
const LAST_NATURAL = 2n ** 63n - 2n ** 20n;

/** The bits of a position within one millisecond. */
const WITHIN_MILLISECOND = 0x7fffn;

/** The natural position, or a later one if another submission has it: an id of another source, or of another process. */
function freePosition(db: Database, natural: bigint): bigint {
  let position = natural;
  while (lastTaken(db, position, position) !== null)
    position = lastTaken(db, position, position | WITHIN_MILLISECOND)! + 1n;
  return position;
}

/** The last position in a range that the index has, also for a deleted submission; null for none. */
function lastTaken(db: Database, from: bigint, to: bigint): bigint | null {
  const sql = `SELECT max(position) AS position FROM (
                 SELECT max(position) AS position FROM submission_positions WHERE position BETWEEN ?1 AND ?2
                 UNION ALL
                 SELECT max(position) FROM search_removals WHERE position BETWEEN ?1 AND ?2)`;
  return query<{ position: bigint | null }, [bigint, bigint]>(db, sql).safeIntegers(true).get(from, to)!
    .position;
}

/**
 * Records indexed submissions that are about to be deleted; `seqs` is a JSON list. Their words are determined when they
 * are removed from the index, so that a deletion does not take longer. Until then, the content is kept as JSON, which
 * begins with a brace.
 */
export function* queueRemovals(seqs: string): Work<void> {
  yield* run(
    `INSERT INTO search_removals (position, terms)
     SELECT position, json_object('form_id', form_id, 'data', data, 'names', names)
     FROM (SELECT p.position, ${ROW} FROM submissions s JOIN submission_positions p USING (seq)
           WHERE s.seq IN (SELECT value FROM json_each($seqs)))`,
    { seqs },
  );
}

/** Null if this write has folded enough. The same text has to be given to remove it as was added. */
function removedTerms(position: bigint, terms: string, termsOf: TermReader): string | null {
  if (!terms.startsWith("{")) return terms;
  const row = JSON.parse(terms) as Omit<Row, "seq" | "id">;
  const found = termsOf(`removed ${position}`, () => row);
  return found === null ? null : found.map((term) => termIn(row.form_id, term)).join(" ");
}

function removeDeleted(db: Database, termsOf: TermReader): void {
  const rows = query<{ position: bigint; terms: string }, []>(
    db,
    `SELECT position, terms FROM search_removals ORDER BY position LIMIT ${MAX_REMOVED_TERMS}`,
  )
    .safeIntegers(true)
    .iterate();
  const removed: { position: bigint; terms: string }[] = [];
  let count = 0;
  for (const row of rows) {
    const terms = removedTerms(row.position, row.terms, termsOf);
    if (terms === null) break;
    removed.push({ position: row.position, terms });
    count += terms.split(" ").length;
    if (count >= MAX_REMOVED_TERMS) break;
  }
  for (const { position, terms } of removed) {
    query<unknown, [bigint, string]>(
      db,
      "INSERT INTO submission_search (submission_search, rowid, terms) VALUES ('delete', ?1, ?2)",
    ).run(position, terms);
    query<unknown, [bigint]>(db, "DELETE FROM search_removals WHERE position = ?1").run(position);
  }
}
