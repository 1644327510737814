import { type Params, type Value, type Work, all, run } from "./work.ts";

/** Values in one statement at most. */
const MAX_LISTED = 1000;

/** The lengths of lists, so that few different statements are compiled. */
const LENGTHS = [1, 10, 100, MAX_LISTED];

/** A statement with a list, which is to stand behind `IN`. */
type Statement = (list: string) => string;

/** The rows of a statement that selects among values. Many are selected by several statements. */
export function* allAmong<Row>(values: readonly Value[], sql: Statement, params: Params = {}): Work<Row[]> {
  const rows: Row[][] = [];
  for (const part of listsOf(values))
    rows.push(yield* all<Row>(sql(part.list), { ...params, ...part.params }));
  return rows.flat();
}

/** Runs a statement that changes rows among values. */
export function* runAmong(values: readonly Value[], sql: Statement, params: Params = {}): Work<void> {
  for (const part of listsOf(values)) yield* run(sql(part.list), { ...params, ...part.params });
}

function* listsOf(values: readonly Value[]): Generator<{ list: string; params: Params }> {
  for (let from = 0; from < values.length; from += MAX_LISTED) {
    const part = values.slice(from, from + MAX_LISTED);
    const length = LENGTHS.find((each) => each >= part.length)!;
    // The last one fills the list.
    const named = Array.from({ length }, (_, index) => [`b${index}`, part[index] ?? part.at(-1)!] as const);
    yield { list: `(${named.map(([name]) => `$${name}`).join()})`, params: Object.fromEntries(named) };
  }
}
