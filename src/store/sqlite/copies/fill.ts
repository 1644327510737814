import type { Database } from "bun:sqlite";
import { AppError } from "../../../base/errors.ts";
import type { Batch, Dump, PortableValue } from "../../../maintenance/store.ts";
import { type TableName, columnsOf } from "../../../maintenance/tables.ts";
import { connectUnmigrated } from "../connection.ts";
import { CHECKED_EMPTY, storedName } from "../../portable.ts";
import { sqliteError } from "../errors.ts";
import { close, query } from "../statements.ts";
import { runWork } from "../run.ts";
import { recountSubmissions } from "../../sql/submissions/counts.ts";
import { bytesOf } from "../../sql/ids.ts";

/** Finds the row number of a submission by its id. */
export type FindSeq = (id: string) => number | undefined;

/**
 * Fills an empty database with the rows of a dump, and counts its submissions. Secrets are replaced. Throws `conflict` for a
 * database that has rows, `unavailable` if the disk is full.
 */
export async function fillDatabase(file: string, dump: Dump): Promise<void> {
  const db = connectUnmigrated(file);
  try {
    refuseRows(db);
    // The last commit makes all before it durable: they are in the same log.
    db.run("PRAGMA synchronous = NORMAL");
    // Submissions have no index by their id alone.
    db.run("CREATE TEMP TABLE filled (id TEXT PRIMARY KEY, seq INTEGER NOT NULL) WITHOUT ROWID");
    db.run("DELETE FROM secrets");
    let last: { id: string; seq: number | undefined } | undefined;
    const findSeq: FindSeq = (id) => {
      if (last?.id !== id) last = { id, seq: seqIn(db, id) };
      return last.seq;
    };
    let version: Batch | undefined;
    for await (const batch of dump) {
      if (batch.table === "setup_version") version = batch;
      else db.transaction(insertFilled).immediate(db, batch, findSeq);
    }
    db.run("PRAGMA synchronous = FULL");
    db.transaction(() => {
      runWork(db, recountSubmissions());
      if (version) insertBatch(db, version, findSeq);
    }).immediate();
  } catch (error) {
    throw sqliteError(error);
  } finally {
    close(db);
  }
}

/** Throws `conflict` for a database that has rows other than those of a start. */
export function refuseRows(db: Database): void {
  const has = (rows: string) => query(db, `SELECT 1 FROM ${rows} LIMIT 1`).get() !== null;
  if (has("setup_version WHERE version > 0") || CHECKED_EMPTY.some((table) => has(`"${table}"`)))
    throw new AppError("conflict", "the database is not empty", { reason: "database-not-empty" });
}

function seqIn(db: Database, id: string): number | undefined {
  return query<{ seq: number }, [string]>(db, "SELECT seq FROM filled WHERE id = ?1").get(id)?.seq;
}

function insertFilled(db: Database, batch: Batch, findSeq: FindSeq): void {
  if (batch.table !== "submissions") return insertBatch(db, batch, findSeq);
  const remember = query<unknown, [string, number]>(db, "INSERT INTO filled (id, seq) VALUES (?1, ?2)");
  insertBatch(db, batch, findSeq, (row, seq) => remember.run(row[0] as string, seq));
}

/** Inserts the rows of a batch; a row of `forms` or `setup_version` that exists is updated. */
export function insertBatch(
  db: Database,
  { table, rows }: Batch,
  findSeq: FindSeq,
  inserted: (row: PortableValue[], seq: number) => void = () => {},
): void {
  const columns = columnsOf(table);
  const insert = query<unknown, PortableValue[]>(db, insertInto(table));
  for (const row of rows) {
    const values = row.map((value, index) => {
      const type = columns[index]![1];
      if (typeof value !== "string") return value;
      if (type === "uuid") return bytesOf(value);
      return type === "submission" ? (findSeq(value) ?? null) : value;
    });
    inserted(row, Number(insert.run(...values).lastInsertRowid));
  }
}

/** Tables with rows that others refer to, or wait for, while they are replaced. */
const UPDATED = new Set<TableName>(["forms", "setup_version"]);

function insertInto(table: TableName): string {
  const names = columnsOf(table).map(([name, type]) => `"${storedName(name, type)}"`);
  const sql = `INSERT INTO "${table}" (${names.join()}) VALUES (${names.map(() => "?").join()})`;
  if (!UPDATED.has(table)) return sql;
  const updates = names.map((name) => `${name} = excluded.${name}`);
  return `${sql} ON CONFLICT (id) DO UPDATE SET ${updates.join()}`;
}
