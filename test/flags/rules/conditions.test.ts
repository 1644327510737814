import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { AppError } from "../../../src/base/errors.ts";
import {
  type Comparison,
  comparisonOf,
  OPERATORS,
  parseComparison,
  printComparison,
  ruleOfComparison,
} from "../../../src/flags/rules/conditions.ts";
import { ruleOfCondition } from "../../../src/flags/rules/condition-parser.ts";
import { conditionInWords } from "../../../src/flags/rules/condition-words.ts";
import { findFault } from "../../../src/flags/flagd/check.ts";
import { type Context, compileFlag, subjectOf } from "../../../src/flags/flagd/evaluate.ts";

/** Whether a condition lets a context in. */
function holds(condition: string, context: Context): boolean {
  const rules = {
    variants: { yes: true, no: false },
    defaultVariant: "no",
    targeting: { if: [ruleOfCondition(condition), "yes"] },
  };
  expect(findFault(rules, new Map())).toBeUndefined();
  const result = compileFlag("flag", rules, new Map())(subjectOf(context));
  expect(result).toHaveProperty("variant");
  return "variant" in result && result.variant === "yes";
}

describe("a condition", () => {
  test.each<[condition: string, inside: Context[], outside: Context[]]>([
    ["email ends_with @example.com", [{ email: "ann@example.com" }], [{ email: "ann@example.org" }, {}]],
    ["id starts_with 12", [{ id: "123" }], [{ id: "312" }, { id: 123 }]],
    ["name contains 'a b'", [{ name: "xa by" }, { name: ["a b"] }], [{ name: "ab" }, {}]],
    ["user.plan == gold", [{ user: { plan: "gold" } }], [{ user: { plan: "silver" } }, {}]],
    ["plan != gold", [{ plan: "silver" }, {}], [{ plan: "gold" }]],
    ["text == a longer text", [{ text: "a longer text" }], [{ text: "a" }]],
    ["age >= 18", [{ age: 18 }], [{ age: 17 }, {}]],
    ["age < 18", [{ age: -1 }], [{ age: 18 }, {}, { age: null }]],
    ["age <= 1.5", [{ age: 1.5 }], [{ age: 1.6 }]],
    ["debt > -5", [{ debt: -4 }], [{ debt: -5 }, {}]],
    ["level == 5", [{ level: 5 }], [{ level: "5" }, { level: "five" }]],
    ['level == "5"', [{ level: "5" }], [{ level: 5 }]],
    ["beta == true", [{ beta: true }], [{ beta: "true" }, { beta: false }]],
    ["beta != 'true'", [{ beta: true }], [{ beta: "true" }]],
    ["zip == 010", [{ zip: "010" }], [{ zip: 10 }]],
    ["country in AT, DE,CH", [{ country: "AT" }, { country: "CH" }], [{ country: "A" }, {}]],
    ["code in 1, '2', \"a,b\"", [{ code: 1 }, { code: "2" }, { code: "a,b" }], [{ code: "1" }, { code: 2 }]],
    ["version sem_ver >= 2.1.0", [{ version: "2.10.0" }], [{ version: "2.0.9" }, {}]],
    ["version sem_ver == 2.1.0", [{ version: "2.1.0" }], [{ version: "2.1.1" }]],
    ["version sem_ver ^2.1.0", [{ version: "2.9.0" }], [{ version: "3.0.0" }]],
    ["$flagd.timestamp > 1000", [{}], []],
    ["since >= '2026-01-01'", [{ since: "2026-05-01" }], [{ since: "2025-05-01" }, {}]],
    ["country in [AT, 'New York']", [{ country: "AT" }, { country: "New York" }], [{ country: "[AT" }, {}]],
    ["country in ['AT','DE']", [{ country: "DE" }], [{ country: "'DE'" }]],
    [
      "plan == pro and country == AT",
      [{ plan: "pro", country: "AT" }],
      [{ plan: "pro" }, { country: "AT" }, { plan: "pro and country == AT" }],
    ],
    ["age > 17.50 and price <= 9.90", [{ age: 18, price: 9.9 }], [{ age: 17.5, price: 1 }]],
    ["age >= 18 and age < 65", [{ age: 18 }, { age: 64 }], [{ age: 17 }, { age: 65 }, {}]],
    [
      'country in AT, DE AND plan == "this and that" and age > 5',
      [{ country: "DE", plan: "this and that", age: 6 }],
      [{ country: "DE", plan: "this", age: 6 }],
    ],
    ["word == and and state == OR", [{ word: "and", state: "OR" }], [{ word: "and" }]],
    ["plan == pro && country==AT", [{ plan: "pro", country: "AT" }], [{ plan: "pro" }]],
    [
      "plan = pro || plan is team",
      [{ plan: "pro" }, { plan: "team" }],
      [{ plan: "pro || plan is team" }, {}],
    ],
    [
      "plan == pro and country in AT, DE or beta == true",
      [{ plan: "pro", country: "DE" }, { beta: true }],
      [{ plan: "pro" }, { country: "DE" }],
    ],
    [
      "plan == pro and (country in (AT, DE) or beta == true)",
      [
        { plan: "pro", country: "DE" },
        { plan: "pro", beta: true },
      ],
      [{ beta: true }, { plan: "pro" }],
    ],
    ["not (plan == pro or plan == team)", [{ plan: "free" }, {}], [{ plan: "pro" }, { plan: "team" }]],
    ["!(plan == pro) and country not in AT, DE", [{ country: "CH" }], [{ country: "AT" }, { plan: "pro" }]],
    [
      "age is at least 18 and name starts with 'the '",
      [{ age: 18, name: "the x" }],
      [{ age: 18, name: "x" }],
    ],
    ["email matches (?i)@example\\.com$", [{ email: "a@Example.com" }], [{ email: "a@example.comx" }, {}]],
    ["id matches '^a{2,3}$' or id is z", [{ id: "aaa" }, { id: "z" }], [{ id: "a" }, { id: 5 }]],
    ["ip in_cidr 10.0.0.0/8", [{ ip: "10.1.2.3" }, { ip: "::ffff:10.1.2.3" }], [{ ip: "11.1.2.3" }, {}]],
    [
      "not ip in_cidr 10.0.0.0/8, ::1 and a == 1",
      [{ ip: "::2", a: 1 }],
      [{ ip: "::1", a: 1 }, { ip: "::2" }],
    ],
    [
      "at before 2026-01-31T12:00:00Z",
      [{ at: "2026-01-31T12:00:00+01:00" }, { at: 5 }],
      [{}, { at: "2026" }],
    ],
    ["at is after 5 and at before 7", [{ at: 6 }], [{ at: 5 }, { at: 7 }]],
    ["agent contains Mozilla (X11)", [{ agent: "a Mozilla (X11) b" }], [{ agent: "Mozilla" }]],
  ])("%s", (condition, inside, outside) => {
    for (const context of inside) expect([context, holds(condition, context)]).toEqual([context, true]);
    for (const context of outside) expect([context, holds(condition, context)]).toEqual([context, false]);
  });

  test.each([
    "",
    "email",
    "email ==",
    "email like x",
    "version sem_ver 2.1.0",
    "version sem_ver => 2",
    "plan == pro country == AT",
    "plan == pro and",
    "plan == pro and country",
    "and plan == pro",
    "plan == pro, team",
    "plan == [pro]",
    'plan == "pro',
    "plan == “pro”",
    "title == Pride and Prejudice",
    "country in AT DE",
    "country in [AT, DE",
    "country in AT,,DE",
    "country in []",
    "country in ,",
    "age > eighteen",
    "age >= true",
    "age >= 18 years",
    "age > 010",
    "plan == null",
    "plan != undefined",
    "version sem_ver >= 2.x",
    "version sem_ver >= v2.1.0",
    "plan == pro or team",
    "plan == pro or",
    "plan == pro country in AT",
    "plan == pro country is AT",
    "plan == pro email ends with x",
    "title == lost in space",
    "(plan == pro",
    "plan == pro)",
    "()",
    "not",
    "age => 18",
    "segment",
    "a matches (?=b)",
    "a matches",
    "a in_cidr 10.0.0.0/33",
    "a in_cidr 10.0.0.0/8, x",
    "a before yesterday",
    "a after 2026-01-31",
    "segment staff, beta",
    "segment staff segment beta",
    "plan == pro and not",
    "plan = = x",
    "plan == =",
    "plan = < 3 and a == 1",
  ])("that cannot be read is refused: %j", (condition) => {
    expect(() => ruleOfCondition(condition)).toThrow(AppError);
  });

  test.each([
    ["age > eighteen", "at column 7, eighteen is not a number", "age > 18"],
    ["country in AT DE", "at column 12, AT DE is not one value of a list", 'AT, DE, "New York"'],
    ["plan == pro or team", "at column 20, team is not compared with anything", "plan in pro, team"],
    ["email like x", "at column 7, unknown operator like", "contains"],
    ["plan == pro team == x", "at column 18, == is not expected here", "plan == pro and country == AT"],
    ["plan == pro and", "at column 16, a condition is missing", "email ends_with @example.com"],
  ])("that is refused names the column, and shows an example: %j", (condition, message, example) => {
    const refused = () => ruleOfCondition(condition);
    expect(refused).toThrow(message);
    expect(refused).toThrow(expect.objectContaining({ hint: expect.stringContaining(example) }));
  });

  test("is of a limited length and depth", () => {
    expect(() => ruleOfCondition(`plan == ${"x".repeat(8200)}`)).toThrow("at most 8192 characters");
    expect(() => ruleOfCondition(`${"(".repeat(100)}a == b${")".repeat(100)}`)).toThrow("at most 20 others");
    expect(() => ruleOfCondition("not ".repeat(2000))).toThrow("at most 20 others");
  });

  test("names a segment", () => {
    const staff = { $ref: "staff" };
    for (const text of ["segment staff", "in segment staff", "in the segment 'staff'", "(SEGMENT staff)"])
      expect(ruleOfCondition(text)).toEqual(staff);
    expect(ruleOfCondition("not in segment staff")).toEqual({ "!": [staff] });
    expect(ruleOfCondition("segment == staff")).toEqual(ruleOfCondition("segment is staff"));
  });
});

