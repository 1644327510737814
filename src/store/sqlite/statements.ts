import type { Database, SQLQueryBindings, Statement } from "bun:sqlite";

type Bindings = SQLQueryBindings | SQLQueryBindings[];

const compiled = new WeakMap<Database, Map<string, Statement<unknown, never[]>>>();

/**
 * Statements whose plan does not depend on what is bound. For a bare parameter that limits rows, or equals a column in a
 * statement with an order, SQLite plans again for each value, which takes longer than most statements do.
 */
function planOnce(sql: string): string {
  return sql.replace(/ = (?=\$)/g, " = +").replace(/\bLIMIT (\$\w+)/g, "LIMIT $1 + 0");
}

/**
 * The statement of that text on a connection, compiled once. `db.query` keeps statements too, but only twenty, in a
 * list that it searches each time: `npm run bench -- submissions`.
 */
export function query<Row = unknown, Params extends Bindings = Bindings>(
  db: Database,
  sql: string,
): Statement<Row, Params extends unknown[] ? Params : [Params]> {
  let statements = compiled.get(db);
  if (!statements) compiled.set(db, (statements = new Map()));
  let statement = statements.get(sql);
  if (!statement) statements.set(sql, (statement = db.prepare<unknown, never[]>(planOnce(sql))));
  return statement as never;
}

/** The number that a statement returns. */
export function readNumber(db: Database, sql: string): number {
  return Number(query<{ value: number }, []>(db, sql).values()[0]![0]);
}

/** Closes a connection and its statements: an open statement would keep the file open. */
export function close(db: Database): void {
  for (const statement of compiled.get(db)?.values() ?? []) statement.finalize();
  compiled.delete(db);
  db.close();
}
