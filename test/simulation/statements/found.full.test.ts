import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { IS_POSTGRES_HERE, freshDatabase } from "../../support/postgres/postgres.ts";
import type { OperationName } from "./operations.ts";
import { type Explorer, openExplorer } from "./statements.ts";

/** Orders that have shown a fault once. */
const FOUND: [what: string, names: OperationName[], order: string][] = [
  [
    "a submission that finds its form deleted leaves the note of its files",
    ["insert with a file", "delete a form"],
    "BBBBABBAA",
  ],
  [
    "two uploads of code that begin at once keep one more than a project may have",
    ["add code", "add code"],
    "BBAAABABBA",
  ],
  [
    "what a project holds is counted while a submission to it is deleted, which stays counted",
    ["insert within a quota", "delete of a project"],
    "ABBBBBBAAAAAAAAABBBB",
  ],
  [
    "a removal is recorded behind the move of its form, in the project of before",
    ["move a form", "delete of a project"],
    "AAAAABBBBAAAAAAABBBBBBBBB",
  ],
  [
    "a removal is recorded behind the deletion of its form, by its random name",
    ["delete of a project", "delete a form of a project"],
    "BABABBBBBBBBBBAAAAAAAA",
  ],
  [
    "a submission leaves the spam folder while its form begins to fill a segment, of which it is no member",
    ["mark a named one as no spam", "fill a segment"],
    "BBBBBBBBBBAAAAAABBBBBBBBBBBBBBBBBBBBBBBBBBBAAAAA",
  ],
  [
    "a submission arrives while its form ends to fill segments, and is told that storing its files took too long",
    ["delete a project", "name another"],
    "AAABAAAAAABB",
  ],
];

/** Operations that want the same thing, of which only an order of their locks and conditions keeps the second from it. */
const RIVALS: [OperationName, OperationName][] = [
  ["insert the last", "insert the last"],
  ["insert once by key", "insert once by key"],
  ["insert with a file", "claim notes"],
  ["insert elsewhere", "delete an empty form"],
  ["mark as spam", "mark as archived"],
  ["mark as no spam", "mark as no spam"],
  ["delete", "delete backwards"],
  ["claim", "claim"],
  ["sign in by link", "sign in by link"],
  ["sign in", "audit"],
  ["sign in by password", "set a password"],
  ["spend a code", "spend a code"],
  ["spend a code", "spend a wrong code"],
  ["spend a recovery code", "renew recovery codes"],
  ["spend a code", "reset factors"],
  ["use a passkey", "use a passkey"],
  ["use a passkey", "reset factors"],
  ["put a flag", "delete a flag"],
  ["insert within a quota", "insert within a quota"],
  ["insert within a quota", "move a form"],
  ["insert within a quota", "import into a project"],
  ["insert within a quota", "delete a form of a project"],
  ["accept an invitation", "accept an invitation"],
  ["approve a change", "approve a change"],
  ["apply a change", "apply a change"],
  ["count visitors", "count visitors with conversions"],
  ["count visitors", "forget a visitor"],
  ["take events", "take other events with its key"],
  ["convert by a submission", "end an experiment"],
  ["mark a named one as spam", "fill a segment"],
  ["mark a named one as no spam", "fill a segment"],
  ["delete old named ones", "fill a segment"],
  ["poll an approved login", "poll an approved login"],
  ["tally", "tally"],
  ["add code", "add code"],
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

  test.each(RIVALS)("%s and %s leave what one after the other leaves", async (one, other) => {
    expect((await explorer.explore([one, other], 15, 1)).fault).toBeNull();
  });

  test("an order is tried once, and what it did is explained by whole operations", async () => {
    // Each is one statement, on a table of its own or on the same one.
    for (const [names, count] of [
      [["count", "keep a text"], 1],
      [["keep a text", "take a text"], 2],
    ] as [OperationName[], number][]) {
      const { orders, isOver, fault } = await explorer.explore(names, 100, 1);
      expect([names, orders, isOver, fault]).toEqual([names, count, true, null]);
    }
  });
});
