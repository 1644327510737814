import { describe, expect, test } from "bun:test";
import type { Context } from "../../../src/flags/flagd/evaluate.ts";
import { imported, refusalOf } from "../../support/imported.ts";

type Json = Record<string, unknown>;

const flag = (more: Json) => ({
  on: true,
  variations: ["red", "blue"],
  offVariation: 0,
  fallthrough: { variation: 0 },
  ...more,
});
const clause = (attribute: string, op: string, values: unknown[], more: Json = {}) => ({
  clauses: [{ attribute, op, values, ...more }],
  variation: 1,
});
const ruled = (...rules: Json[]) => ({ flags: { f: flag({ rules }) } });

describe("a clause of LaunchDarkly", () => {
  test.each<[rule: Json, inside: Context[], outside: Context[]]>([
    [clause("key", "in", ["ann"]), [{ targetingKey: "ann" }], [{}, { targetingKey: "ben" }]],
    [
      clause("it", "in", ["a", 5, true]),
      [{ it: 5 }, { it: ["b", "a"] }, { it: true }],
      [{ it: "5" }, {}, { it: "cat" }],
    ],
    [
      clause("it", "in", ["a"], { negate: true }),
      [{ it: "b" }, { it: ["b"] }],
      [{}, { it: "a" }, { it: ["b", "a"] }],
    ],
    [
      clause("email", "endsWith", ["@x.org", "@y.org"]),
      [{ email: "a@y.org" }],
      [{ email: "a@z.org" }, { email: 5 }, {}],
    ],
    [
      clause("it", "startsWith", ["a."]),
      [{ it: "a.b" }, { it: ["b", "a.c"] }],
      [{ it: "ab" }, { it: ["ab"] }],
    ],
    [clause("it", "contains", ["b"]), [{ it: "abc" }], [{ it: "ac" }, { it: { b: 1 } }, { it: 5 }]],
    [clause("it", "matches", ["^a+$"]), [{ it: "aa" }, { it: ["b", "a"] }], [{ it: "ab" }, {}]],
    [
      clause("it", "lessThan", [5, "x"]),
      [{ it: 4 }, { it: [9, 4] }],
      [{ it: 5 }, { it: "4" }, {}, { it: true }, { it: [5] }],
    ],
    [clause("it", "greaterThanOrEqual", [5]), [{ it: 5 }, { it: [1, 5] }], [{ it: 4.9 }, { it: ["5"] }]],
    [
      clause("it", "before", ["2026-01-01T00:00:00Z"]),
      [{ it: 5 }, { it: "2025-12-31T00:00:00Z" }],
      [{ it: "2025" }, {}],
    ],
    [
      clause("it", "semVerGreaterThan", ["1.2"]),
      [{ it: "1.2.1" }, { it: "2" }],
      [{ it: "1.2.0" }, { it: "v2" }, { it: 2 }],
    ],
    [
      clause("/address/city", "in", ["Wien"], { contextKind: "user" }),
      [{ address: { city: "Wien" } }],
      [{ address: {} }, {}],
    ],
    [clause("name", "in", ["Acme"], { contextKind: "org" }), [{ org: { name: "Acme" } }], [{ name: "Acme" }]],
    [clause("kind", "in", ["org"]), [{ org: { key: "o" } }], [{ targetingKey: "a" }]],
    [clause("anonymous", "in", [false]), [{ targetingKey: "a" }], [{ targetingKey: "a", anonymous: true }]],
  ])("%j", async (rule, inside, outside) => {
    const { read } = await imported("launchdarkly", ruled(rule));
    for (const context of inside) expect([context, read("f", context)]).toEqual([context, "blue"]);
    for (const context of outside) expect([context, read("f", context)]).toEqual([context, "red"]);
  });

  test.each([
    ["an operator that is not known", clause("a", "sounds", ["b"])],
    ["a pattern that is not linear", clause("a", "matches", ["(?=b)"])],
    ["an attribute with a dot", clause("a.b", "in", ["b"])],
    // No client of LaunchDarkly reads into a list, while a rule would.
    ["an element of a list", clause("/tags/0", "in", ["b"], { contextKind: "user" })],
    ["the length of a list or text", clause("/tags/length", "in", [1], { contextKind: "user" })],
    ["the length of a kind of contexts", clause("length", "in", [3], { contextKind: "org" })],
    ["a variation that is not there", { clauses: [], variation: 7 }],
  ])("with %s leads to a flag that is skipped", async (_, rule) => {
    const { skipped, document } = await imported("launchdarkly", ruled(rule));
    expect([document.flags, skipped.map((each) => each.flag)]).toEqual([{}, ["f"]]);
  });
});

