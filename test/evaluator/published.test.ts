import { describe, expect, test } from "bun:test";
import { compile } from "../../src/evaluator/evaluator.ts";
import { type Rule, evaluate } from "./published.ts";

/** Results that flagd publishes for its evaluators (https://github.com/open-feature/flagd-testbed, evaluator). */

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

  test.each<[version: unknown, comparison: string, wanted: string, holds: boolean]>([
    ["V1.0.0", "=", "v1.0.0", true],
    ["1.0", "^", "1", true],
    ["1", "^", "1", true],
    [1, "^", "1", true],
    [1.2, "^", "1", true],
    ["2.0.0", "^", "1", false],
    [1.2, ">", "1.1", true],
    [1.1, ">", "1.1", false],
    [2, ">", "1.1", true],
    [1, ">", "1.1", false],
  ])("%p %s %s is %p", (version, comparison, wanted, holds) => {
    const rule = { if: [{ sem_ver: [{ var: "version" }, comparison, wanted] }, "yes", "no"] };
    expect(evaluate("flag", rule, ["yes", "no"], { version }).variant).toBe(holds ? "yes" : "no");
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

  test.each<[why: string, rule: Rule]>([
    ["the beginning of a number", { starts_with: [{ var: "num" }, "abc"] }],
    ["the end of a number", { ends_with: [{ var: "num" }, "xyz"] }],
    ["one text of two", { starts_with: ["abc"] }],
    ["one text of two, at the end", { ends_with: ["xyz"] }],
    ["no version", { sem_ver: [{ var: "text" }, "=", "1.0.0"] }],
    ["no comparison of versions", { sem_ver: [{ var: "version" }, "===", "1.0.0"] }],
    ["one version of two", { sem_ver: [{ var: "version" }, "="] }],
    ["no key to deal out by", { fractional: [{ var: "missing" }, ["true", 50], ["false", 50]] }],
    ["shares of nothing", { fractional: [{ var: "text" }, ["true", 0], ["false", 0]] }],
  ])("has its default for %s, and not what a condition that fails would yield", (_, rule) => {
    const context = { num: 123, version: "1.0.0", text: "not-a-version" };
    expect(evaluate("flag", rule, ["true", "false", "fallback"], context)).toMatchObject({
      reason: "DEFAULT",
      variant: "fallback",
    });
  });

  test.each<[why: string, targeting: Rule | undefined, result: object]>([
    ["no rule", {}, { reason: "STATIC", variant: "2" }],
    ["a rule without a result", { if: [true, null] }, { reason: "DEFAULT", variant: "2" }],
    ["a number that names a variant", { if: [true, 1] }, { reason: "TARGETING_MATCH", variant: "1" }],
    ["a variant that it does not have", { if: [true, "3"] }, { errorCode: "GENERAL" }],
  ])("with %s", (_, targeting, result) => {
    expect(evaluate("flag", targeting, ["1", "2"])).toMatchObject(result);
  });

  test("reads the targeting key, and the time of the evaluation", () => {
    const hit = { if: [{ "==": [{ var: "targetingKey" }, "5c3d8535"] }, "hit", null] };
    const of = (targetingKey: string) => evaluate("flag", hit, ["hit", "miss"], { targetingKey });
    expect(of("5c3d8535")).toMatchObject({ reason: "TARGETING_MATCH", variant: "hit" });
    expect(of("f20bd32d")).toMatchObject({ reason: "DEFAULT", variant: "miss" });
    const later = { if: [{ ">": [{ var: "$flagd.timestamp" }, { var: "time" }] }, "past", "future"] };
    const at = (time: number) => evaluate("flag", later, ["past", "future"], { time }).variant;
    expect([at(1), at(4_133_980_802)]).toEqual(["past", "future"]);
  });

  test("that is disabled has no value of its own, whatever the type of its variants", () => {
    for (const value of [true, "hi", 10, 0.5, { a: 1 }]) {
      const flag = { state: "DISABLED" as const, variants: { it: value }, defaultVariant: "it" };
      const result = compile({ flags: { flag } }).evaluate("flag");
      expect(result).toEqual({ reason: "DISABLED", metadata: {} });
    }
  });

  test("keeps the values of its variants as they are, also those that are false", () => {
    const values = [true, "hi", { a: [1] }, false, "", 0, {}, 2 ** 31 - 1, 2 ** 53 - 1, 10.5];
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
