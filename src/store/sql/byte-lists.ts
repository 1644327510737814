import { type Params, type Work, all, run } from "./work.ts";

/** Bytes in one statement at most. */
const MAX_LISTED = 1000;

/** The lengths of lists, so that few different statements are compiled. */
const LENGTHS = [1, 10, 100, MAX_LISTED];

/** A statement with a list, which is to stand behind `IN`. */
type Statement = (list: string) => string;

/** The rows of a statement that selects among `bytes`. Many are selected by several statements. */
export function* allAmong<Row>(
  bytes: readonly Uint8Array[],
  sql: Statement,
  params: Params = {},
): Work<Row[]> {
  const rows: Row[][] = [];
  for (const { list, values } of listsOf(bytes))
    rows.push(yield* all<Row>(sql(list), { ...params, ...values }));
  return rows.flat();
}

/** Runs a statement that changes rows among `bytes`. */
export function* runAmong(bytes: readonly Uint8Array[], sql: Statement): Work<void> {
  for (const { list, values } of listsOf(bytes)) yield* run(sql(list), values);
}

function* listsOf(bytes: readonly Uint8Array[]): Generator<{ list: string; values: Params }> {
  for (let from = 0; from < bytes.length; from += MAX_LISTED) {
    const part = bytes.slice(from, from + MAX_LISTED);
    const length = LENGTHS.find((each) => each >= part.length)!;
    // The last one fills the list.
    const values = Array.from({ length }, (_, index) => [`b${index}`, part[index] ?? part.at(-1)!] as const);
    yield { list: `(${values.map(([name]) => `$${name}`).join()})`, values: Object.fromEntries(values) };
  }
}
