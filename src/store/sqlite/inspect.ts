import { existsSync } from "node:fs";
import { Database, constants } from "bun:sqlite";
import { sqliteError } from "./errors.ts";
import { schemaVersion } from "./schema-version.ts";

/** A form, and where its submissions are sent. */
export type SendingForm = {
  slug: string;
  notifies: boolean;
  replies: boolean;
  /** Whether its senders confirm. */
  asks: boolean;
  hasTargets: boolean;
};

/** The state of a database file. */
export type Inspection = {
  /** The number of migrations applied; 0 for an empty file. */
  schema: number;
  /** The time of the newest submission in milliseconds since 1970; null without submissions. */
  newest: number | null;
  /** The forms whose submissions are sent somewhere, by slug. */
  sending: SendingForm[];
  /** The messages of `PRAGMA quick_check`; empty if the file is intact, or was not checked. */
  damage: string[];
};

/** Ids begin with the time; the subquery reads an index alone. */
const NEWEST =
  "SELECT created_at FROM submissions WHERE seq = (SELECT seq FROM submissions ORDER BY id DESC LIMIT 1)";

/**
 * Reads an existing database without changing it or the files beside it, and with `isQuick` runs a quick check. Throws
 * `unavailable`, `forbidden` or `unsupported`.
 */
export function inspectDatabase(file: string, { isQuick }: { isQuick: boolean }): Inspection {
  let db: Database | undefined;
  try {
    db = openUnchanged(file);
    const schema = schemaVersion(db, undefined, file);
    const newest = schema === 0 ? null : numberOf(db, NEWEST);
    const messages = isQuick ? db.query("PRAGMA quick_check").values().flat().map(String) : [];
    const sending = hasTable(db, "targets") ? sendingForms(db) : [];
    return { schema, newest, sending, damage: messages.filter((text) => text !== "ok") };
  } catch (error) {
    throw sqliteError(error, file);
  } finally {
    db?.close();
  }
}

/** Whether any submission in a database has a file. Leaves it unchanged, and throws as {@link inspectDatabase} does. */
export function refersToFiles(file: string): boolean {
  let db: Database | undefined;
  try {
    db = openUnchanged(file);
    return schemaVersion(db, undefined, file) > 0 && db.query("SELECT 1 FROM files LIMIT 1").get() !== null;
  } catch (error) {
    throw sqliteError(error, file);
  } finally {
    db?.close();
  }
}

/** Opens a database to read it. Without a WAL it is opened as immutable, because a reader would create a WAL and leave it. */
export function openUnchanged(file: string): Database {
  if (existsSync(`${file}-wal`)) return new Database(file, { readonly: true, strict: true });
  const flags = constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI;
  return new Database(`${Bun.pathToFileURL(file).href}?immutable=1`, flags);
}

function sendingForms(db: Database): SendingForm[] {
  const rows = db
    .query<{ slug: string; notifies: number; replies: number; asks: number; targets: number }, []>(
      `SELECT slug, coalesce(json_array_length(settings, '$.notify'), 0) > 0 AS notifies,
              coalesce(json_extract(settings, '$.autoreply'), 0) AS replies,
              json_extract(settings, '$.optIn') IS NOT NULL AS asks,
              EXISTS (SELECT 1 FROM targets WHERE form_id = forms.id AND enabled = 1) AS targets
       FROM forms WHERE deleted = 0 ORDER BY slug`,
    )
    .all();
  return rows
    .map(({ slug, notifies, replies, asks, targets }) => ({
      slug,
      notifies: notifies === 1,
      replies: replies === 1,
      asks: asks === 1,
      hasTargets: targets === 1,
    }))
    .filter((form) => Object.values(form).includes(true));
}

function hasTable(db: Database, name: string): boolean {
  return db.query("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(name) !== null;
}

function numberOf(db: Database, sql: string): number | null {
  const value = db.query(sql).values()[0]?.[0];
  return typeof value === "number" ? value : null;
}
