import { MiB } from "./bytes.ts";

/** Most submissions or changes on one page. */
export const MAX_PAGE = 1000;

/** Submissions or changes on one page if the request names no limit. */
export const DEFAULT_PAGE = 50;

/** Most items on one page of any other list, which is also the default. */
export const MAX_LIST = 10_000;

/** Approximate bytes of stored text on one page, unless its first item is larger. */
export const MAX_PAGE_BYTES = 4 * MiB;

/** Part of a list, in its order: at most the limit of the query, fewer if the items are large. */
export type Page<T> = {
  items: T[];
  /** Whether the list continues after these items. */
  more: boolean;
};

/** Selects a page of a list that is sorted by name: at most `limit` items, starting after a name. */
export type PageQuery = { limit: number; after?: string | undefined };

/** The cursor for the next page; null on the last. */
export function nextOf<T, C>({ items, more }: Page<T>, cursorOf: (last: T) => C): C | null {
  const last = items.at(-1);
  return more && last !== undefined ? cursorOf(last) : null;
}
