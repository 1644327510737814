import { MAX_PAGE_BYTES, type Page } from "../../base/pages.ts";
import type { Cut, Work } from "./work.ts";

/**
 * The first page of the rows: at most `limit` rows and about so many `bytes`, but at least one row. Further rows are not
 * read, provided that an index yields the rows in order.
 */
export function cutPage<Row extends object, T>(
  rows: Iterable<Row>,
  limit: number,
  view: (row: Row) => T,
  sizeOf: (row: Row) => number = textSize,
  bytes = MAX_PAGE_BYTES,
): Page<T> {
  const items: T[] = [];
  let size = 0;
  for (const row of rows) {
    size += sizeOf(row);
    const isFull = items.length === limit || (items.length > 0 && size > bytes);
    if (isFull) return { items, more: true };
    items.push(view(row));
  }
  return { items, more: false };
}

function textSize(row: object): number {
  return Object.values(row).reduce((sum, value) => sum + (typeof value === "string" ? value.length : 0), 0);
}

/**
 * A page of the rows that a work reads. The work must read one more than `limit`, and may leave out the rows that
 * {@link pageCut} leaves out.
 */
export function* pageOf<Row extends object, T>(
  rows: Work<Row[]>,
  limit: number,
  view: (row: Row) => T,
  bytes = MAX_PAGE_BYTES,
): Work<Page<T>> {
  return cutPage(yield* rows, limit, view, textSize, bytes);
}

/** Leaves out rows after a page's worth of texts in the columns that may be long. */
export function pageCut(...columns: string[]): Cut {
  return { columns, bytes: MAX_PAGE_BYTES };
}
