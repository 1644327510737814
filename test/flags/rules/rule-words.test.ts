import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { AppError } from "../../../src/base/errors.ts";
import { ruleOfCondition } from "../../../src/flags/rules/condition-parser.ts";
import { conditionInWords } from "../../../src/flags/rules/condition-words.ts";
import { OPERATORS, OPERATOR_WORDS, ruleOfComparison } from "../../../src/flags/rules/conditions.ts";
import { ruleSentence, segmentSentence } from "../../../src/flags/rules/rule-words.ts";

const word = fc.constantFrom(
  "pro",
  "and",
  "not",
  "5",
  '"5"',
  "true",
  "in",
  "AT, DE",
  '[AT, "New York"]',
  "'a or b'",
  ">= 2.1.0",
  "a (b)",
  "lost in space",
  "x == y",
);
const attribute = fc.constantFrom("email", "user.plan", "segment", "not", "or", "$flagd.timestamp");
const operator = fc.constantFrom(...OPERATORS, ...Object.values(OPERATOR_WORDS), "=", "not in", "like");
const comparison = fc.tuple(attribute, operator, fc.oneof(word, fc.string())).map((parts) => parts.join(" "));
const segment = fc.constantFrom("segment staff", "in segment 'my staff'");

const { condition } = fc.letrec<{ condition: string }>((tie) => ({
  condition: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    comparison,
    segment,
    fc
      .tuple(tie("condition"), fc.constantFrom("and", "or", "&&", "||"), tie("condition"))
      .map((parts) => parts.join(" ")),
    tie("condition").map((inner) => `(${inner})`),
    tie("condition").map((inner) => `not ${inner}`),
  ),
}));

describe("a condition in words", () => {
  test("makes a rule whose words make the same rule again", () => {
    let read = 0;
    fc.assert(
      fc.property(condition, (text) => {
        let rule: unknown;
        try {
          rule = ruleOfCondition(text);
        } catch (error) {
          expect(error).toBeInstanceOf(AppError);
          return;
        }
        const words = conditionInWords(rule);
        // A text with quotes of both kinds, and an attribute that is a word of the language, have no words.
        if (words === null) return;
        read += 1;
        expect(ruleOfCondition(words)).toEqual(rule as Record<string, unknown>);
        expect(conditionInWords(ruleOfCondition(words))).toBe(words);
      }),
      { numRuns: 2000 },
    );
    expect(read).toBeGreaterThan(200);
  });

  test("has words for every comparison of a plain value", () => {
    for (const operator of OPERATORS) {
      const value = { sem_ver: ">= 2.1.0", in_cidr: "10.0.0.0/8" }[operator] ?? "5";
      const rule = ruleOfComparison({ attribute: "a", operator, value });
      expect(conditionInWords(rule)).toBe(`a ${OPERATOR_WORDS[operator]} ${value}`);
    }
  });
});

const FLAG = { variants: { on: true, off: false }, defaultVariant: "off" };
const TEN: unknown = {
  fractional: [
    ["on", 25],
    ["off", 75],
  ],
};

describe("a rule in words", () => {
  test.each<[sentence: string, rules: object]>([
    ["", {}],
    ["everyone off", FLAG],
    ["everyone no value", { ...FLAG, defaultVariant: null, targeting: {} }],
    ["25 % of users on; everyone else off", { ...FLAG, targeting: TEN }],
    [
      "25 % of users on; 75 % of users off; without a targetingKey on",
      { ...FLAG, defaultVariant: "on", targeting: TEN },
    ],
    ["segment staff: on; everyone else off", { ...FLAG, targeting: { if: [{ $ref: "staff" }, "on"] } }],
    [
      "segment staff: on; plan is pro and country is one of AT, DE: off; 25 % of users on; everyone else off",
      {
        ...FLAG,
        targeting: {
          if: [{ $ref: "staff" }, "on", ruleOfCondition("plan == pro and country in AT, DE"), "off", TEN],
        },
      },
    ],
    [
      "plan is pro: 25 % on, 75 % off; everyone else on",
      { ...FLAG, targeting: { if: [ruleOfCondition("plan == pro"), TEN, "on"] } },
    ],
    [
      "33.3333 % of users a; 33.3333 % of users b; everyone else c",
      { variants: {}, defaultVariant: "c", targeting: { fractional: [["a"], ["b"], ["c"]] } },
    ],
    [
      "plan is gold: on; everyone else off",
      { ...FLAG, targeting: { if: [{ "==": [{ var: "plan" }, "gold"] }, "on"] } },
    ],
    ["a rule of its own", { ...FLAG, targeting: { if: [{ "==": [{ var: "age" }, 18] }, "on"] } }],
    ["a rule of its own", { ...FLAG, targeting: { "==": [1, 1] } }],
    ["a rule of its own", { ...FLAG, targeting: { if: [ruleOfCondition("a == b")] } }],
    ["a rule of its own", { ...FLAG, targeting: { fractional: [{ var: "a" }, ["on", 1]] } }],
    ["a rule of its own", { ...FLAG, targeting: { if: [{ "<": [1, { var: "a" }] }, "on"] } }],
    ["a rule of its own", { ...FLAG, targeting: { if: [{ $ref: "staff" }, { var: "a" }] } }],
    [
      "a rule of its own",
      { ...FLAG, targeting: { if: Array.from({ length: 2000 }, () => [{ $ref: "staff" }, "on"]).flat() } },
    ],
  ])("%s", (sentence, rules) => {
    expect(ruleSentence(rules)).toBe(sentence);
  });

  test("describes who belongs to a segment", () => {
    expect(segmentSentence(true)).toBe("everyone");
    expect(segmentSentence(ruleOfCondition("email ends_with @example.com or segment beta"))).toBe(
      "email ends with @example.com or segment beta",
    );
    expect(segmentSentence({ "==": [1, 1] })).toBe("a rule of its own");
  });
});
