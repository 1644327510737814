import type { Client } from "./client.ts";

/** A page of the admin API: its items under the name of the list, and the cursor of the next page, if there is one. */
type Answered = Record<string, unknown> & {
  next?: string | number | null;
  total?: number;
  indexing?: number;
};

type Listing = {
  query?: Record<string, string> | [name: string, value: string][];
  cursor?: "after" | "before";
  limit?: number;
  maxPage?: number;
  /** Whether a page may be empty although others follow: with a filter. */
  mayBeEmpty?: boolean;
};

/**
 * The items of a list of the admin API, page after page: all of them, or the first `limit`. `cursor` names the
 * parameter for the next page, `query` holds the other parameters; an older server answers one page and no cursor.
 */
export async function listAll<T>(client: Client, url: string, name: string, listing?: Listing): Promise<T[]> {
  return (await listSome<T>(client, url, name, listing)).items;
}

type Listed<T> = {
  items: T[];
  next: string | number | null;
  total: number | undefined;
  indexing: number | undefined;
};

/**
 * As `listAll`, with the cursor of the next page, null after the last, and with the total and what is not indexed yet if
 * the server sends them.
 */
export async function listSome<T>(
  client: Client,
  url: string,
  name: string,
  { query = {}, cursor = "after", limit = Infinity, maxPage = Infinity, mayBeEmpty = false }: Listing = {},
): Promise<Listed<T>> {
  const items: T[] = [];
  const parameters = new URLSearchParams(query);
  for (;;) {
    const size = Math.min(limit - items.length, maxPage);
    if (size < Infinity) parameters.set("limit", String(size));
    const page = await client.call<Answered>(
      "GET",
      parameters.size === 0 ? url : `${url}?${parameters.toString()}`,
    );
    const pageItems = page[name] as T[];
    for (const item of pageItems) items.push(item);
    const { next = null, total, indexing } = page;
    // Stops at an empty page or a repeated cursor, so that a faulty server does not keep the command going.
    if (
      next === null ||
      (pageItems.length === 0 && !mayBeEmpty) ||
      items.length >= limit ||
      parameters.get(cursor) === String(next)
    )
      return { items, next, total, indexing };
    parameters.set(cursor, String(next));
  }
}