/** What people may write, and what they may not: both sides of every quote, comma and number. */
const value = fc.oneof(
  fc.constantFrom(
    "5",
    '"5"',
    "true",
    "AT, DE",
    '"a,b", \'c"d\', 1',
    ">= 2.1.0",
    "^1",
    "",
    " ",
    "'",
    '"a"b"',
    "-0",
  ),
  fc.string(),
  fc.double({ noNaN: true }).map(String),
);
const comparison: fc.Arbitrary<Comparison> = fc.record({
  attribute: fc.oneof(fc.constantFrom("email", "user.plan", "$flagd.timestamp", "a b", ""), fc.string()),
  operator: fc.constantFrom(...OPERATORS),
  value,
});

describe("a comparison", () => {
  test("is read from the rule that it makes, and makes the same rule again", () => {
    fc.assert(
      fc.property(comparison, (one) => {
        let rule: ReturnType<typeof ruleOfComparison>;
        try {
          rule = ruleOfComparison(one);
        } catch (error) {
          expect(error).toBeInstanceOf(AppError);
          return;
        }
        const read = comparisonOf(rule);
        // A list of nothing, and a text with quotes of both kinds, cannot be written.
        if (read === null) return;
        expect(ruleOfComparison(read)).toEqual(rule);
        expect(parseComparison(printComparison(read))).toMatchObject({ value: read.value });
      }),
    );
  });

  test.each([
    "email ends_with @example.com",
    "plan == gold",
    'level == "5"',
    "level != 5",
    "beta == true",
    "age >= 18",
    'code in 1, "2", "a,b", x',
    "name contains a b",
    'name contains " a b "',
    'name contains say "hi"',
    "id starts_with 12",
    "version sem_ver >= 2.1.0",
  ])("is read as it was written: %s", (text) => {
    const one = parseComparison(text);
    expect(comparisonOf(ruleOfComparison(one))).toEqual(one);
  });

  test.each<[rule: unknown]>([
    [true],
    [{ "===": [{ var: "a" }, 1], "!==": [1, 2] }],
    [{ "==": [{ var: "a" }, 1] }],
    [{ "===": [{ var: ["a", 1] }, 1] }],
    [{ "===": [{ var: "a" }, { toString: 1 }] }],
    [{ in: [{ var: "a" }, [["b"]]] }],
    [{ starts_with: [{ var: "a" }, `"'x'"`] }],
    [{ sem_ver: [{ var: "a" }, { toString: 1 }, "1.0.0"] }],
    [{ and: [{ "!==": [{ var: "b" }, null] }, { ">": [{ var: "a" }, 1] }] }],
    [{ $ref: "staff" }],
    [["if"]],
    ["if"],
  ])("is not guessed from another rule: %j", (rule) => {
    expect(comparisonOf(rule)).toBeNull();
  });
});

