import * as z from "zod/mini";
import { MAX_LIST } from "../../base/pages.ts";
import type { Page } from "../../base/pages.ts";
import { stringifyInTurns } from "../../base/json-turns.ts";

/** The parameter for the most items of a page. */
export function limitOf(max: number, byDefault: number) {
  return z._default(z.coerce.number().check(z.int(), z.gte(1), z.lte(max)), byDefault);
}

/** The query of a list; `after` is the cursor of the page before. */
export const listQuery = z.object({ limit: limitOf(MAX_LIST, MAX_LIST), after: z.optional(z.string()) });

/** What to pass as `after` for the next page; null on the last. */
export const nextSchema = z.nullable(z.string());

/** The cursor for the next page; null on the last. */
export function nextOf<T, C>({ items, more }: Page<T>, cursorOf: (last: T) => C): C | null {
  const last = items.at(-1);
  return more && last !== undefined ? cursorOf(last) : null;
}

/** An answer with a list that may have megabytes, and the members of `rest`, written in turns with other requests. */
export async function listAnswer<T>(
  name: string,
  items: readonly T[],
  rest: object = {},
  view?: (item: T) => unknown,
): Promise<Response> {
  const texts = await stringifyInTurns(items, view);
  const list = texts.map((text) => text.slice(1, -1)).join(",");
  const others = JSON.stringify(rest).slice(1, -1);
  const body = `{"${name}":[${list}]${others === "" ? "" : `,${others}`}}`;
  return new Response(body, { headers: { "Content-Type": "application/json" } });
}