describe("a flag of LaunchDarkly", () => {
  test("serves targets before rules, and its fallthrough to everyone else", async () => {
    const { read, document } = await imported("launchdarkly", {
      flags: {
        f: flag({ targets: [{ values: ["ann"], variation: 0 }], rules: [{ clauses: [], variation: 1 }] }),
      },
    });
    expect([read("f", { targetingKey: "ann" }), read("f", { targetingKey: "ben" })]).toEqual(["red", "blue"]);
    expect(document.flags["f"]!.variants).toEqual({ red: "red", blue: "blue" });
  });

  test("that is off has no value, which is noted; a plain one is false", async () => {
    const plain = { on: false, variations: [true, false], offVariation: 1, fallthrough: { variation: 0 } };
    const { read, notes } = await imported("launchdarkly", { flags: { f: flag({ on: false }), plain } });
    expect([read("f"), read("plain")]).toEqual([undefined, false]);
    expect(notes).toMatchObject([{ flag: "f", path: "/flags/f/on" }]);
  });

  test("needs its prerequisites, each to be of one variation", async () => {
    const needing = (...keys: string[]) => ({
      prerequisites: keys.map((key) => ({ key, variation: 1 })),
      fallthrough: { variation: 1 },
    });
    const { read, needs, notes, skipped } = await imported("launchdarkly", {
      flags: {
        base: flag({ rules: [clause("plan", "in", ["pro"])] }),
        off: flag({ on: false }),
        plain: flag({ variations: [true, false], on: false, offVariation: 1 }),
        f: flag(needing("base", "base")),
        both: flag({ ...needing("base", "f"), offVariation: null }),
        waiting: flag(needing("off")),
        // A flag that is off is no prerequisite of any variation, and here it would be one.
        never: flag(needing("plain")),
        lost: flag(needing("gone")),
        missing: flag({ ...needing("gone"), offVariation: null }),
        a: flag(needing("b")),
        b: flag(needing("a")),
      },
    });
    const names = ["f", "both", "waiting", "never", "lost", "missing"];
    expect(names.map(needs)).toEqual([["base=blue"], ["base=blue", "f=blue"], ["off=blue"], [], [], []]);
    const none = undefined;
    expect(names.map((name) => read(name, { plan: "pro" }))).toEqual([
      "blue",
      "blue",
      none,
      "red",
      "red",
      none,
    ]);
    expect(names.map((name) => read(name))).toEqual([none, none, none, "red", "red", none]);
    const noted = notes.filter(({ path }) => path.endsWith("/prerequisites")).map((each) => each.flag);
    expect([...new Set(noted)]).toEqual(["f", "waiting", "never", "lost"]);
    expect(skipped.map((each) => each.flag)).toEqual(["a", "b"]);
  });

  test("is skipped where it needs others more than ten deep", async () => {
    const chain = Array.from({ length: 13 }, (_, at) => [
      `f${at}`,
      flag({ prerequisites: at === 0 ? [] : [{ key: `f${at - 1}`, variation: 0 }] }),
    ]);
    const { read, skipped } = await imported("launchdarkly", { flags: Object.fromEntries(chain) });
    expect(read("f10")).toBe("red");
    expect(skipped).toMatchObject([
      { flag: "f11", message: "it needs others more than 10 deep" },
      { flag: "f12", message: expect.stringContaining("it needs f11") as string },
    ]);
  });

  test("is noted for what it serves without the others, unless that is false as in LaunchDarkly", async () => {
    const plain = (offVariation: number) =>
      flag({
        variations: [true, false],
        fallthrough: { variation: 0 },
        offVariation,
        prerequisites: [{ key: "base", variation: 0 }],
      });
    const { notes } = await imported("launchdarkly", {
      flags: { base: flag({}), same: plain(1), other: plain(0) },
    });
    expect(notes.map((each) => each.flag)).toEqual(["other"]);
  });

  test("has no value for readers of a rule without a variation", async () => {
    const rules = [{ clauses: [{ attribute: "plan", op: "in", values: ["pro"] }] }];
    const { read } = await imported("launchdarkly", { flags: { empty: flag({ rules }) } });
    expect([read("empty"), read("empty", { plan: "pro" })]).toEqual(["red", undefined]);
  });

  test("keeps the shares of a rollout, and notes them", async () => {
    const rollout = {
      variations: [
        { variation: 0, weight: 25_000 },
        { variation: 1, weight: 75_000 },
      ],
    };
    const { read, notes } = await imported("launchdarkly", {
      flags: { f: flag({ fallthrough: { rollout } }) },
    });
    const keys = Array.from({ length: 1000 }, (_, at) => `user-${at}`);
    const red = keys.filter((targetingKey) => read("f", { targetingKey }) === "red").length;
    expect(Math.abs(red - 250)).toBeLessThan(50);
    expect(notes).toMatchObject([{ flag: "f", path: "/flags/f/fallthrough/rollout" }]);
  });

  test("refers to segments, which have members, exceptions and rules", async () => {
    const inside = clause("", "segmentMatch", ["team", "gone"]);
    const { read, document, skipped } = await imported("launchdarkly", {
      flags: { f: flag({ rules: [inside] }), big: flag({ rules: [clause("", "segmentMatch", ["big"])] }) },
      segments: {
        team: {
          included: ["ann"],
          excluded: ["ben"],
          rules: [clause("plan", "in", ["pro"]), clause("", "segmentMatch", ["beta"])],
        },
        beta: { included: ["cid"] },
        big: { unbounded: true },
      },
    });
    expect(Object.keys(document.$evaluators!)).toEqual(["team", "beta"]);
    const readers = [
      { targetingKey: "ann" },
      { targetingKey: "ben", plan: "pro" },
      { plan: "pro" },
      { targetingKey: "cid" },
      {},
    ];
    expect(readers.map((context) => read("f", context))).toEqual(["blue", "red", "blue", "blue", "red"]);
    expect(skipped).toMatchObject([{ flag: "big", message: expect.stringContaining("not in the file") }]);
  });

  test("whose segments refer to each other is skipped", async () => {
    const { skipped } = await imported("launchdarkly", {
      flags: { f: flag({ rules: [clause("", "segmentMatch", ["a"])] }) },
      segments: {
        a: { rules: [clause("", "segmentMatch", ["b"])] },
        b: { rules: [clause("", "segmentMatch", ["a"])] },
      },
    });
    expect(skipped.map((each) => each.flag)).toEqual(["f"]);
  });
});

