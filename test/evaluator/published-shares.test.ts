import { describe, expect, test } from "bun:test";
import { hashOf } from "../../src/evaluator/hash.ts";
import { type Rule, evaluate } from "./published.ts";

/** Shares that flagd publishes for its evaluators (https://github.com/open-feature/flagd-testbed, evaluator), and its buckets. */

const SUITS = ["clubs", "diamonds", "hearts", "spades"];
const bySuit = (...parts: unknown[]) => ({
  fractional: [{ cat: parts }, ...SUITS.map((suit) => [suit, 25])],
});

describe("shares", () => {
  test.each([
    ["jack", "hearts"],
    ["queen", "spades"],
    ["ten", "clubs"],
    ["nine", "diamonds"],
    ["3", "clubs"],
  ])("by the key of the flag and an attribute: %s gets %s", (name, suit) => {
    const rule = bySuit({ var: "$flagd.flagKey" }, { var: "user.name" });
    expect(evaluate("fractional-flag", rule, SUITS, { user: { name } })).toMatchObject({ variant: suit });
  });

  test.each([
    ["seven", "hearts"],
    ["eight", "diamonds"],
    ["nine", "clubs"],
    ["two", "spades"],
  ])("by a text that flags share: %s gets %s, whatever the flag is called", (name, suit) => {
    const rule = bySuit("shared-seed", { var: "user.name" });
    for (const key of ["one", "another"])
      expect(evaluate(key, rule, SUITS, { user: { name } })).toMatchObject({ variant: suit });
  });

  test.each([
    ["jon@company.com", "heads"],
    ["jane@company.com", "tails"],
  ])(
    "by the key of the flag and the targeting key where nothing is named: %s gets %s",
    (targetingKey, side) => {
      const rule = { fractional: [["heads"], ["tails", 1]] };
      const result = evaluate("fractional-flag-shorthand", rule, ["heads", "tails"], { targetingKey });
      expect(result).toMatchObject({ variant: side });
    },
  );

  // Keys whose hashes are the least, the greatest, and those beside the middle.
  test.each([
    ["ejOoVL", 0, "lower"],
    ["bY9fO-", 1, "lower"],
    ["SI7p-", 2 ** 31 - 1, "lower"],
    ["6LvT0", 2 ** 31, "upper"],
    ["ceQdGm", 2 ** 32 - 1, "upper"],
  ])("of two halves, %s has the hash %d and the %s one", (targetingKey, hash, half) => {
    expect(hashOf(targetingKey)).toBe(hash);
    const rule = { fractional: [{ var: "targetingKey" }, ["lower", 50], ["upper", 50]] };
    expect(evaluate("flag", rule, ["lower", "upper"], { targetingKey })).toMatchObject({ variant: half });
  });

  test.each([
    ["jon@company.com", { tier: "premium" }, "premium", "red"],
    ["jon@company.com", { tier: "basic" }, "standard", "blue"],
    ["user1", { tier: "premium" }, "standard", "red"],
    ["user1", { tier: "basic" }, "standard", "blue"],
  ])(
    "whose names and weights are rules: %s with %j gets %s and %s",
    (targetingKey, context, name, weighed) => {
      const isPremium = { "==": [{ var: "tier" }, "premium"] };
      const by = { var: "targetingKey" };
      const named = { fractional: [by, [{ if: [isPremium, "premium", "standard"] }, 50], ["standard", 50]] };
      const weighted = { fractional: [by, ["red", { if: [isPremium, 100, 0] }], ["blue", 10]] };
      const given = { targetingKey, ...context };
      expect(evaluate("flag", named, ["premium", "standard", "none"], given)).toMatchObject({
        variant: name,
      });
      expect(evaluate("flag", weighted, ["red", "blue", "none"], given)).toMatchObject({ variant: weighed });
    },
  );

  test.each([
    ["jon@company.com", "red", "red"],
    ["jon@company.com", "green", "green"],
    ["jon@company.com", undefined, "none"],
    ["user1", "red", "blue"],
  ])("named by an attribute: %s with %s gets %s", (targetingKey, color, variant) => {
    const rule = { fractional: [{ var: "targetingKey" }, [{ var: "color" }, 50], ["blue", 50]] };
    const result = evaluate("flag", rule, ["red", "green", "blue", "none"], { targetingKey, color });
    expect(result).toMatchObject({ variant });
  });

  test("named by an attribute that is no variant are an error, and a single one is everybody's", () => {
    const given = { targetingKey: "jon@company.com", color: "yellow" };
    const rule = { fractional: [{ var: "targetingKey" }, [{ var: "color" }, 50], ["blue", 50]] };
    expect(evaluate("flag", rule, ["blue", "none"], given)).toMatchObject({ errorCode: "GENERAL" });
    const single = { fractional: [["single", 1]] };
    expect(evaluate("flag", single, ["single", "none"], given)).toMatchObject({ variant: "single" });
  });

  test("are conditions by what they yield, and nothing where nobody gets one", () => {
    const of = (fractional: unknown[]) => ({ if: [{ fractional }, "big", "small"] });
    const given = { targetingKey: "some-targeting-key" };
    const variantOf = (rule: Rule) => evaluate("flag", rule, ["big", "small", "none"], given).variant;
    expect(
      variantOf(
        of([
          [false, 0],
          [true, 100],
        ]),
      ),
    ).toBe("big");
    expect(
      variantOf(
        of([
          [false, 100],
          [true, 0],
        ]),
      ),
    ).toBe("small");
    expect(variantOf({ fractional: [{ var: "targetingKey" }, ["big", 0], ["small", 0]] })).toBe("none");
    expect(variantOf({ fractional: [{ var: "targetingKey" }, ["big", -50], ["small", 100]] })).toBe("small");
    expect(variantOf({ fractional: [{ var: "nothing" }, ["big", 50], ["small", 50]] })).toBe("none");
  });

  // Hashes that another implementation worked out.
  test.each([
    ["", 0],
    ["a", 1009084850],
    ["abc", 3017643002],
    ["abcd", 1139631978],
    ["Jürgen", 3994662087],
    ["名前", 3006557198],
    ["😀", 3199479546],
    ["é", 269551495],
  ])("hash the UTF-8 of %j to %d", (text, hash) => {
    expect(hashOf(text)).toBe(hash);
  });

  test("hash half a surrogate pair as U+FFFD, and every text as Bun does", () => {
    expect(hashOf("\ud83d")).toBe(hashOf("\ufffd"));
    expect(hashOf("a\ude00b")).toBe(hashOf("a\ufffdb"));
    for (let length = 0; length < 40; length += 1)
      for (const sign of ["x", "é", "名", "😀"]) {
        const text = `key-${sign.repeat(length)}`;
        expect([text, hashOf(text)]).toEqual([text, Bun.hash.murmur32v3(text)]);
      }
  });
});