const NOW = { var: "$flagd.timestamp" };
const MOMENT = "2020-01-01T00:00:00Z";

test.each<[condition: string, rule: unknown, words: string]>([
  [`now after ${MOMENT}`, { after: [NOW, MOMENT] }, `now is after ${MOMENT}`],
  [`$flagd.timestamp before ${MOMENT}`, { before: [NOW, MOMENT] }, `now is before ${MOMENT}`],
  ["ends after now", { after: [{ var: "ends" }, NOW] }, "ends is after now"],
  ["now == 5", { "===": [{ var: "now" }, 5] }, "now is 5"],
  ["ip not in_cidr ::/0", { "!": [{ in_cidr: [{ var: "ip" }, "::/0"] }] }, "not (ip is in network ::/0)"],
  ["a not contains b", { "!": [{ in: ["b", { var: "a" }] }] }, "not (a contains b)"],
  ["a not matches b", { "!": [{ matches: [{ var: "a" }, "b"] }] }, "not (a matches b)"],
  ["a not starts_with b", { "!": [{ starts_with: [{ var: "a" }, "b"] }] }, "not (a starts with b)"],
  [`a not after ${MOMENT}`, { "!": [{ after: [{ var: "a" }, MOMENT] }] }, `not (a is after ${MOMENT})`],
  ['a matches "/b/i"', { matches: [{ var: "a" }, "/b/i"] }, 'a matches "/b/i"'],
  ['id == "9007199254740993"', { "===": [{ var: "id" }, "9007199254740993"] }, 'id is "9007199254740993"'],
  ["id == 9007199254740992", { "===": [{ var: "id" }, 9007199254740992] }, "id is 9007199254740992"],
])("%s is read, and shown again in words", (condition, rule, words) => {
  expect(ruleOfCondition(condition)).toEqual(rule as never);
  expect(conditionInWords(rule)).toBe(words);
  expect(ruleOfCondition(words)).toEqual(rule as never);
});

