import { describe, expect, test } from "bun:test";
import { findFault } from "../../../src/flags/flagd/check.ts";
import { type Context, compileFlag, subjectOf } from "../../../src/flags/flagd/evaluate.ts";

/** A value of each type that JSON has, and those that JavaScript converts in a way of their own. */
const VALUES: [name: string, context: { value?: unknown }][] = [
  ["missing", {}],
  ["null", { value: null }],
  ["true", { value: true }],
  ["0", { value: 0 }],
  ["5", { value: 5 }],
  ['"5"', { value: "5" }],
  ['"a"', { value: "a" }],
  ["[]", { value: [] }],
  ['["a"]', { value: ["a"] }],
  ["{}", { value: {} }],
  ['{"toString":1}', { value: { toString: 1 } }],
];

/**
 * What json-logic-js 2.0.5 yields, `y` for true, with VALUES on the left down and on the right across. An error of it, which
 * only the last value causes, counts as false.
 */
const RESULTS: Record<string, string[]> = {
  "==": [
    "yy.........", // missing
    "yy.........", // null
    "..y........", // true
    "...y...y...", // 0
    "....yy.....", // 5
    "....yy.....", // "5"
    "......y.y..", // "a"
    "...y.......", // []
    "......y....", // ["a"]
    "...........", // {}
    "...........", // {"toString":1}
  ],
  "===": [
    "yy.........", // missing
    "yy.........", // null
    "..y........", // true
    "...y.......", // 0
    "....y......", // 5
    ".....y.....", // "5"
    "......y....", // "a"
    "...........", // []
    "...........", // ["a"]
    "...........", // {}
    "...........", // {"toString":1}
  ],
  "<": [
    "..y.yy.....", // missing
    "..y.yy.....", // null
    "....yy.....", // true
    "..y.yy.....", // 0
    "...........", // 5
    "......y.yy.", // "5"
    "...........", // "a"
    "..y.yyy.yy.", // []
    "...........", // ["a"]
    "......y.y..", // {}
    "...........", // {"toString":1}
  ],
  "<=": [
    "yyyyyy.y...", // missing
    "yyyyyy.y...", // null
    "..y.yy.....", // true
    "yyyyyy.y...", // 0
    "....yy.....", // 5
    "....yyy.yy.", // "5"
    "......y.y..", // "a"
    "yyyyyyyyyy.", // []
    "......y.y..", // ["a"]
    "......y.yy.", // {}
    "...........", // {"toString":1}
  ],
  in: [
    "...........", // missing
    "...........", // null
    "...........", // true
    "...........", // 0
    ".....y.....", // 5
    ".....y.....", // "5"
    "......y.y..", // "a"
    ".....yy....", // []
    "......y....", // ["a"]
    "...........", // {}
    "...........", // {"toString":1}
  ],
};

const variants = { first: "first", second: "second", neither: "neither" };

/** Which of two conditions decides, where the second always holds. */
function decide(condition: unknown, context: Context): unknown {
  const targeting = { if: [condition, "first", { "==": [1, 1] }, "second", "neither"] };
  const evaluation = compileFlag("flag", { variants, targeting }, new Map())(subjectOf(context));
  return "value" in evaluation ? evaluation.value : evaluation;
}

/** Every pair of values, as the attributes `a` and `b`. */
const PAIRS = VALUES.flatMap(([left, a], row) =>
  VALUES.map(([right, b], column) => {
    const context: Context = {};
    if ("value" in a) context["a"] = a.value;
    if ("value" in b) context["b"] = structuredClone(b.value);
    return { name: `${left}, ${right}`, context, constant: b.value ?? null, row, column };
  }),
);

const A = { var: "a" };
const B = { var: "b" };

describe("a comparison of values of any type is that of json-logic-js", () => {
  const holds = (name: string, row: number, column: number) => {
    const table = RESULTS[name];
    if (table) return table[row]![column] === "y";
    if (name === "!=") return RESULTS["=="]![row]![column] !== "y";
    if (name === "!==") return RESULTS["==="]![row]![column] !== "y";
    return RESULTS[name === ">" ? "<" : "<="]![column]![row] === "y";
  };
  test.each(["==", "!=", "===", "!==", "<", "<=", ">", ">=", "in"])(
    "%s, and the next condition decides where it is false",
    (name) => {
      const found = (rule: (constant: unknown) => unknown) =>
        PAIRS.map(({ name, context, constant }) => `${name}: ${String(decide(rule(constant), context))}`);
      const expected = PAIRS.map(
        ({ name: pair, row, column }) => `${pair}: ${holds(name, row, column) ? "first" : "second"}`,
      );
      expect(found(() => ({ [name]: [A, B] }))).toEqual(expected);
      const negated = expected.map((line) =>
        line.replace(/\w+$/, (it) => (it === "first" ? "second" : "first")),
      );
      expect(found(() => ({ "!": [{ [name]: [A, B] }] }))).toEqual(negated);
    },
  );

  test("a comparison with a constant is that with an attribute of the same value", () => {
    for (const name of ["==", "!=", "===", "!==", "<", "<=", ">", ">=", "in"])
      for (const { context, constant, column } of PAIRS) {
        // An object of a rule is an operation.
        if (column > 8) continue;
        expect(decide({ [name]: [A, constant] }, context)).toBe(
          decide({ [name]: [A, B] }, context) as string,
        );
      }
  });

  test("between, with a value of another type in any of its places", () => {
    for (const [name, other] of VALUES.slice(6)) {
      const c = other.value;
      expect([name, decide({ "<": [1, { var: "a" }, 9] }, { a: c })]).toEqual([name, "second"]);
      expect([name, decide({ "<": [{ var: "a" }, 5, 9] }, { a: c })]).toEqual([
        name,
        Array.isArray(c) && c.length === 0 ? "first" : "second",
      ]);
      expect([name, decide({ "<=": [1, 5, { var: "a" }] }, { a: c })]).toEqual([name, "second"]);
    }
    expect(decide({ "<": [1, A, 9] }, { a: 5 })).toBe("first");
    expect(decide({ "<": [1, A, 9] }, { a: 9 })).toBe("second");
  });
});

