import { existsSync, rmSync, writeFileSync } from "node:fs";
import type { Database } from "bun:sqlite";
import type { Batch, Dump, MovingStore, PortableValue } from "../../../maintenance/store.ts";
import { PORTABLE_TABLES, TABLE_NAMES, type TableName, columnsOf } from "../../../maintenance/tables.ts";
import { connectUnmigrated } from "../connection.ts";
import { sqliteError } from "../errors.ts";
import { insertBatch, refuseRows } from "./fill.ts";
import { OF_FORM } from "../../sql/rows.ts";
import { CHANGING } from "../../sql/submissions/submissions.ts";
import { queueRemovals } from "../search-index.ts";
import { close, query } from "../statements.ts";
import { runWork } from "../run.ts";
import { deleteRows } from "../../sql/submissions/removals.ts";
import { recountSubmissions } from "../../sql/submissions/counts.ts";
import { bytesOf } from "../../sql/ids.ts";
import { clearTable, pageIds } from "../../portable.ts";

/**
 * Moves of data into or out of this database. Only commands move data, so it writes on the connection of their store.
 */
export function movingStore(db: Database, file: string): MovingStore {
  const read = async <T>(work: () => T): Promise<T> => {
    try {
      return work();
    } catch (error) {
      throw sqliteError(error);
    }
  };
  const write = <T>(work: () => T): Promise<T> => read(() => db.transaction(work).immediate());
  /** Beside a database that a move fills and has not finished. */
  const marker = `${file}.moving`;
  return {
    begin: () =>
      read(() => {
        if (existsSync(marker)) return;
        refuseRows(db);
        writeFileSync(marker, "", { mode: 0o600 });
      }),
    giveUp: () =>
      read(() => {
        refuseRows(db);
        rmSync(marker, { force: true });
      }),
    replace: (stage, dump) => replaceStage(file, stage, dump),
    outdated: (submissions) => read(() => findOutdated(db, submissions)),
    receive: (batch) => write(() => receiveBatch(db, batch)),
    ids: (after) => read(() => runWork(db, pageIds(after))),
    unknown: (ids) => read(() => findUnknown(db, ids)),
    remove: (ids) => write(() => removeSubmissions(db, ids)),
    async release() {
      await write(() => runWork(db, recountSubmissions()));
      rmSync(marker, { force: true });
    },
  };
}

/** One transaction that waits for batches, on a connection of its own. */
async function replaceStage(
  file: string,
  stage: Parameters<MovingStore["replace"]>[0],
  dump: Dump,
): Promise<void> {
  const db = connectUnmigrated(file);
  const findSeq = (id: string) => findSubmission(db, id)?.seq;
  try {
    db.run("BEGIN IMMEDIATE");
    const tables = TABLE_NAMES.filter((table) => PORTABLE_TABLES[table].stage === stage);
    for (const table of tables.toReversed()) runWork(db, clearTable(table));
    for await (const batch of dump) insertBatch(db, batch, findSeq);
    db.run("COMMIT");
  } catch (error) {
    throw sqliteError(error);
  } finally {
    // Closing rolls back what was not committed.
    close(db);
  }
}

type Found = { seq: number } & Record<(typeof CHANGING)[number], PortableValue>;

/** Also finds submissions of forms that are deleted. */
function findSubmission(db: Database, id: string): Found | null {
  return query<Found, [Buffer]>(
    db,
    `SELECT s.seq, ${CHANGING.map((name) => `s.${name}`).join()} FROM forms f CROSS JOIN submissions s
     ON ${OF_FORM} AND s.id = ?1`,
  ).get(bytesOf(id));
}

/** In one statement: a move asks for every id. */
function findUnknown(db: Database, ids: readonly string[]): string[] {
  const sql = `SELECT value AS id FROM json_each(?1) WHERE NOT EXISTS (
    SELECT 1 FROM forms f CROSS JOIN submissions s
    ON ${OF_FORM} AND s.id = unhex(value, '-'))`;
  return query<{ id: string }, [string]>(db, sql)
    .all(JSON.stringify(ids))
    .map(({ id }) => id);
}

/** The values of a row by the names of their columns. */
function rowOf(table: TableName, values: PortableValue[]): Record<string, PortableValue> {
  return Object.fromEntries(columnsOf(table).map(([name], index) => [name, values[index]!]));
}

function findOutdated(db: Database, { table, rows }: Batch): Set<string> {
  const outdated = rows
    .map((values) => rowOf(table, values))
    .filter((row) => {
      const found = findSubmission(db, row["id"] as string);
      return !found || CHANGING.some((name) => found[name] !== row[name]);
    });
  return new Set(outdated.map(({ id }) => id as string));
}

function receiveBatch(db: Database, { table, rows }: Batch): void {
  const fresh = rows.filter((values) => {
    const row = rowOf(table, values);
    if (table === "files") return !hasFile(db, row["blob_key"] as string);
    const found = findSubmission(db, row["id"] as string);
    if (found) updateState(db, found.seq, row);
    return !found;
  });
  insertBatch(db, { table, rows: fresh }, (id) => findSubmission(db, id)?.seq);
}

function hasFile(db: Database, key: string): boolean {
  return query(db, "SELECT 1 FROM files WHERE blob_key = ?1").get(key) !== null;
}

function updateState(db: Database, seq: number, row: Record<string, PortableValue>): void {
  const sql = `UPDATE submissions SET ${CHANGING.map((name) => `${name} = ?`).join()} WHERE seq = ?`;
  query<unknown, PortableValue[]>(db, sql).run(...CHANGING.map((name) => row[name]!), seq);
}

function removeSubmissions(db: Database, ids: readonly string[]): void {
  const seqs = ids.flatMap((id) => findSubmission(db, id)?.seq ?? []);
  runWork(db, deleteRows(queueRemovals, seqs));
}
