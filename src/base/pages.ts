import { MiB } from "./bytes.ts";

/** The most that `limit` takes for submissions or changes. */
export const MAX_PAGE = 1000;

/** Submissions or changes in a page of a list. Beyond: another page. Set with `limit`. */
export const DEFAULT_PAGE = 50;

/** Entries in a page of any other list. Beyond: another page. Set with `limit`, to less. */
export const MAX_LIST = 10_000;

/** Approximate bytes of the submissions in a page. Beyond: another page. The first item may be larger. */
export const MAX_PAGE_BYTES = 4 * MiB;

/** Part of a list, in its order: at most the limit of the query, fewer if the items are large. */
export type Page<T> = {
  items: T[];
  /** Whether the list continues after these items. */
  more: boolean;
};

/** Selects a page of a list that is sorted by name: at most `limit` items, starting after a name. */
export type PageQuery = { limit: number; after?: string | undefined };

/** Every item of a list, whose next page `read` returns by the last item so far. */
export async function everyItem<T>(read: (last: T | undefined) => Promise<Page<T>>): Promise<T[]> {
  const found: T[] = [];
  for (;;) {
    const { items, more } = await read(found.at(-1));
    found.push(...items);
    if (!more) return found;
  }
}

/** The cursor for the next page; null on the last. */
export function nextOf<T, C>({ items, more }: Page<T>, cursorOf: (last: T) => C): C | null {
  const last = items.at(-1);
  return more && last !== undefined ? cursorOf(last) : null;
}
