import { AppError } from "../../../base/errors.ts";
import type { Batch, Dump, PortableValue } from "../../../maintenance/store.ts";
import {
  type PortableType,
  PORTABLE_TABLES,
  TABLE_NAMES,
  type TableName,
  columnsOf,
} from "../../../maintenance/tables.ts";
import { CHECKED_EMPTY, storedName } from "../../portable.ts";
import { recountSubmissions } from "../../sql/submissions/counts.ts";
import { CHANGING } from "../../sql/submissions/submissions.ts";
import { FOR_UPDATE, type Value, type Work, first, run } from "../../sql/work.ts";
import { byteArray, idArray, numberArray, textArray } from "../arrays.ts";
import type { Connections } from "../connection.ts";
import { transactLong } from "../long-transaction.ts";
import { runWork } from "../run.ts";

/**
 * Fills an empty database with the rows of a dump, and counts its submissions, in one transaction: if it does not
 * finish, nothing is stored. Secrets are replaced. Throws `conflict` for a database that has rows, `unavailable` if the
 * connection is lost.
 */
export function fillDatabase(connections: Connections, dump: Dump): Promise<void> {
  return transactLong(connections, "change", async (query) => {
    await runWork(query, requireEmpty());
    await runWork(query, run("DELETE FROM secrets"));
    for await (const batch of dump) await runWork(query, insertBatch(batch));
    await runWork(query, finishRows());
  });
}

/** Makes other changes of the setup wait. Throws `conflict` for a database with rows beyond those of a new one. */
export function* requireEmpty(): Work<void> {
  const version = yield* first<{ version: number }>(
    `SELECT version FROM setup_version WHERE id = 1 ${FOR_UPDATE}`,
  );
  const used = yield* first(
    CHECKED_EMPTY.map((table) => `(SELECT 1 AS found FROM "${table}" LIMIT 1)`).join(" UNION ALL "),
  );
  if (used !== undefined || (version?.version ?? 0) > 0)
    throw new AppError("conflict", "the database is not empty", { reason: "database-not-empty" });
}

/** Counts submissions, sets sequences after the existing rows, and collects statistics for the planner. */
export function* finishRows(): Work<void> {
  yield* recountSubmissions();
  for (const table of NUMBERED)
    yield* first(
      `SELECT setval(pg_get_serial_sequence('${table}', 'id'), COALESCE(max(id), 0) + 1, false) FROM "${table}"`,
    );
  yield* run(`ANALYZE ${TABLE_NAMES.map((table) => `"${table}"`).join()}`);
}

/** Tables that have a number which no sequence gives. */
const NUMBERED_OTHERWISE: ReadonlySet<TableName> = new Set(["setup_version", "audit", "measurements"]);

/** Tables whose rows a sequence numbers. */
export const NUMBERED = TABLE_NAMES.filter(
  (table) =>
    !NUMBERED_OTHERWISE.has(table) &&
    columnsOf(table).some(([name, type]) => name === "id" && type === "integer"),
);

/** Rows that exist: those of `forms` and `setup_version` are updated, of submissions only the state, and files are left. */
const ON_CONFLICT: Partial<Record<TableName, string>> = {
  setup_version: updating("id", Object.keys(PORTABLE_TABLES.setup_version.columns)),
  forms: updating("id", Object.keys(PORTABLE_TABLES.forms.columns)),
  submissions: updating("id", CHANGING),
  files: "ON CONFLICT (blob_key) DO NOTHING",
};

function updating(key: string, columns: readonly string[]): string {
  return `ON CONFLICT (${key}) DO UPDATE SET ${columns.map((name) => `${name} = excluded.${name}`).join()}`;
}

/** Inserts the rows of a batch in their order; existing ones of `forms`, `submissions` and `setup_version` are updated. */
export function* insertBatch({ table, rows }: Batch): Work<void> {
  if (rows.length === 0) return;
  const params: Record<string, Value> = {};
  for (const [index, [, type]] of columnsOf(table).entries())
    params[`list${index}`] = ARRAYS[type](rows.map((row) => row[index]!));
  yield* run(insertInto(table), params);
}

/** The lists of a column. A value of another type is refused by the database. */
const ARRAYS: Record<PortableType, (values: PortableValue[]) => string> = {
  text: (values) => textArray(values as (string | null)[]),
  integer: (values) => numberArray(values as (number | null)[]),
  bytes: (values) => byteArray(values as (Uint8Array | null)[]),
  uuid: (values) => idArray(values as (string | null)[]),
  submission: (values) => idArray(values as (string | null)[]),
};

const STORED_TYPES: Record<PortableType, string> = {
  text: "TEXT",
  integer: "BIGINT",
  bytes: "BYTEA",
  uuid: "BYTEA",
  submission: "BYTEA",
};

function insertInto(table: TableName): string {
  const columns = columnsOf(table);
  const names = columns.map(([name, type]) => `"${storedName(name, type)}"`);
  const lists = columns.map(([, type], index) => `CAST($list${index} AS ${STORED_TYPES[type]}[])`);
  const values = columns.map(([name, type]) =>
    type === "submission"
      ? `(SELECT s.seq FROM submissions s WHERE s.id = given."${name}")`
      : `given."${name}"`,
  );
  return `INSERT INTO "${table}" (${names.join()}) SELECT ${values.join()}
    FROM unnest(${lists.join()}) WITH ORDINALITY AS given (${columns.map(([name]) => `"${name}"`).join()}, place)
    ORDER BY given.place ${ON_CONFLICT[table] ?? ""}`;
}
