import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { IS_POSTGRES_HERE, freshDatabase } from "../../support/postgres/postgres.ts";
import { type Explorer, type OperationName, openExplorer } from "./statements.ts";

/** Orders that have shown a fault once. */
const FOUND: [what: string, names: OperationName[], order: string][] = [
  [
    "a submission that finds its form deleted leaves the note of its files",
    ["insert with a file", "delete a form"],
    "BBBBABBAA",
  ],
];

describe.skipIf(!IS_POSTGRES_HERE)("statements of PostgreSQL in a chosen order", () => {
  let explorer: Explorer;
  beforeAll(async () => {
    explorer = await openExplorer(await freshDatabase());
  });
  afterAll(() => explorer.close());

  test.each(FOUND)("%s", async (_, names, order) => {
    expect(await explorer.replay(names, order)).toBeNull();
  });

  test("an order is tried once, and what it did is explained by whole operations", async () => {
    const { orders, fault } = await explorer.explore(["count", "keep a text"], 100, 1);
    // Each is one statement.
    expect([orders, fault]).toEqual([2, null]);
  });
});
