import type { Database } from "bun:sqlite";
import {
  type HourTally,
  TALLY_KINDS as KINDS,
  type Tally,
  type TallyKind,
  type TallyPage,
  type TallyQuery,
  type TallySum,
} from "../../flags/tally.ts";
import { query } from "./statements.ts";

/** Sorts after every text that begins with what precedes it. */
const LAST = "\u{10ffff}";

/** Each hour is found by itself, so that the index leads to the prefix. */
const WHERE = "WHERE kind = ?1 AND hour IN (SELECT value FROM json_each(?2)) AND what >= ?3 AND what < ?4";

type Bound = [kind: number, hours: string, from: string, to: string];

function bound({ kind, from, to, prefix = "" }: TallyQuery): Bound {
  const hours = Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);
  return [KINDS.indexOf(kind), JSON.stringify(hours), prefix, prefix + LAST];
}

export function readTallies(db: Database, { after = "", limit = -1, ...tallies }: TallyPage): HourTally[] {
  // A limit below 0 is none.
  const sql = `SELECT hour, what, variant, count FROM tallies ${WHERE} AND what > ?5
    ORDER BY hour, what, variant LIMIT ?6`;
  return query<HourTally, [...Bound, string, number]>(db, sql).all(...bound(tallies), after, limit);
}

export function sumTallies(db: Database, tallies: TallyQuery): TallySum[] {
  const sql = `SELECT what, variant, sum(count) AS count FROM tallies ${WHERE} GROUP BY what, variant`;
  return query<TallySum, Bound>(db, sql).all(...bound(tallies));
}

export function addTallies(db: Database, tallies: readonly Tally[]): void {
  const add = query<unknown, [number, number, string, string, number]>(
    db,
    `INSERT INTO tallies (kind, hour, what, variant, count) VALUES (?1, ?2, ?3, ?4, ?5)
     ON CONFLICT DO UPDATE SET count = count + excluded.count`,
  );
  for (const { kind, hour, what, variant, count } of tallies)
    add.run(KINDS.indexOf(kind), hour, what, variant, count);
}

export function clearTallies(db: Database, kind: TallyKind, before: number, limit: number): boolean {
  const sql = `DELETE FROM tallies WHERE (kind, hour, what, variant) IN (
    SELECT kind, hour, what, variant FROM tallies WHERE kind = ?1 AND hour < ?2 LIMIT ?3)`;
  return (
    query<unknown, [number, number, number]>(db, sql).run(KINDS.indexOf(kind), before, limit).changes >= limit
  );
}
