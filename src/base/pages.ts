import { MiB } from "./bytes.ts";

/** Submissions or changes that a page of a list holds at most, and by default. */
export const MAX_PAGE = 1000;

export const DEFAULT_PAGE = 50;

/** What a page of any other list holds at most, and by default. */
export const MAX_LIST = 10_000;

/** About how many bytes of stored text a page of a list holds at most, unless its first item is larger. */
export const MAX_PAGE_BYTES = 4 * MiB;

/** Part of a list, in its order: at most as many as asked for, and fewer where they are large. */
export type Page<T> = {
  items: T[];
  /** Whether others follow the last of these. */
  more: boolean;
};

/** What part of a list by name is asked for: at most `limit` items, those after a name. */
export type PageQuery = { limit: number; after?: string | undefined };
