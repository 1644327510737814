import { MiB } from "../../../base/bytes.ts";
import type { Dump, PortableValue } from "../../../maintenance/store.ts";
import { TABLE_NAMES, type TableName, columnsOf } from "../../../maintenance/tables.ts";
import { inBatches, keyOf, selectPage } from "../../portable.ts";
import { type Work, all, only } from "../../sql/work.ts";
import type { Connections, Query } from "../connection.ts";
import { postgresError } from "../errors.ts";
import { transactLong } from "../long-transaction.ts";
import { runWork } from "../run.ts";

/** UTF-16 units of text in one read, of which each is up to four bytes: a row behind them is in the next one. */
const MAX_READ = MiB;

/**
 * The rows of a database, as of the moment when reading begins, in pages and in one transaction. The transaction lasts
 * until the last row is read or the reader stops. Throws `unavailable` for a second dump at the same time, and if the
 * connection is lost.
 */
export async function* dumpDatabase(
  connections: Connections,
  progress: (done: number, total: number) => void = () => {},
): Dump {
  const moment = openMoment(connections);
  try {
    let { total } = await moment.read(tableBytes);
    let done = 0;
    for (const table of TABLE_NAMES) {
      for (let rows = await moment.read(() => readPage(table)); rows.length > 0;) {
        for (const { batch, bytes } of inBatches(table, rows)) {
          done += bytes;
          // Long texts are compressed in the database.
          total = Math.max(total, done);
          progress(done, total);
          yield batch;
        }
        const last = rows.at(-1)!;
        rows = await moment.read(() => readPage(table, last));
      }
    }
  } finally {
    await moment.end();
  }
}

/** The bytes of all tables, as they are stored. */
function tableBytes(): Work<{ total: number }> {
  return only<{ total: number }>(
    `SELECT sum(pg_table_size(oid)) AS total FROM pg_class
     WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema()) AND relkind = 'r'`,
  );
}

type Row = Record<string, PortableValue>;

function readPage(table: TableName, last?: Row): Work<Row[]> {
  const columns = columnsOf(table).flatMap(([name, type]) => (type === "text" ? [name] : []));
  const cut = columns.length > 0 ? { columns, bytes: MAX_READ } : null;
  return all<Row>(selectPage(table, !last), last && keyOf(table, last), cut);
}

/** A transaction in which work is done until its end is asked for: every read sees the moment of the first. */
function openMoment(connections: Connections) {
  const opened = Promise.withResolvers<Query>();
  const ended = Promise.withResolvers<void>();
  /** Ends the read under way if the transaction fails. */
  let fail: (error: unknown) => void = opened.reject;
  const body = async (query: Query) => {
    opened.resolve(query);
    await ended.promise;
  };
  const transaction = transactLong(connections, "dump", body).catch((error: unknown) => fail(error));
  return {
    async read<T>(makeWork: () => Work<T>): Promise<T> {
      const query = await opened.promise;
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      fail = reject;
      runWork(query, makeWork()).then(resolve, (error) => reject(postgresError(error)));
      return promise;
    },
    /** The data that was read is complete, so that losing the connection now is no error. */
    async end(): Promise<void> {
      ended.resolve();
      await transaction;
    },
  };
}
