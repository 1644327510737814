import { AppError } from "../../base/errors.ts";
import { packedMigrations } from "../migration-files.ts" with { type: "macro" };
import { unpackMigrations } from "../packed-migrations.ts";
import type { Connections, Query } from "./connection.ts";
import { sqlState, startError } from "./errors.ts";

/**
 * The migrations in order: after the first n, the column `schema` of `formflag_meta` is n. A released migration never
 * changes, and only adds, so that replicas of the previous release keep working. If they cannot, the migration sets the
 * column `beside` to `schema`, which still has the number from before all migrations, minus its own number.
 */
export const MIGRATIONS: readonly string[] = unpackMigrations(packedMigrations("postgres/migrations"));

/** Whether an older schema is migrated, or left to who has the rights. */
export type Migrate = "auto" | "off";

/** Milliseconds for a migration: an index on many rows takes its time. */
const DEADLINE_MS = 600_000;

const CREATE_META = `CREATE TABLE formflag_meta (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  schema INTEGER NOT NULL,
  live INTEGER NOT NULL,
  beside INTEGER NOT NULL DEFAULT 0
)`;

/**
 * Updates the schema of a database in one transaction. If several processes start at once, one of them does it. `place`
 * names the database in messages. Throws `forbidden` for a database of another program or of a newer formflag, a
 * read-only database, missing rights, and an older schema with `off`; `unauthenticated` and `unavailable` if the
 * database cannot be reached; `unsupported` for a server that is too old or not in UTF-8. Returns the schema that it had; null
 * if it was current or new.
 */
export async function migrate(
  connections: Connections,
  place: string,
  when: Migrate = "auto",
  migrations = MIGRATIONS,
): Promise<number | null> {
  try {
    await connections.transaction("", (query) => checkServer(query, place));
    for (let tries = 1; ; tries += 1) {
      try {
        return await connections.transaction("", (query) => bringUpToDate(query, place, when, migrations), {
          deadline: DEADLINE_MS,
        });
      } catch (error) {
        // Another process has created the first table at the same time.
        if (tries === 5 || !/^(23505|42P07|40001|40P01)$/.test(sqlState(error))) throw error;
      }
    }
  } catch (error) {
    throw startError(error, place);
  }
}

/** Throws `unsupported` for a server that cannot hold the data, `forbidden` for one that is read-only. */
async function checkServer(query: Query, place: string): Promise<void> {
  const { rows } = await query(
    `SELECT current_setting('server_version_num') AS number, current_setting('server_version') AS version,
       current_setting('server_encoding') AS encoding, current_setting('transaction_read_only') AS read_only,
       current_schema() AS schema`,
  );
  const { number, version, encoding, read_only, schema } = rows[0] as Record<string, string | null>;
  if (Number(number) < 150_000)
    throw new AppError("unsupported", `${place} is PostgreSQL ${version}, which is older than 15`, {
      reason: "database-old",
    });
  if (encoding !== "UTF8")
    throw new AppError("unsupported", `${place} has the encoding ${encoding}, not UTF8`, {
      reason: "database-encoding",
    });
  if (read_only === "on")
    throw new AppError("forbidden", `${place} is read-only`, { reason: "database-read-only" });
  if (schema === null)
    throw new AppError("forbidden", `${place} has no schema that this user may use`, {
      reason: "database-rights",
    });
}

async function bringUpToDate(
  query: Query,
  place: string,
  when: Migrate,
  migrations: readonly string[],
): Promise<number | null> {
  const before = await schemaVersion(query, place, migrations.length);
  if (before === migrations.length) return null;
  if (when === "off")
    throw new AppError(
      "forbidden",
      before === 0
        ? `${place} has no schema yet`
        : `${place} has schema ${before}, and this formflag needs ${migrations.length}`,
      { reason: "schema-older" },
    );
  // The server's limit of ten seconds is for statements of requests.
  await query("SET LOCAL statement_timeout = 0");
  if (before === 0) {
    await query(CREATE_META);
    await query("INSERT INTO formflag_meta (id, schema, live) VALUES (1, 0, 1)");
  } else {
    await query("SELECT schema FROM formflag_meta WHERE id = 1 FOR UPDATE");
  }
  // Another process may have migrated it while this one waited.
  const from = await schemaVersion(query, place, migrations.length);
  for (const sql of migrations.slice(from)) await query(sql);
  await query("UPDATE formflag_meta SET schema = $1, beside = beside + $2 WHERE id = 1", [
    String(migrations.length),
    String(migrations.length - from),
  ]);
  return from === 0 || from === migrations.length ? null : from;
}

/** The number of the schema; 0 for an empty database. Throws `forbidden` for that of another program or a newer formflag. */
async function schemaVersion(query: Query, place: string, newest: number): Promise<number> {
  const { rows: tables } = await query(TABLES);
  const names = tables.map(({ name }) => name);
  if (!names.includes("formflag_meta")) {
    if (names.length === 0) return 0;
    throw new AppError("forbidden", `${place} is a database of another program`, {
      reason: "schema-foreign",
    });
  }
  const { rows } = await query("SELECT schema FROM formflag_meta WHERE id = 1");
  const version = Number(rows[0]?.["schema"] ?? 0);
  if (version > newest)
    throw new AppError(
      "forbidden",
      `${place} was written by a newer formflag (schema ${version}, this one knows ${newest})`,
      { reason: "schema-newer" },
    );
  return version;
}

/** Tables and views in the current schema, except tables of extensions; formflag_meta comes first. */
export const TABLES = `SELECT relname AS name FROM pg_class
  WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema()) AND relkind IN ('r', 'p', 'v', 'm', 'f')
    AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_class.oid AND classid = 'pg_class'::regclass AND deptype = 'e')
  ORDER BY relname = 'formflag_meta' DESC LIMIT 100`;
