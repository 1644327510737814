import { Database } from "bun:sqlite";
import { migrationsIn } from "../migration-files.ts";

/**
 * The schema that the migrations in a folder create in an empty SQLite database, with the rows that they insert, as SQL
 * text. Running it takes a fifth of the time of the migrations. A macro, like `migrationsIn`.
 */
export function schemaIn(folder: string): string {
  const db = new Database(":memory:");
  for (const sql of migrationsIn(folder)) db.run(sql);
  const objects = db.query<{ type: string; name: string; sql: string }, []>(
    // SQLite makes those of its own and the tables behind a virtual one.
    `SELECT type, name, sql FROM sqlite_schema AS object WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
       AND NOT EXISTS (SELECT 1 FROM pragma_table_list AS list WHERE list.name = object.name AND list.type = 'shadow')
     ORDER BY rowid`,
  );
  const lines = objects.all().flatMap(({ type, name, sql }) => {
    const rows = type === "table" && !sql.startsWith("CREATE VIRTUAL") ? rowsOf(db, name) : [];
    return [sql, ...rows];
  });
  return lines.map((line) => `${line};\n`).join("");
}

function rowsOf(db: Database, table: string): string[] {
  return db
    .query(`SELECT * FROM "${table}"`)
    .values()
    .map((values) => {
      const all = values.map(
        (value) => db.query<{ text: string }, [never]>("SELECT quote(?) AS text").get(value as never)!.text,
      );
      return `INSERT INTO "${table}" VALUES (${all.join(", ")})`;
    });
}
