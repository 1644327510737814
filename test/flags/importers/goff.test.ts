import { describe, expect, test } from "bun:test";
import type { Context } from "../../../src/flags/flagd/evaluate.ts";
import { imported, refusalOf } from "../../support/imported.ts";

const variations = { a: "A", b: "B" };
const queried = (query: string) => ({
  f: { variations, targeting: [{ query, variation: "b" }], defaultRule: { variation: "a" } },
});

describe("a query of GO Feature Flag", () => {
  test.each<[query: string, inside: Context[], outside: Context[]]>([
    ['plan eq "PRO"', [{ plan: "pro" }], [{ plan: "free" }, {}, { plan: 5 }]],
    ['plan ne "pro"', [{ plan: "free" }], [{ plan: "PRO" }, {}]],
    ['(age gt 17) and not (plan in ["a", "b"])', [{ age: 18 }], [{ age: 17.9 }, { age: 18, plan: "A" }, {}]],
    ['email co "@X." or key sw "ann"', [{ email: "q@x.org" }, { targetingKey: "anna" }], [{ email: "x" }]],
    ['email EW ".org"', [{ email: "a.ORG" }], [{ email: "a.org.uk" }]],
    ["version ge 1.2.3", [{ version: "1.10.0" }], [{ version: "v2" }, { version: "1.2" }]],
    ["it pr", [{ it: 0 }], [{}]],
    ["it eq null", [{}], [{ it: 1 }]],
    ["anonymous ne true", [{ anonymous: false }], [{ anonymous: true }, {}]],
    ["x == 1.5 && y <= -2", [{ x: 1.5, y: -2 }], [{ x: 1.5, y: -1 }]],
    ["address.zip eq 5", [{ address: { zip: 5.9 } }], [{ address: { zip: 6 } }, { address: 5 }]],
  ])("%s", async (query, inside, outside) => {
    const { read, notes } = await imported("goff", queried(query));
    for (const context of inside) expect([context, read("f", context)]).toEqual([context, "B"]);
    for (const context of outside) expect([context, read("f", context)]).toEqual([context, "A"]);
    expect(notes).toEqual([]);
  });

  test("of an element of a list is refused, since a rule would read it", async () => {
    const { skipped } = await imported("goff", queried('tags.0 eq "a"'));
    expect(skipped.map(({ flag }) => flag)).toEqual(["f"]);
  });

  test("in JSONLogic is taken as it is, and noted", async () => {
    const { read, notes } = await imported("goff", queried('{"in":[{"var":"key"},["ann"]]}'));
    expect([read("f", { targetingKey: "ann" }), read("f")]).toEqual(["B", "A"]);
    expect(notes).toMatchObject([{ flag: "f", path: "/f/targeting/0/query" }]);
  });

  test.each([
    "plan ~ 5",
    "plan eq",
    "(a pr",
    "a co 5",
    'a eq "x',
    "a pr b",
    `${"(".repeat(1000)}a pr${")".repeat(1000)}`,
    "{broken",
  ])("such as %s leads to a flag that is skipped", async (query) => {
    const { skipped } = await imported("goff", queried(query));
    expect(skipped.map(({ flag }) => flag)).toEqual(["f"]);
  });
});

test("a flag of GO Feature Flag keeps its shares, its times and that it is disabled", async () => {
  const rule = { variation: "a" };
  const { read, notes, skipped } = await imported("goff", {
    shared: { variations, defaultRule: { percentage: { a: 20, b: 80 } } },
    whole: { variations, defaultRule: { percentage: { a: 0, b: 100 } } },
    off: { variations, defaultRule: rule, disable: true },
    over: { variations, defaultRule: rule, experimentation: { end: "2021-01-01T00:00:00Z" } },
    planned: { variations, defaultRule: rule, scheduledRollout: [{ date: "2020-01-01T00:00:00Z" }] },
    growing: { variations, defaultRule: { progressiveRollout: {} } },
    lost: { variations, defaultRule: { variation: "c" } },
    unused: { variations, targeting: [{ query: "a pr", variation: "b", disable: true }], defaultRule: rule },
  });
  const keys = Array.from({ length: 1000 }, (_, at) => `user-${at}`);
  const share = keys.filter((targetingKey) => read("shared", { targetingKey }) === "A").length;
  expect(Math.abs(share - 200)).toBeLessThan(50);
  expect([read("whole"), read("off"), read("over"), read("unused", { a: 1 })]).toEqual([
    "B",
    undefined,
    undefined,
    "A",
  ]);
  expect(notes.map(({ flag }) => flag)).toEqual(["shared", "planned"]);
  expect(skipped.map(({ flag }) => flag)).toEqual(["growing", "lost"]);
  expect(await refusalOf("goff", { flags: {} })).toContain("GO Feature Flag");
});

test("percentages of GO Feature Flag that are not 100 together are noted", async () => {
  const flag = { variations, defaultRule: { percentage: { a: 30, b: 30 } } };
  const { notes } = await imported("goff", { f: flag });
  expect(notes.map(({ message }) => message)).toContain(
    "they are not 100 together: each is its part of their sum",
  );
  const { skipped } = await imported("goff", { f: { ...flag, disable: "true" }, g: flag });
  expect(skipped).toEqual([{ flag: "f", message: "disable is not true or false" }]);
});

test("a flag of GO Feature Flag keeps its metadata, of which lists and objects are noted", async () => {
  const metadata = { description: "The letter", "issue-link": "https://example.com/1", teams: ["web"] };
  const { document, notes } = await imported("goff", {
    f: { variations, defaultRule: { variation: "a" }, metadata },
  });
  const { teams: _, ...scalars } = metadata;
  expect(document.flags["f"]!.metadata).toEqual(scalars);
  expect(notes).toMatchObject([{ flag: "f", path: "/f/metadata" }]);
});
