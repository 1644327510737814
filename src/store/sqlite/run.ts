import type { Database } from "bun:sqlite";
import type { Answer, Step, Work } from "../sql/work.ts";
import { query } from "./statements.ts";

/** Does a work on a connection and returns its result. */
export function runWork<T>(db: Database, work: Work<T>): T {
  let next = work.next();
  while (next.done !== true) {
    let answer: Answer;
    try {
      answer = perform(db, next.value);
    } catch (error) {
      // Lets the work end as a failed call would end a function.
      next = work.throw(error);
      continue;
    }
    next = work.next(answer);
  }
  return next.value;
}

/** Does a work that only reads, all of whose statements see the database as of one moment. */
export function runAtOnce<T>(db: Database, work: () => Work<T>): T {
  query(db, "BEGIN").run();
  try {
    return runWork(db, work());
  } finally {
    query(db, "ROLLBACK").run();
  }
}

function perform(db: Database, { sql, params, reads, cut }: Step): Answer {
  const statement = query<Record<string, unknown>>(db, sql);
  if (!reads) return { rows: [], changes: statement.run(params).changes };
  if (cut === null) return { rows: statement.all(params), changes: 0 };
  const rows: unknown[] = [];
  let bytes = 0;
  for (const row of statement.iterate(params)) {
    rows.push(row);
    for (const column of cut.columns) {
      const value = row[column];
      if (typeof value === "string") bytes += value.length;
    }
    if (bytes > cut.bytes && rows.length > 1) break;
  }
  return { rows, changes: 0 };
}
