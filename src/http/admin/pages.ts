import { stringifyInTurns } from "../../base/json-turns.ts";

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
