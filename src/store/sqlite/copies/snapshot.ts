import { isOnReadOnlyDisk } from "../../../base/directory.ts";
import { yieldToEventLoop } from "../../../base/event-loop.ts";
import { AppError } from "../../../base/errors.ts";
import type { Dump, Snapshot } from "../../../maintenance/store.ts";
import { connectUnmigrated } from "../connection.ts";
import { copyDatabase } from "./copy.ts";
import { dumpDatabase } from "./dump.ts";
import { sqliteError } from "../errors.ts";
import { fillDatabase } from "./fill.ts";
import { openUnchanged } from "../inspect.ts";
import { migrateFile, schemaOf } from "../migrate.ts";
import { schemaVersion } from "../schema-version.ts";
import { runWork } from "../run.ts";
import { INDEX_TABLES, compareSchemas, readSchema, withoutIndex } from "../schema.ts";
import { close, readNumber } from "../statements.ts";
import { countFileBytes, listFiles } from "../../sql/submissions/files.ts";

/**
 * Copies a database as of one moment, with its own schema, into a new file, while others read and write. The search
 * index, and objects that are not part of formflag's schema, are left out. `progress` receives approximate bytes.
 * Throws `unsupported` if a part of the schema is missing.
 */
export async function takeSnapshot(
  file: string,
  into: string,
  progress: (done: number, total: number) => void,
): Promise<void> {
  const reader = connectUnmigrated(file);
  try {
    reader.run("BEGIN");
    const schema = withoutIndex(schemaOf(schemaVersion(reader)));
    const [fault] = compareSchemas(readSchema(reader), schema).own;
    if (fault !== undefined) {
      throw new AppError("unsupported", `${file} is damaged: ${fault}`, {
        hint: "restore it from a backup; the file was left as it is",
      });
    }
    const total = readNumber(reader, "PRAGMA page_count") * readNumber(reader, "PRAGMA page_size");
    for (const done of copyDatabase(reader, into, schema)) {
      progress(done, total);
      await yieldToEventLoop();
    }
    reader.run("ROLLBACK");
    // Otherwise the next commit of a server would checkpoint the WAL that grew during the copy, and delay its sender.
    if (!isOnReadOnlyDisk(file)) reader.run("PRAGMA wal_checkpoint(PASSIVE)");
  } catch (error) {
    throw sqliteError(error, into);
  } finally {
    close(reader);
  }
}

/** Makes a snapshot of the rows of a store of any database, as `takeSnapshot` makes one of a file. Throws `unavailable`. */
export async function fillSnapshot(into: string, dump: Dump): Promise<void> {
  migrateFile(into);
  await fillDatabase(into, dump);
  const db = connectUnmigrated(into);
  try {
    for (const table of INDEX_TABLES) db.run(`DROP TABLE ${table}`);
  } catch (error) {
    throw sqliteError(error, into);
  } finally {
    close(db);
  }
}

/** The rows of a snapshot, which is migrated to the current schema first. Throws `unsupported` if that fails. */
export async function* dumpSnapshot(file: string): Dump {
  migrateFile(file, { create: false });
  yield* dumpDatabase(file);
}

/** Opens a snapshot, which no process writes to. Reads only columns that exist in every version of the schema. */
export function openSnapshot(file: string): Snapshot {
  const db = openUnchanged(file);
  return {
    counts: async () => ({
      submissions: readNumber(db, "SELECT count(*) FROM submissions"),
      files: readNumber(db, "SELECT count(*) FROM files"),
      bytes: runWork(db, countFileBytes()),
    }),
    files: async (after, limit) => runWork(db, listFiles(after, limit)),
    close: async () => close(db),
  };
}