describe("flags of the REST API of LaunchDarkly", () => {
  const item = {
    key: "f",
    variations: [{ value: { size: 1 } }, { value: { size: 2 } }],
    environments: {
      live: { on: true, fallthrough: { variation: 1 } },
      test: { on: true, fallthrough: { variation: 0 } },
    },
  };

  test("are read in the environment that is asked for; archived ones are skipped", async () => {
    const file = { items: [item, { ...item, key: "old", archived: true }] };
    const { read, skipped } = await imported("launchdarkly", file, { from: "live" });
    expect([read("f"), skipped]).toEqual([{ size: 2 }, [{ flag: "old", message: "it is archived" }]]);
    expect(await refusalOf("launchdarkly", file)).toContain("live, test");
  });

  test("keep their description, and note their tags", async () => {
    const described = { ...item, description: "The size", tags: ["web", "beta"] };
    const { document, notes } = await imported("launchdarkly", { items: [described] }, { from: "live" });
    expect(document.flags["f"]!.description).toBe("The size");
    expect(notes).toEqual([
      { flag: "f", path: "/items/0/tags", message: "tags are not imported: web, beta" },
    ]);
    const alone = await imported("launchdarkly", described, { from: "live" });
    expect(alone.notes).toMatchObject([{ path: "/tags" }]);
  });

  test("with a segment, which is not in the file, are skipped", async () => {
    const live = { on: true, rules: [clause("", "segmentMatch", ["a"])], fallthrough: { variation: 1 } };
    const { skipped } = await imported("launchdarkly", { items: [{ ...item, environments: { live } }] });
    expect(skipped).toMatchObject([
      { flag: "f", message: expect.stringContaining("segment a is not in the file") },
    ]);
  });
});
