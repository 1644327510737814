import type { Client } from "./client.ts";

/** A page of the admin API: its items under the name of the list, and the cursor of what follows, if anything does. */
type Answered = Record<string, unknown> & { next?: string | number | null };

/**
 * The items of a list of the admin API, page after page: all of them, or the first `limit`. `cursor` is the parameter
 * that goes on, `query` what is asked for besides; an older server answers one page and no cursor.
 */
export async function listAll<T>(
  client: Client,
  url: string,
  name: string,
  {
    query = {},
    cursor = "after",
    limit = Infinity,
    maxPage = Infinity,
  }: { query?: Record<string, string>; cursor?: "after" | "before"; limit?: number; maxPage?: number } = {},
): Promise<T[]> {
  const all: T[] = [];
  const asked = new URLSearchParams(query);
  for (;;) {
    const size = Math.min(limit - all.length, maxPage);
    if (size < Infinity) asked.set("limit", String(size));
    const page = await client.call<Answered>("GET", asked.size === 0 ? url : `${url}?${asked.toString()}`);
    const items = page[name] as T[];
    for (const item of items) all.push(item);
    const next = page.next ?? null;
    // A server that goes on without an end, or from where it began, is not followed.
    if (next === null || items.length === 0 || all.length >= limit || asked.get(cursor) === String(next))
      return all;
    asked.set(cursor, String(next));
  }
}
