import type { Operation, Output, Query, Schemas } from "../../src/operations/operation.ts";
import type { Client } from "./client.ts";

type Listing = {
  names?: Record<string, string>;
  /** Parameters other than those of the page. */
  query?: Query;
  /** The parameter for the next page. */
  cursor?: "after" | "before";
  limit?: number;
  maxPage?: number;
  /** Whether a page may be empty although others follow: with a filter. */
  mayBeEmpty?: boolean;
};

/** The items of a list: what the one list in the answer holds. */
export type Item<O> = { [K in keyof O]-?: O[K] extends (infer T)[] ? T : never }[keyof O];

/**
 * The items of a list of the admin API, page after page: all of them, or the first `limit`. An older server answers one page
 * and no cursor.
 */
export async function listAll<S extends Schemas, P extends string>(
  client: Client,
  operation: Operation<S, P>,
  listing?: Listing,
): Promise<Item<Output<S>>[]> {
  return (await listSome(client, operation, listing)).items;
}

type Listed<T> = {
  items: T[];
  next: string | number | null;
  total: number | undefined;
  indexing: number | undefined;
};

/** A page: its items under the name of the list, and the cursor of the next page, if there is one. */
type Page<T> = Record<string, T[]> & { next?: string | number | null; total?: number; indexing?: number };

/**
 * As `listAll`, with the cursor of the next page, null after the last, and with the total and what is not indexed yet if
 * the server sends them.
 */
export async function listSome<S extends Schemas, P extends string>(
  client: Client,
  operation: Operation<S, P>,
  {
    names = {},
    query,
    cursor = "after",
    limit = Infinity,
    maxPage = Infinity,
    mayBeEmpty = false,
  }: Listing = {},
): Promise<Listed<Item<Output<S>>>> {
  const items: Item<Output<S>>[] = [];
  const parameters: Query = { ...query };
  for (;;) {
    const size = Math.min(limit - items.length, maxPage);
    if (size < Infinity) parameters["limit"] = size;
    const { value } = await client.send(operation, { names, query: { ...parameters } });
    const page = value as Page<Item<Output<S>>>;
    const pageItems = Object.values(page).find(Array.isArray) as Item<Output<S>>[];
    for (const item of pageItems) items.push(item);
    const { next = null, total, indexing } = page;
    // Stops at an empty page or a repeated cursor, so that a faulty server does not keep the command going.
    if (
      next === null ||
      (pageItems.length === 0 && !mayBeEmpty) ||
      items.length >= limit ||
      parameters[cursor] === next
    )
      return { items, next, total, indexing };
    parameters[cursor] = next;
  }
}