test("a text of digits that is no number of JSON stays a text, and so does a number in quotes", () => {
  for (const [written, value] of [
    ["01234", "01234"],
    ['"1.10"', "1.10"],
    ["1.10.2", "1.10.2"],
    ["1.5", 1.5],
    ["-3", -3],
  ] as const)
    expect([written, ruleOfCondition(`zip == ${written}`)]).toEqual([
      written,
      { "===": [{ var: "zip" }, value] },
    ]);
});

test.each<[condition: string, message: string, hint: string]>([
  [
    "id == 9007199254740993",
    "cannot be kept exactly as a number",
    'in quotes, it is compared as a text: "9007199254740993"',
  ],
  ["id in 1, -9007199254740993", "cannot be kept exactly as a number", "in quotes"],
  ["id == 1e400", "cannot be kept exactly as a number", "in quotes"],
  ["version == 1.10", "may be a number or a text", '"1.10"; the number is 1.1'],
  ["id in 5, 1e5", "may be a number or a text", "the number is 100000"],
  ["id == -0", "may be a number or a text", "in quotes"],
  ["email matches /abc/i", "is a pattern between slashes", "write (?i)abc; in quotes"],
  ["path matches /a.b/", "is a pattern between slashes", "write a.b; in quotes"],
])("%s is refused, since it would mean something else", (condition, message, hint) => {
  const error = (() => {
    try {
      return ruleOfCondition(condition);
    } catch (caught) {
      return caught;
    }
  })() as AppError;
  expect(error.message).toContain(message);
  expect(error.hint).toContain(hint);
});
