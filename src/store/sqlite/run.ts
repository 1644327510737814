import type { Database } from "bun:sqlite";
import { createTurns } from "../../base/event-loop.ts";
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

/** Runs a work that only reads. All its statements see the database as of one moment. */
export function runAtOnce<T>(db: Database, work: () => Work<T>): T {
  query(db, "BEGIN").run();
  try {
    return runWork(db, work());
  } finally {
    query(db, "ROLLBACK").run();
  }
}

/** Like {@link runAtOnce}, with other work between rows. Do not use the connection for anything else until it returns. */
export async function runInTurns<T>(db: Database, work: () => Work<T>): Promise<T> {
  const takeTurns = createTurns();
  query(db, "BEGIN").run();
  try {
    const generator = work();
    let next = generator.next();
    while (next.done !== true) {
      const rows: Row[] = [];
      for (const row of rowsOf(db, next.value)) {
        rows.push(row);
        const turn = takeTurns();
        if (turn !== undefined) await turn;
      }
      next = generator.next({ rows, changes: 0 });
    }
    return next.value;
  } finally {
    query(db, "ROLLBACK").run();
  }
}

type Row = Record<string, unknown>;

function perform(db: Database, step: Step): Answer {
  const { sql, params, reads, cut } = step;
  if (!reads) return { rows: [], changes: query(db, sql).run(params).changes };
  if (cut === null) return { rows: query(db, sql).all(params), changes: 0 };
  return { rows: [...rowsOf(db, step)], changes: 0 };
}

/** The rows of a step that reads, up to where they are cut. */
function* rowsOf(db: Database, { sql, params, cut }: Step): Generator<Row> {
  let [bytes, count] = [0, 0];
  for (const row of query<Row>(db, sql).iterate(params)) {
    yield row;
    if (cut === null) continue;
    count += 1;
    for (const column of cut.columns) {
      const value = row[column];
      if (typeof value === "string") bytes += value.length;
    }
    if (bytes > cut.bytes && count > 1) return;
  }
}
