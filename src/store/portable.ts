import { MiB } from "../base/bytes.ts";
import type { Batch, PortableValue } from "../maintenance/store.ts";
import {
  type PortableType,
  PORTABLE_TABLES,
  TABLE_NAMES,
  type TableName,
  columnsOf,
} from "../maintenance/tables.ts";
import { textOf } from "./sql/ids.ts";
import { type Work, all, run } from "./sql/work.ts";

/** A batch ends with the row that reaches one of these. */
const MAX_BATCH = { rows: 500, bytes: 4 * MiB };

/**
 * The tables that must be empty in an empty database: a server writes to the others as soon as it starts, and that
 * data may be lost.
 */
export const CHECKED_EMPTY = TABLE_NAMES.filter((table) => table !== "setup_version" && table !== "secrets");

/** The name under which a database has a column of a dump: rows refer to submissions by their numbers. */
export function storedName(name: string, type: PortableType): string {
  return type === "submission" ? `${name}_seq` : name;
}

/** Removes the rows of a table that a move replaces. */
export function* clearTable(table: TableName): Work<void> {
  if (table === "setup_version") return;
  if (table !== "forms") {
    yield* run(`DELETE FROM "${table}"`);
    return;
  }
  yield* run("DELETE FROM forms WHERE NOT EXISTS (SELECT 1 FROM submissions s WHERE s.form_id = forms.id)");
  // Names that no form has, so that forms may have exchanged theirs.
  yield* run("UPDATE forms SET slug = '~' || id, key = '~' || id, deleted = 1");
}

/** Ids in one page. */
const PAGE = 5000;

/** A page of the ids of all submissions behind a place: see the port. */
export function* pageIds(after: string | null): Work<{ ids: string[]; next: string | null }> {
  const rows = yield* all<{ seq: number; id: Uint8Array }>(
    "SELECT seq, id FROM submissions WHERE seq > $after ORDER BY seq LIMIT $limit",
    { after: Number(after ?? 0), limit: PAGE },
  );
  return {
    ids: rows.map(({ id }) => textOf(id)),
    next: rows.length < PAGE ? null : String(rows.at(-1)!.seq),
  };
}

/** The statement that reads a table as a dump has it, with the ids of submissions as bytes. */
export function selectFrom(table: TableName): string {
  return `SELECT ${valuesOf(table)} FROM "${table}" t WHERE ${conditionOf(table)} ORDER BY ${orderOf(table).join()}`;
}

/**
 * Selects like {@link selectFrom}, a few hundred rows: the first ones, or those after the row with the key `$key0`,
 * `$key1`, …. Each row has its key after its values, under these names.
 */
export function selectPage(table: TableName, isFirst: boolean): string {
  const keys = orderOf(table);
  const named = keys.map((key, index) => `${key} AS key${index}`);
  const after = isFirst ? "" : `AND (${keys.join()}) > (${keys.map((_, index) => `$key${index}`).join()})`;
  return `SELECT ${valuesOf(table)}, ${named.join()} FROM "${table}" t WHERE ${conditionOf(table)} ${after}
    ORDER BY ${keys.join()} LIMIT ${MAX_BATCH.rows}`;
}

/** The key of a row of a page, as the parameters of the next one. */
export function keyOf(table: TableName, row: Record<string, PortableValue>): Record<string, PortableValue> {
  return Object.fromEntries(orderOf(table).map((_, index) => [`key${index}`, row[`key${index}`]!]));
}

function valuesOf(table: TableName): string {
  const columns = columnsOf(table).map(([name, type]) =>
    type === "submission"
      ? `(SELECT s.id FROM submissions s WHERE s.seq = t.${storedName(name, type)}) AS ${name}`
      : `t."${name}"`,
  );
  return columns.join();
}

/** The counts of another hour are derived. */
function conditionOf(table: TableName): string {
  return table === "submission_counts" ? `t.hour < ${Number.MAX_SAFE_INTEGER}` : "true";
}

function orderOf(table: TableName): string[] {
  if (table === "submissions") return ["t.seq"];
  const types = new Map(columnsOf(table));
  return PORTABLE_TABLES[table].key.map((name) => `t."${storedName(name, types.get(name)!)}"`);
}

/** Rows as {@link selectFrom} or {@link selectPage} reads them, in batches, each with its approximate bytes. */
export function* inBatches(
  table: TableName,
  rows: Iterable<Record<string, PortableValue>>,
): Generator<{ batch: Batch; bytes: number }> {
  const ids = columnsOf(table).map(([, type]) => type === "uuid" || type === "submission");
  let batch: PortableValue[][] = [];
  let bytes = 0;
  for (const row of rows) {
    const values = Object.values(row);
    values.length = ids.length;
    for (const [index, value] of values.entries()) {
      bytes += typeof value === "string" ? value.length : 8;
      if (ids[index] && value instanceof Uint8Array) values[index] = textOf(value);
    }
    batch.push(values);
    if (batch.length < MAX_BATCH.rows && bytes < MAX_BATCH.bytes) continue;
    yield { batch: { table, rows: batch }, bytes };
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield { batch: { table, rows: batch }, bytes };
}
