import { describe, expect, test } from "bun:test";
import { imported, refusalOf } from "../../support/imported.ts";

type Json = Record<string, unknown>;

const savedGroups = {
  old: ["ann", 5],
  list: { type: "list", attributeKey: "id", values: ["ann"] },
  rule: { type: "condition", condition: { plan: "pro" } },
  loop: { type: "condition", condition: { $savedGroup: { id: "loop" } } },
};
const fileOf = (condition: Json) => ({
  features: { f: { defaultValue: false, rules: [{ condition, force: true }] } },
  savedGroups,
});

describe("a condition of GrowthBook", () => {
  test.each<[condition: Json, inside: Json[], outside: Json[]]>([
    [{ it: "a" }, [{ it: "a" }], [{ it: "b" }, {}]],
    [{ it: "5" }, [{ it: 5 }, { it: "5" }], [{ it: 6 }]],
    [{ it: 0 }, [{ it: 0 }, {}, { it: "0.0" }], [{ it: 1 }, { it: "a" }]],
    [{ it: true }, [{ it: true }, { it: "x" }, { it: [] }], [{ it: 0 }, {}, { it: "" }]],
    [{ it: null }, [{}, { it: null }], [{ it: 0 }]],
    [{ it: ["a", 1] }, [{ it: ["a", 1] }], [{ it: ["a"] }, { it: ["a", "1"] }]],
    [{ "user.plan": "pro" }, [{ user: { plan: "pro" } }], [{ user: "pro" }, {}]],
    [{ it: { $ne: "a" } }, [{}, { it: "b" }], [{ it: "a" }]],
    [{ it: { $gt: 5, $lte: 7 } }, [{ it: 6 }, { it: "7" }], [{ it: 5 }, {}, { it: "x" }]],
    [{ it: { $lt: 18 } }, [{}, { it: 17 }, { it: true }], [{ it: 18 }, { it: "x" }]],
    [{ it: { $gt: "2026-01-01" } }, [{ it: "2026-02-01" }], [{ it: "2025-01-01" }, {}]],
    [{ it: { $in: ["a", 1, null] } }, [{ it: 1 }, {}, { it: ["b", "a"] }], [{ it: "1" }]],
    [{ it: { $nin: ["a"] } }, [{ it: "b" }, {}], [{ it: "a" }, { it: ["a"] }]],
    [{ it: { $ini: ["A.b", 5] } }, [{ it: "a.B" }, { it: 5 }, { it: ["x", "A.B"] }], [{ it: "axb" }]],
    [{ it: { $all: ["a", "b"] } }, [{ it: ["b", "c", "a"] }], [{ it: ["a"] }, { it: "ab" }]],
    [{ it: { $size: { $gt: 1 } } }, [{ it: [1, 2] }], [{ it: [1] }, { it: "ab" }]],
    [{ it: { $elemMatch: { $gt: 4 } } }, [{ it: [1, 5] }], [{ it: [1] }, { it: 5 }]],
    [
      { it: { $elemMatch: { name: "a" } } },
      [{ it: [{ name: "b" }, { name: "a" }] }],
      [{ it: [{ name: "b" }] }],
    ],
    [{ it: { $exists: true } }, [{ it: 0 }], [{}]],
    [{ it: { $type: "array" } }, [{ it: [] }], [{ it: "a" }, { it: {} }]],
    [{ it: { $regex: "^a\\/?b" } }, [{ it: "a/b" }], [{ it: "b" }, {}]],
    [{ it: { $regexi: "^ab" } }, [{ it: "AB" }], [{ it: "ba" }]],
    [{ it: { $not: { $in: ["a"] } } }, [{}, { it: "b" }], [{ it: "a" }]],
    [{ $or: [{ a: 1 }, { b: 1 }] }, [{ a: 1 }, { b: 1 }], [{}]],
    [{ $nor: [{ a: 1 }, { b: 1 }] }, [{}], [{ a: 1 }]],
    [{ $not: { a: 1 } }, [{}], [{ a: 1 }]],
    [{ it: { $inGroup: "old" } }, [{ it: "ann" }, { it: 5 }], [{ it: "ben" }]],
    [{ it: { $notInGroup: "gone" } }, [{ it: "ann" }, {}], []],
    [{ $savedGroup: { id: "list" } }, [{ id: "ann" }], [{ id: "ben" }]],
    [{ $savedGroup: { id: "list", attributeKey: "name" } }, [{ name: "ann" }], [{ id: "ann" }]],
    [{ $savedGroup: { id: "rule" } }, [{ plan: "pro" }], [{}]],
    [{ $savedGroup: { id: "loop" } }, [], [{}]],
  ])("%j", async (condition, inside, outside) => {
    const { read } = await imported("growthbook", fileOf(condition));
    for (const context of inside) expect([context, read("f", context)]).toEqual([context, true]);
    for (const context of outside) expect([context, read("f", context)]).toEqual([context, false]);
  });

  test("on versions is noted; one that rules cannot say leads to a flag that is skipped", async () => {
    const { read, notes } = await imported("growthbook", fileOf({ it: { $vgte: "1.2.0" } }));
    expect([read("f", { it: "v1.10.0" }), read("f", { it: "1.2.0-rc.1" })]).toEqual([true, false]);
    expect(notes).toMatchObject([{ flag: "f", path: "/features/f/rules/0" }]);
    for (const condition of [
      { it: { $regex: "(?=a)" } },
      { it: { a: 1 } },
      { it: { $near: 1 } },
      { it: { $vgt: "x" } },
    ]) {
      const { skipped } = await imported("growthbook", fileOf(condition));
      expect([condition, skipped.map(({ flag }) => flag)]).toEqual([condition, ["f"]]);
    }
  });
});

