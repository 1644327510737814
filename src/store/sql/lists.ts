import { type Params, type Value, type Work, all, run } from "./work.ts";

/**
 * A condition for some projects, by their slugs; null is for every project, and for what is in none. `column` holds a slug.
 */
export function amongProjects(
  column: string,
  slugs: readonly string[] | null,
): { sql: string; params: Params } {
  if (slugs === null) return { sql: "", params: {} };
  const sql = `AND ${column} IN (SELECT value FROM json_each($projects))`;
  return { sql, params: { projects: slugList(slugs) } };
}

/** Slugs as a list for `json_each`. No slug has a NUL, which PostgreSQL refuses in the list. */
export function slugList(slugs: readonly string[]): string {
  return JSON.stringify(slugs.filter((slug) => !slug.includes("\0")));
}

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

/** Rows of one statement. They are few sizes, since each is compiled on its own. */
const SIZES = [100, 10, 1];

/**
 * Inserts many rows with few statements: `insert` is the text before `VALUES`, `onConflict` the text after it. Each row
 * has as many values as the first, and no two have the same key.
 */
export function* insertRows(insert: string, rows: readonly Value[][], onConflict: string): Work<void> {
  let from = 0;
  for (const size of SIZES) {
    if (rows.length - from < size) continue;
    const names = namesOf(size, rows[0]!.length);
    const values = names.map((row) => `(${row.map((name) => `$${name}`).join(", ")})`).join(", ");
    for (; rows.length - from >= size; from += size) {
      const params: Record<string, Value> = {};
      for (const [row, inRow] of names.entries())
        for (const [column, name] of inRow.entries()) params[name] = rows[from + row]![column]!;
      yield* run(`${insert} VALUES ${values} ${onConflict}`, params satisfies Params);
    }
  }
}

/** The names of the parameters of each row. */
function namesOf(rows: number, columns: number): string[][] {
  return Array.from({ length: rows }, (_, row) =>
    Array.from({ length: columns }, (_each, column) => `v${row * columns + column}`),
  );
}

/** Compares texts for sorting, the same on every machine. */
export function textOrder(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
