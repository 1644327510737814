import { describe, expect, test } from "bun:test";
import { type Evaluation, compile } from "../../src/evaluator/evaluator.ts";
import { hashOf } from "../../src/evaluator/hash.ts";

/** Results that flagd publishes for its evaluators (https://github.com/open-feature/flagd-testbed, evaluator), and its buckets. */

type Rule = Record<string, unknown>;

function evaluate(
  key: string,
  targeting: Rule | undefined,
  variants: string[],
  context: Rule = {},
): Evaluation {
  const values = Object.fromEntries(variants.map((name) => [name, name]));
  const flag = { state: "ENABLED" as const, variants: values, defaultVariant: variants.at(-1)! };
  return compile({ flags: { [key]: targeting ? { ...flag, targeting } : flag } }).evaluate(key, context);
}

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

describe("versions", () => {
  const between = (wanted: string) => ({
    if: [
      { sem_ver: [{ var: "version" }, "=", wanted] },
      "equal",
      { sem_ver: [{ var: "version" }, ">", wanted] },
      "greater",
      { sem_ver: [{ var: "version" }, "<", wanted] },
      "lesser",
    ],
  });
  test.each([
    ["2.0.0", "2.0.0", "equal"],
    ["2.1.0", "2.0.0", "greater"],
    ["1.9.0", "2.0.0", "lesser"],
    ["2.0.0-alpha", "2.0.0", "lesser"],
    ["2.0.0.0", "2.0.0", "none"],
    ["not-a-version", "1.0.0", "none"],
    ["v1.0.0", "1.0.0", "equal"],
    ["1.0.0", "v1.0.0", "equal"],
    ["1", "1.0.0", "equal"],
    ["1.2", "1.2.0", "equal"],
    ["1.0.0+other", "1.0.0+build", "equal"],
    ["1.0.0-alpha.1", "1.0.0-alpha.beta", "lesser"],
    ["1.0.0-alpha.10", "1.0.0-alpha.9", "greater"],
    ["1.0.0-alpha", "1.0.0-alpha.1", "lesser"],
    ["01.0.0", "1.0.0", "none"],
    ["1.0.0-01", "1.0.0", "none"],
  ])("%s to %s is %s", (version, wanted, order) => {
    expect(
      evaluate("flag", between(wanted), ["equal", "greater", "lesser", "none"], { version }),
    ).toMatchObject({
      variant: order,
    });
  });

  test.each([
    ["3.0.1", "minor"],
    ["3.1.0", "major"],
    ["4.0.0", "none"],
  ])("%s is of version 3.0.0: %s", (version, part) => {
    const rule = {
      if: [
        { sem_ver: [{ var: "version" }, "~", "3.0.0"] },
        "minor",
        { sem_ver: [{ var: "version" }, "^", "3.0.0"] },
        "major",
      ],
    };
    expect(evaluate("flag", rule, ["minor", "major", "none"], { version })).toMatchObject({ variant: part });
  });
});

describe("a flag", () => {
  test.each([
    ["abcdef", "prefix"],
    ["uvwxyz", "postfix"],
    ["abcxyz", "prefix"],
    ["lmnopq", "none"],
  ])("for texts that begin or end so: %s is %s", (id, variant) => {
    const rule = {
      if: [
        { starts_with: [{ var: "id" }, "abc"] },
        "prefix",
        { if: [{ ends_with: [{ var: "id" }, "xyz"] }, "postfix", "none"] },
      ],
    };
    expect(evaluate("flag", rule, ["prefix", "postfix", "none"], { id })).toMatchObject({ variant });
  });

  test("keeps the values of its variants as they are, also those that are false", () => {
    const values = [false, "", 0, {}, 2 ** 31 - 1, 2 ** 53 - 1, 10.5];
    for (const value of values) {
      const flag = { state: "ENABLED" as const, variants: { it: value }, defaultVariant: "it" };
      const { evaluate } = compile({
        flags: { plain: flag, ruled: { ...flag, targeting: { if: [true, "it"] } } },
      });
      expect(evaluate("plain").value).toBe(value);
      expect(evaluate("plain").reason).toBe("STATIC");
      expect(evaluate("ruled")).toMatchObject({ reason: "TARGETING_MATCH", value });
    }
  });

  test("without a default has no value, unless its rule yields one", () => {
    const variants = { normal: "CFO", special: "CEO" };
    const condition = { "==": ["jobs@orange.com", { var: ["email"] }] };
    for (const rest of [[null], []])
      for (const defaultVariant of [null, undefined]) {
        const flag = {
          state: "ENABLED" as const,
          variants,
          defaultVariant,
          targeting: { if: [condition, "special", ...rest] },
        };
        const { evaluate } = compile({ flags: { flag } });
        expect(evaluate("flag", { email: "jobs@orange.com" })).toMatchObject({
          reason: "TARGETING_MATCH",
          value: "CEO",
        });
        expect(evaluate("flag", { email: "wozniak@orange.com" })).toEqual({
          reason: "DEFAULT",
          metadata: {},
        });
      }
  });

  test("refers to segments, which may refer to others behind them; to none that does not exist", () => {
    const flag = (name: string) => ({
      state: "ENABLED" as const,
      variants: { yes: "yes", no: "no" },
      defaultVariant: "no",
      targeting: { if: [{ $ref: name }, "yes"] },
    });
    const { evaluate } = compile({
      flags: { direct: flag("isBoss"), negated: flag("isOther"), gone: flag("gone"), circle: flag("circle") },
      $evaluators: {
        isOther: { "!": [{ $ref: "isBoss" }] },
        isBoss: { "==": ["boss@example.com", { var: ["email"] }] },
        circle: { "!": [{ $ref: "circle" }] },
      },
    });
    const boss = { email: "boss@example.com" };
    expect([evaluate("direct", boss).value, evaluate("negated", boss).value]).toEqual(["yes", "no"]);
    expect([evaluate("direct", {}).value, evaluate("negated", {}).value]).toEqual(["no", "yes"]);
    for (const key of ["gone", "circle"])
      expect(evaluate(key, boss)).toMatchObject({ errorCode: "PARSE_ERROR" });
  });

  test.each<[why: string, rule: Rule]>([
    ["an operation that is none", { if: [{ unknown: [] }, "yes"] }],
    ["a name that every object has", { toString: [] }],
    ["two operations in one", { "==": [1, 1], "!=": [1, 2] }],
    ["one in a branch that is not taken", { if: [false, { unknown: [] }, "yes"] }],
  ])("with %s cannot be used", (_, rule) => {
    expect(evaluate("flag", rule, ["yes"])).toMatchObject({ reason: "ERROR", errorCode: "PARSE_ERROR" });
  });
});
