import type { Database, SQLQueryBindings, Statement } from "bun:sqlite";

type Bindings = SQLQueryBindings | SQLQueryBindings[];

const compiled = new WeakMap<Database, Map<string, Statement<unknown, never[]>>>();

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
  if (!statement) statements.set(sql, (statement = db.prepare<unknown, never[]>(sql)));
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
