import { clock } from "../../../base/clock.ts";
import { closeSync, fsyncSync, openSync } from "node:fs";
import { Database } from "bun:sqlite";
import { createPace } from "../../../base/pace.ts";
import { type SchemaObject, isInternal, tablesIn } from "../schema.ts";
import { close, query, readNumber } from "../statements.ts";

type Value = string | bigint | number | Uint8Array | null;
export type Row = Record<string, Value>;

/**
 * Copies the rows that the transaction of a connection sees into a new database file with the given schema. The file
 * survives a power cut once the generator ends. The search index and sessions are left empty. Yields the approximate
 * bytes copied so far. `inspect` is called with each row and may throw. `VACUUM INTO` is not used because its one flush
 * delays other commits by hundreds of milliseconds.
 */
export function* copyDatabase(
  db: Database,
  into: string,
  schema: SchemaObject[],
  inspect: (table: string, row: Row) => void = () => {},
): Generator<number> {
  const copy = new Database(into, { create: true, readwrite: true });
  const descriptor = openSync(into, "r+");
  const pace = createPace();
  let [done, flushed] = [0, 0];
  try {
    // A copy that is not complete is never used.
    copy.run("PRAGMA journal_mode = OFF");
    copy.run("PRAGMA synchronous = OFF");
    copy.run("BEGIN");
    for (const { name, sql } of schema) if (sql !== null && !isInternal(name)) copy.run(sql);
    for (const { name } of tablesIn(schema)) {
      for (const bytes of copyRows(db, copy, name, inspect)) {
        done += bytes;
        if (done - flushed < pace.size) continue;
        copy.run("COMMIT");
        const start = clock.steady();
        fsyncSync(descriptor);
        pace.adjust(clock.steady() - start);
        copy.run("BEGIN");
        flushed = done;
        yield done;
      }
    }
    for (const pragma of ["user_version", "application_id"])
      copy.run(`PRAGMA ${pragma} = ${readNumber(db, `PRAGMA ${pragma}`)}`);
    copy.run("COMMIT");
    copy.run("PRAGMA journal_mode = WAL");
    fsyncSync(descriptor);
  } finally {
    close(copy);
    closeSync(descriptor);
  }
}

/** Yields the approximate bytes of each row. */
function* copyRows(
  db: Database,
  copy: Database,
  table: string,
  inspect: (table: string, row: Row) => void,
): Generator<number> {
  const columns = query(copy, `SELECT * FROM "${table}"`).columnNames.map((name) => `"${name}"`);
  const rows = query<Row, []>(db, `SELECT ${columns.join()} FROM "${table}"`).safeIntegers(true);
  const insert = query<never, Value[]>(
    copy,
    `INSERT INTO "${table}" VALUES (${columns.map(() => "?").join()})`,
  );
  for (const row of rows.iterate()) {
    inspect(table, row);
    const values = Object.values(row);
    insert.run(...values);
    yield values.reduce<number>((sum, value) => sum + (typeof value === "string" ? value.length : 8), 0);
  }
}
