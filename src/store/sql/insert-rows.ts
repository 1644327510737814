import { type Params, type Value, type Work, run } from "./work.ts";

/** Rows of one statement. They are few sizes, since each is compiled on its own. */
const SIZES = [100, 10, 1];

/**
 * Inserts many rows with few statements: `insert` stands before `VALUES`, `onConflict` behind. Each row has as many values
 * as the first, and no two have the same key.
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
