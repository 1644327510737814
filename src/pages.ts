/** Part of a list, in its order: at most as many as asked for, and fewer where they are large. */
export type Page<T> = {
  items: T[];
  /** Whether others follow the last of these. */
  more: boolean;
};

/** What part of a list by name is asked for: at most `limit` items, those after a name. */
export type PageQuery = { limit: number; after?: string | undefined };
