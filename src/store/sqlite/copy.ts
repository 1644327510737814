import { Database } from "bun:sqlite";
import { closeSync, fsyncSync, openSync } from "node:fs";
import { createPace } from "../../pace.ts";
import { close, query, readNumber } from "./statements.ts";

type Entry = { type: string; name: string; sql: string };
type Value = string | bigint | number | Uint8Array | null;

/**
 * Copies what a connection sees in its transaction into a new database file, which survives a power cut once this is
 * done. Yields now and then about how many bytes were copied so far. Not by `VACUUM INTO`, whose one flush at the end
 * holds up the commits of others for some hundred milliseconds.
 */
export function* copyDatabase(db: Database, into: string): Generator<number> {
  const copy = new Database(into, { create: true, readwrite: true });
  const descriptor = openSync(into, "r+");
  const pace = createPace();
  let [done, flushed] = [0, 0];
  try {
    // Nobody uses it before it is whole.
    copy.run("PRAGMA journal_mode = OFF");
    copy.run("PRAGMA synchronous = OFF");
    copy.run("BEGIN");
    const entries = query<Entry, []>(
      db,
      "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid",
    ).all();
    for (const { sql } of entries) copy.run(sql);
    for (const { name } of entries.filter(({ type }) => type === "table")) {
      for (const bytes of copyRows(db, copy, name)) {
        done += bytes;
        if (done - flushed < pace.size) continue;
        copy.run("COMMIT");
        const start = performance.now();
        fsyncSync(descriptor);
        pace.took(performance.now() - start);
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

/** Yields about the bytes of each row. */
function* copyRows(db: Database, copy: Database, table: string): Generator<number> {
  const rows = query<Record<string, Value>, []>(db, `SELECT * FROM "${table}"`).safeIntegers(true);
  const places = rows.columnNames.map(() => "?").join();
  const insert = query<never, Value[]>(copy, `INSERT INTO "${table}" VALUES (${places})`);
  for (const row of rows.iterate()) {
    const values = Object.values(row);
    insert.run(...values);
    yield values.reduce<number>((sum, value) => sum + (typeof value === "string" ? value.length : 8), 0);
  }
}