describe("a feature of GrowthBook", () => {
  const featureOf = (defaultValue: unknown, ...rules: Json[]) => ({ defaultValue, rules });

  test("serves the first rule that holds, else its default", async () => {
    const { read, document } = await imported("growthbook", {
      features: {
        f: featureOf(
          "red",
          { condition: { a: 1 }, force: "blue" },
          { condition: { b: 1 }, force: "a long text" },
        ),
        on: { defaultValue: true },
      },
    });
    expect([read("f", { a: 1 }), read("f", { b: 1 }), read("f")]).toEqual(["blue", "a long text", "red"]);
    expect(document.flags["f"]!.variants).toEqual({ red: "red", blue: "blue", "variant-2": "a long text" });
    expect(document.flags["on"]).toEqual({
      state: "ENABLED",
      variants: { on: true, off: false },
      defaultVariant: "on",
    });
  });

  test("keeps the shares of rollouts and experiments, and notes them", async () => {
    const { read, notes } = await imported("growthbook", {
      features: {
        rollout: featureOf(false, { force: true, coverage: 0.2 }),
        test: featureOf("none", { variations: ["a", "b"], weights: [0.25, 0.75], coverage: 0.8 }),
      },
    });
    const keys = Array.from({ length: 2000 }, (_, at) => `user-${at}`);
    const count = (flag: string, value: unknown) =>
      keys.filter((targetingKey) => read(flag, { targetingKey }) === value).length / 2000;
    const shares = [count("rollout", true), count("test", "none"), count("test", "a"), count("test", "b")];
    for (const [at, expected] of [0.2, 0.2, 0.2, 0.6].entries())
      expect(Math.abs(shares[at]! - expected)).toBeLessThan(0.05);
    expect(notes.map(({ flag, path }) => [flag, path])).toEqual([
      ["rollout", "/features/rollout/rules/0"],
      ["test", "/features/test/rules/0"],
    ]);
  });

  test("follows the features that it needs, and has no value behind a gate", async () => {
    const needs = (id: string, more: Json = {}) => ({
      parentConditions: [{ id, condition: { value: "blue" }, ...more }],
    });
    const { read, skipped } = await imported("growthbook", {
      features: {
        base: featureOf("red", { condition: { a: 1 }, force: "blue" }),
        f: featureOf(false, { ...needs("base"), force: true }),
        gated: featureOf("on", { ...needs("base", { gate: true }) }),
        x: featureOf(false, { ...needs("y"), force: true }),
        y: featureOf(false, { ...needs("x"), force: true }),
      },
    });
    expect([read("f", { a: 1 }), read("f")]).toEqual([true, false]);
    expect([read("gated", { a: 1 }), read("gated")]).toEqual(["on", undefined]);
    expect(skipped.map(({ flag }) => flag)).toEqual(["x", "y"]);
  });

  test("needs the features of the gates before its first value, and copies those of single rules", async () => {
    const gate = (id: string, value: unknown, more: Json = {}) => ({
      parentConditions: [{ id, condition: { value }, gate: true, ...more }],
    });
    const { read, needs, notes, skipped } = await imported("growthbook", {
      features: {
        base: featureOf("red", { condition: { a: 1 }, force: "blue" }),
        on: featureOf(false, { condition: { b: 1 }, force: true }),
        gated: featureOf("x", gate("base", "blue"), { ...gate("on", true), condition: { c: 1 }, force: "y" }),
        late: featureOf("x", { condition: { c: 1 }, force: "y" }, gate("on", true)),
        unset: featureOf("x", gate("base", { $ne: "red" }), gate("gone", null)),
        lost: featureOf("x", gate("round", "x")),
        round: featureOf("x", gate("lost", "x")),
      },
    });
    expect(["gated", "late", "unset"].map(needs)).toEqual([["base=blue", "on=on"], [], []]);
    expect([
      read("gated", { a: 1, b: 1 }),
      read("gated", { a: 1, b: 1, c: 1 }),
      read("gated", { b: 1 }),
    ]).toEqual(["x", "y", undefined]);
    expect([read("late", { c: 1 }), read("late", { b: 1 }), read("late")]).toEqual(["y", "x", undefined]);
    const copied = notes.filter(({ message }) => message.includes("is written into this one"));
    expect(copied.map(({ flag }) => flag)).toEqual(["late", "unset"]);
    expect(skipped.map(({ flag }) => flag)).toEqual(["lost", "round"]);
  });

  test("of a namespace, or of values of several types, is skipped; encrypted ones are refused", async () => {
    const { skipped } = await imported("growthbook", {
      features: {
        part: featureOf("a", { variations: ["a", "b"], namespace: ["n", 0, 0.5] }),
        mixed: featureOf("a", { force: 5 }),
      },
    });
    expect(skipped.map(({ flag }) => flag)).toEqual(["part", "mixed"]);
    expect(await refusalOf("growthbook", { features: {}, encryptedFeatures: "abc" })).toContain("encrypted");
  });
});

test("a comparison of GrowthBook that a list or an object would be a text for is noted once", async () => {
  const coerced = "a list or an object matches no text or number here: there it is compared as a text";
  const notesOf = async (condition: Json) =>
    (await imported("growthbook", fileOf(condition))).notes.map(({ message }) => message);
  for (const condition of [
    { it: "a" },
    { it: 5, other: "b" },
    { it: { $gt: 5, $lt: 8 } },
    { it: { $not: { $regex: "a" } } },
    { it: { $elemMatch: { name: "a" } } },
  ])
    expect([condition, await notesOf(condition)]).toEqual([condition, [coerced]]);
  for (const condition of [{ it: true }, { it: { $in: ["a", 5] } }, { it: { $exists: true } }])
    expect([condition, await notesOf(condition)]).toEqual([condition, []]);
});
