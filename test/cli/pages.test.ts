import { expect, test } from "bun:test";
import * as z from "zod/mini";
import type { Client, Sent } from "../../cli/session/client.ts";
import { listAll } from "../../cli/session/pages.ts";
import { type Operation, addressOf, noun } from "../../src/operations/operation.ts";

const schemas = { list: { output: z.object({ numbers: z.array(z.int()), next: z.nullable(z.int()) }) } };
const { list } = noun("numbers", async () => schemas, {
  list: {
    method: "GET",
    path: "/numbers",
    summary: "List numbers",
    scope: "read",
    place: "instance",
    run: async () => ({ numbers: [], next: null }),
  },
});

/** A server with `count` numbers in pages of at most `size`; `next` is the cursor that it names after one. */
function serverOf(count: number, size: number, next: (last: number) => unknown = (last) => last) {
  const asked: string[] = [];
  const send = async (operation: Operation, { query }: Sent) => {
    asked.push(addressOf(operation, {}, query));
    const after = Number(query?.["after"] ?? 0);
    const length = Math.min(count - after, size, Number(query?.["limit"] ?? Infinity));
    const numbers = Array.from({ length }, (_, index) => after + index + 1);
    const last = numbers.at(-1) ?? 0;
    return { value: { numbers, next: last < count ? next(last) : null }, revision: Number.NaN };
  };
  return { asked, client: { send } as unknown as Client };
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

test("a list is followed page by page to its end", async () => {
  const { client, asked } = serverOf(7, 3);
  expect(await listAll(client, list, { query: { kind: "odd" } })).toEqual(upTo(7));
  expect(asked).toEqual(["/numbers?kind=odd", "/numbers?kind=odd&after=3", "/numbers?kind=odd&after=6"]);
});

test("a limit counts over pages, and no page is asked for more than it may hold", async () => {
  const { client, asked } = serverOf(100, 3);
  expect(await listAll(client, list, { limit: 7, maxPage: 5 })).toEqual(upTo(7));
  expect(asked).toEqual(["/numbers?limit=5", "/numbers?limit=4&after=3", "/numbers?limit=1&after=6"]);
});

test("an older server answers one page, and names no cursor", async () => {
  const { client } = serverOf(9, 3, () => undefined);
  expect(await listAll(client, list)).toEqual(upTo(3));
});

test("a server that goes on from where it was is not followed", async () => {
  const { client, asked } = serverOf(9, 3, () => 3);
  expect(await listAll(client, list)).toEqual([1, 2, 3, 4, 5, 6]);
  expect(asked).toHaveLength(2);
});