const NETWORK = "10.0.0.0/8";
const TIME = "2026-01-01T00:00:00Z";
const YES = { "==": [1, 1] };

/** Conditions of every operation, with an attribute in each place where a rule may have one. */
const CONDITIONS: unknown[] = [
  ...[
    "==",
    "!=",
    "===",
    "!==",
    "<",
    "<=",
    ">",
    ">=",
    "in",
    "starts_with",
    "ends_with",
    "before",
    "after",
  ].map((name) => ({ [name]: [A, B] })),
  { before: [A, TIME] },
  { matches: [A, "a"] },
  { in_cidr: [A, NETWORK] },
  ...["=", "!=", "<", "^", "~"].map((operator) => ({ sem_ver: [A, operator, B] })),
  { sem_ver: [A, ">=", "1.0.0"] },
  { "==": [{ fractional: [A, ["x", 1], ["y", 1]] }, "x"] },
  { "==": [{ fractional: [{ cat: [A, B] }, ["x", 1], ["y", 1]] }, "x"] },
  {
    "==": [
      {
        fractional: [
          ["x", A],
          ["y", B],
        ],
      },
      "x",
    ],
  },
  {
    "==": [
      {
        fractional: [
          [A, 1],
          [B, 1],
        ],
      },
      "x",
    ],
  },
  ...["+", "-", "*", "/", "%", "min", "max"].flatMap((name) => [
    { ">": [{ [name]: [A, B] }, 3] },
    { "<=": [{ [name]: [A, 2] }, B] },
  ]),
  ...["+", "-", "min", "max", "cat", "merge", "!", "!!"].map((name) => ({ "==": [{ [name]: [A] }, B] })),
  ...["some", "all", "none", "filter", "map"].flatMap((name) => [
    { "==": [{ [name]: [A, true] }, B] },
    { [name]: [A, { "==": [{ var: "" }, "a"] }] },
    { [name]: [A, { starts_with: [{ var: "" }, "a"] }] },
    { [name]: [A, { sem_ver: [{ var: "" }, ">", "1.0.0"] }] },
  ]),
  { ">": [{ reduce: [A, { "+": [{ var: "current" }, { var: "accumulator" }] }, B] }, 3] },
  { ">": [{ reduce: [A, { max: [{ var: "current" }, { var: "accumulator" }] }, B] }, 3] },
  { "==": [{ cat: [A, B] }, "aa"] },
  { "==": [{ merge: [A, B] }, "a"] },
  { "==": [{ substr: [A, B] }, "a"] },
  { "==": [{ substr: ["hello", A, B] }, "ell"] },
  { "==": [{ var: A }, B] },
  { "==": [{ var: [A, "no"] }, "no"] },
  { var: "a.b.c" },
  { missing: ["a", "b"] },
  { missing_some: [1, ["a", "b"]] },
  { and: [A, B] },
  { or: [A, B] },
  { if: [A, YES, B] },
  A,
];

