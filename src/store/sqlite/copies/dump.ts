import { yieldToEventLoop } from "../../../base/event-loop.ts";
import type { Dump, PortableValue } from "../../../maintenance/store.ts";
import { TABLE_NAMES } from "../../../maintenance/tables.ts";
import { inBatches, selectFrom } from "../../portable.ts";
import { connectUnmigrated } from "../connection.ts";
import { sqliteError } from "../errors.ts";
import { close, query, readNumber } from "../statements.ts";

/**
 * The rows of a database with the current schema, as of the moment when reading begins. They are read on a separate
 * connection, in batches, so that others are neither locked out nor delayed. Throws `unavailable` or `unsupported`.
 */
export async function* dumpDatabase(
  file: string,
  progress: (done: number, total: number) => void = () => {},
): Dump {
  const db = connectUnmigrated(file);
  try {
    db.run("BEGIN");
    const total = readNumber(db, "PRAGMA page_count") * readNumber(db, "PRAGMA page_size");
    let done = 0;
    for (const table of TABLE_NAMES) {
      const rows = query<Record<string, PortableValue>>(db, selectFrom(table)).iterate();
      for (const { batch, bytes } of inBatches(table, rows)) {
        progress((done += bytes), total);
        yield batch;
        await yieldToEventLoop();
      }
    }
    db.run("ROLLBACK");
    // Otherwise the next commit of a server would checkpoint the WAL that grew during the dump, and delay its sender.
    db.run("PRAGMA wal_checkpoint(PASSIVE)");
  } catch (error) {
    throw sqliteError(error);
  } finally {
    close(db);
  }
}
