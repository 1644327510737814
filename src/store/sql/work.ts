/** A value of a column. Numbers are safe integers; a statement knows true and false as 1 and 0. */
export type Value = string | number | Uint8Array | null;

/** The values of a statement by the names that its text has behind `$`. */
export type Params = Readonly<Record<string, Value>>;

/**
 * A statement that a driver runs. `reads` is false if its rows are not needed. With `cut`, rows may be left out after
 * the row with which the texts of some columns exceed that many bytes, but never the second row, by which a page knows
 * that there is a next one.
 */
export type Step = { sql: string; params: Params; reads: boolean; cut: Cut | null };
export type Cut = { columns: readonly string[]; bytes: number };

/** A driver's answer to a step: the rows of one that reads, the number of changed rows of any other. */
export type Answer = { rows: unknown[]; changes: number };

/**
 * An operation of a store without a connection: it yields statements one after another and is given their answers.
 * SQLite runs it without a pause, PostgreSQL with a round trip a statement; if PostgreSQL repeats a transaction, it
 * begins with new work.
 *
 * The SQL is the common part of both databases. Names of results with capitals are in quotes, since PostgreSQL folds
 * others; `ON CONFLICT` names its columns, and the clauses after it the table of each column. A value that no column
 * or cast gives a type is cast: `CAST($after AS BIGINT) IS NULL`. Of SQLite's functions, `json_each` of an array is
 * known (`key` is a number and `value` a text: `SELECT CAST(value AS BIGINT) FROM json_each($ids)`), `unhex` and
 * `unixepoch('subsec')`. Texts may hold any character, NUL too, except those in such an array.
 */
export type Work<T> = Generator<Step, T, Answer>;

const NONE: Params = {};

/** Every row. */
export function* all<Row>(sql: string, params = NONE, cut: Cut | null = null): Work<Row[]> {
  const { rows } = yield { sql, params, reads: true, cut };
  return rows as Row[];
}

/** The first row. */
export function* first<Row>(sql: string, params = NONE): Work<Row | undefined> {
  const { rows } = yield { sql, params, reads: true, cut: null };
  return rows[0] as Row | undefined;
}

/** The only row of a statement that always has one. */
export function* only<Row>(sql: string, params = NONE): Work<Row> {
  const { rows } = yield { sql, params, reads: true, cut: null };
  return rows[0] as Row;
}

/** Runs a statement and returns how many rows it changed. */
export function* run(sql: string, params = NONE): Work<number> {
  const { changes } = yield { sql, params, reads: false, cut: null };
  return changes;
}

/** The column of a field of a record: `created_at` of `createdAt`. */
function columnOf(field: string): string {
  return field.replaceAll(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`);
}

/** Selects columns as fields of a record: `t.name, t.created_at AS "createdAt"` for `name createdAt` of the table `t`. */
export function fieldsOf(table: string, fields: string): string {
  const columns = fields.split(/\s+/).map((field) => [`${table}.${columnOf(field)}`, field] as const);
  return columns
    .map(([column, field]) => (column === `${table}.${field}` ? column : `${column} AS "${field}"`))
    .join(", ");
}

/** Sets the columns of fields to values with their names: `name = $name, created_at = $createdAt`. */
export function setsOf(row: Params): string {
  return Object.keys(row)
    .map((field) => `${columnOf(field)} = $${field}`)
    .join(", ");
}

/** Inserts a row by the fields of its record; `more` follows the values. Returns how many rows it inserted or changed. */
export function insert(table: string, row: Params, more = ""): Work<number> {
  const fields = Object.keys(row);
  const values = fields.map((field) => `$${field}`).join(", ");
  return run(`INSERT INTO ${table} (${fields.map(columnOf).join(", ")}) VALUES (${values}) ${more}`, row);
}

/**
 * Follows a `SELECT` of rows that are changed or deleted next. With concurrent writers, locks them and skips rows that
 * others have locked. Until the transaction ends, no writer adds rows that refer to them, and none has added any that
 * this transaction does not see.
 */
export const SKIP_LOCKED = "/* skip locked */";

/**
 * Follows a `SELECT` of rows on which changes depend. With concurrent writers, locks them and waits for others. Rows
 * that refer to them may still be added, so it does not protect a deletion.
 */
export const FOR_UPDATE = "/* for update */";

/** As {@link FOR_UPDATE}, and waits for writers that add rows that refer to them, whom it makes wait. */
export const FOR_UPDATE_ALONE = "/* for update alone */";

/**
 * Follows a `SELECT` of rows that others must keep. With concurrent writers, waits for those who lock them exclusively
 * or delete them, and makes these wait. Everyone else may lock and change them.
 */
export const FOR_KEY_SHARE = "/* for key share */";

/**
 * The first `$limit` rows of several selects by their first column, in which an index has each of them. SQLite merges them;
 * PostgreSQL would read and sort all rows, unless each has the order and the limit itself.
 */
export function merged(selects: readonly string[], order: "ASC" | "DESC" = "DESC"): string {
  const each = selects.map((select) => `SELECT * FROM (${select} /* merged ${order} */) AS part`);
  return `${(selects.length === 1 ? selects : each).join("\nUNION ALL\n")} ORDER BY 1 ${order} LIMIT $limit`;
}

/** As {@link FOR_UPDATE}, in a join: locks the rows of the table with that alias alone. */
export const FOR_UPDATE_OF_S = "/* for update of s */";