describe("a value of any type", () => {
  test.each(CONDITIONS.map((each) => [JSON.stringify(each), each]))(
    "never ends the rule at %s: this condition decides, or the next one",
    (_, condition) => {
      const targeting = { if: [condition, "first", YES, "second", "neither"] };
      expect(findFault({ variants, targeting }, new Map())).toBeUndefined();
      for (const { name, context } of PAIRS) {
        const found = decide(condition, { targetingKey: "ann", ...context });
        expect([name, ["first", "second"].includes(found as string) ? "" : found]).toEqual([name, ""]);
      }
    },
  );

  test("may have an attribute called `constructor`, which no operation reads", () => {
    for (const constructor of [null, 1, { name: "Object" }]) {
      expect(decide(A, { a: { constructor } })).toBe("first");
      expect(decide({ and: [A, YES] }, { a: { constructor }, constructor })).toBe("first");
    }
    expect(decide(A, { a: {} })).toBe("second");
  });

  test.each<[condition: unknown, context: Context, expected: boolean]>([
    [{ "==": [{ substr: [A, 0, 1] }, "5"] }, { a: 55 }, true],
    [{ "==": [{ substr: [A, 1, -1] }, "4"] }, { a: 345 }, true],
    [{ "==": [{ cat: [A] }, ""] }, {}, true],
    [{ "==": [{ cat: ["v", A] }, "v5"] }, { a: 5 }, true],
    [{ "<=": [{ "*": [A, 2] }, 10] }, { a: "unknown" }, false],
    [{ ">": [{ "*": [A, 2] }, 10] }, { a: "unknown" }, false],
    [{ "!=": [{ "+": [A, 1] }, 10] }, { a: "unknown" }, true],
    [{ "==": [{ "+": [A, 1] }, 6] }, { a: "5" }, true],
    [{ "==": [{ "-": [A] }, -5] }, { a: "5" }, true],
    [{ ">": [{ "/": [10, A] }, 5] }, { a: 0 }, true],
    [{ "==": [{ max: [A, 1] }, 5] }, { a: "5" }, true],
    [{ some: [A, YES] }, { a: "text" }, false],
    [{ all: [A, YES] }, { a: "text" }, false],
    [{ none: [A, YES] }, { a: "text" }, true],
    [{ "==": [{ reduce: [A, { var: "current" }, "none"] }, "none"] }, { a: { length: 5 } }, true],
    [{ some: [A, { ends_with: [{ var: "" }, "@example.com"] }] }, { a: [5, "x@example.com"] }, true],
    [{ starts_with: [A, "5"] }, { a: 55 }, false],
    [{ sem_ver: [A, "=", "1.2.3"] }, { a: ["1.2.3"] }, false],
    [{ sem_ver: [A, "!=", "1.2.3"] }, { a: "unknown" }, false],
    [{ sem_ver: [A, "=", "2"] }, { a: 2 }, true],
  ])("%j with %j", (condition, context, expected) => {
    expect(decide(condition, context)).toBe(expected ? "first" : "second");
  });

  test("is no bucket of a share that is dealt out by it", () => {
    const share = { fractional: [A, ["first", 1], ["second", 1]] };
    const targeting = { if: [{ var: "share" }, share, "neither"] };
    const run = compileFlag("flag", { variants, defaultVariant: "neither", targeting }, new Map());
    for (const a of [["first", 1_000_000], ["no variant", 1_000_000], ["first"], 5, null, {}])
      expect([a, run(subjectOf({ targetingKey: "ann", share: true, a }))]).toMatchObject([
        a,
        { reason: "DEFAULT", variant: "neither" },
      ]);
  });

  test("does not make long loops of an object with a length", () => {
    expect(decide({ some: [A, { "==": [1, 2] }] }, { a: { length: 1e15 } })).toBe("second");
  });

  test("counts where it is compared with constants, or they with each other", () => {
    const list = Array.from({ length: 1000 }, (_, at) => at);
    const all = () => ({ or: Array.from({ length: 1000 }, () => ({ "==": [1, 2] })) });
    const excess = { errorDetails: expect.stringContaining("operations") };
    expect(decide({ some: [A, all()] }, { a: list })).toMatchObject(excess);
    expect(decide({ some: [A, { if: [all(), true, false] }] }, { a: list })).toMatchObject(excess);
    // What is read counts once.
    const few = { or: Array.from({ length: 18 }, () => ({ "==": [{ var: "" }, -1] })) };
    expect(decide({ some: [A, few] }, { a: list })).toBe("second");
  });

  test("costs what its text costs where it is compared as one", () => {
    const long = Array.from({ length: 900 }, () => "x".repeat(60));
    const often = { or: Array.from({ length: 2000 }, () => ({ "==": [A, "x"] })) };
    expect(decide(often, { a: long })).toMatchObject({ errorDetails: expect.stringContaining("operations") });
    expect(decide({ "==": [A, "x"] }, { a: long })).toBe("second");
  });
});

test("a rule that is broken stays an error", () => {
  expect(decide({ unknown: [1] }, {})).toMatchObject({ errorCode: "PARSE_ERROR" });
  expect(decide({ "==": [{ unknown: [1] }, 1] }, {})).toMatchObject({ errorCode: "PARSE_ERROR" });
});

test("the next condition and the share decide where an attribute has another type", () => {
  const targeting = {
    if: [
      { ">=": [{ var: "age" }, 18] },
      "on",
      { ends_with: [{ var: "email" }, "@example.com"] },
      "on",
      { in: ["admin", { var: "groups" }] },
      "on",
      {
        fractional: [
          ["on", 100],
          ["off", 0],
        ],
      },
    ],
  };
  const rules = { variants: { on: true, off: false }, defaultVariant: "off", targeting };
  const run = compileFlag("flag", rules, new Map());
  const on = { reason: "TARGETING_MATCH", value: true, variant: "on" };
  expect(run(subjectOf({ age: "unknown", email: "x@example.com" }))).toEqual(on as never);
  expect(run(subjectOf({ targetingKey: "ann", age: "unknown", groups: 5 }))).toEqual(on as never);
});
