import * as fc from "fast-check";

/** Random rules and contexts: operands of every type of JSON, in every place, with what languages treat differently. */

const text = fc.constantFrom(
  "",
  "a",
  "b",
  "on",
  "off",
  "ann@example.com",
  "@example.com",
  "5",
  "-0",
  "1e3",
  " 7 ",
  "NaN",
  "true",
  "null",
  "Jürgen",
  "名前",
  "😀",
  "\ud83d",
  "\udc00x",
  "1.2.3",
  "v1.2",
  "2",
  "1.2.3-rc.1",
  "1.2.3-rc.10",
  "1.2.3+7",
  "2026-01-31T12:00:00Z",
  "2026-01-31T12:00:00+01:00",
  "2026-01-31",
  "targetingKey",
  "../a",
  "user.plan",
);
const number = fc.constantFrom(
  0,
  -0,
  1,
  2,
  5,
  -1,
  1.5,
  100,
  2 ** 31,
  2 ** 53,
  2 ** 53 + 2,
  1e21,
  1e-7,
  -1e300,
);
const primitive = fc.oneof(
  { weight: 6, arbitrary: text },
  { weight: 4, arbitrary: number },
  { weight: 3, arbitrary: fc.constantFrom(true, false, null) },
);

/** A value of a context. */
const value: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    { weight: 6, arbitrary: primitive },
    { weight: 1, arbitrary: fc.array(tie("value"), { maxLength: 4 }) },
    {
      weight: 1,
      arbitrary: fc.dictionary(
        fc.constantFrom("plan", "length", "constructor", "toString", "0"),
        tie("value"),
        {
          maxKeys: 2,
          noNullPrototype: true,
        },
      ),
    },
  ),
})).value;

export const contexts = fc.record(
  {
    targetingKey: fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom("ann", "bob", "", "Jürgen", "\ud83d") },
      value,
    ),
    a: value,
    b: value,
    list: fc.oneof(fc.array(value, { maxLength: 5 }), value),
    user: fc.oneof(
      fc.record({ plan: value, list: fc.array(value, { maxLength: 3 }) }, { noNullPrototype: true }),
      value,
    ),
    é: value,
    "": value,
  },
  { requiredKeys: [], noNullPrototype: true },
);

const path = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom("a", "b", "list", "targetingKey") },
  {
    weight: 3,
    arbitrary: fc.constantFrom("user.plan", "user.list", "user.list.0", "list.1", "list.length", "a.plan"),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "",
      "accumulator",
      "current",
      "../",
      "../a",
      "../../a",
      "../index",
      "../../../../a",
      "../0",
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "$flagd.flagKey",
      "$flagd",
      "é",
      "toString",
      "a\\.b",
      "user..plan",
      ".",
      "..",
      "nothing",
      0,
      null,
    ),
  },
);

const UNARY = ["!", "!!", "+", "-", "cat"];
const BINARY = [
  "==",
  "!=",
  "===",
  "!==",
  "<",
  "<=",
  ">",
  ">=",
  "in",
  "+",
  "-",
  "*",
  "/",
  "%",
  "starts_with",
  "ends_with",
  "min",
  "max",
  "cat",
];
const LISTS = [
  "and",
  "or",
  "if",
  "cat",
  "merge",
  "+",
  "*",
  "min",
  "max",
  "missing",
  "<",
  "==",
  "substr",
  "-",
  "/",
  "%",
];
const LOOPS = ["some", "all", "none", "map", "filter"];
const SEMVER = ["=", "!=", "<", "<=", ">", ">=", "^", "~", "~>"];

/** Rules of every operation of flagd. */
export const rules: fc.Arbitrary<Record<string, unknown>> = fc.letrec<{
  part: unknown;
  rule: Record<string, unknown>;
}>((tie) => {
  const part = tie("part");
  const list = (min: number, max: number) => fc.array(part, { minLength: min, maxLength: max, size: "max" });
  const named = (names: string[], args: fc.Arbitrary<unknown>) =>
    fc.tuple(fc.constantFrom(...names), args).map(([name, each]) => ({ [name]: each }));
  const read = fc.oneof(
    { weight: 8, arbitrary: path.map((each) => ({ var: each })) },
    { weight: 1, arbitrary: fc.tuple(path, part).map((each) => ({ var: each })) },
    {
      weight: 1,
      arbitrary: fc
        .oneof(
          path.map((each) => [each]),
          part,
          list(0, 2),
        )
        .map((each) => ({ var: each })),
    },
  );
  const bucket = fc.oneof(
    {
      weight: 5,
      arbitrary: fc.tuple(
        fc.constantFrom("on", "off", "b", null, 1, true),
        fc.constantFrom<unknown>(0, 1, 50, -3, 7.5, 2 ** 20, 2 ** 31 - 1, "5"),
      ),
    },
    { weight: 2, arbitrary: fc.tuple(fc.constantFrom("on", "off")) },
    { weight: 1, arbitrary: list(0, 3) },
    { weight: 1, arbitrary: part },
  );
  return {
    part: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      { weight: 3, arbitrary: primitive },
      { weight: 3, arbitrary: read },
      { weight: 4, arbitrary: tie("rule") },
      { weight: 1, arbitrary: list(0, 3) },
    ) as fc.Arbitrary<unknown>,
    rule: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      { weight: 4, arbitrary: read },
      { weight: 6, arbitrary: named(BINARY, fc.tuple(part, part)) },
      {
        weight: 2,
        arbitrary: named(
          ["==", "!=", "===", "!==", "<", ">=", "in", "starts_with", "ends_with"],
          fc.tuple(read, primitive),
        ),
      },
      {
        weight: 2,
        arbitrary: fc
          .tuple(fc.oneof(read, part), fc.array(primitive, { maxLength: 24 }))
          .map((each) => ({ in: each })),
      },
      { weight: 3, arbitrary: list(1, 5).map((each) => ({ if: each })) },
      { weight: 2, arbitrary: named(["and", "or"], list(0, 4)) },
      { weight: 2, arbitrary: named(LISTS, list(0, 4)) },
      { weight: 2, arbitrary: named([...UNARY, ...LISTS, ...BINARY, "sem_ver", "fractional"], part) },
      { weight: 2, arbitrary: named(UNARY, fc.tuple(part)) },
      { weight: 2, arbitrary: named(LOOPS, fc.tuple(fc.oneof(read, part), part)) },
      // Not null, for which the library refuses the whole rule.
      {
        weight: 1,
        arbitrary: fc
          .tuple(
            fc.oneof(read, part),
            part.map((each) => each ?? true),
            part,
          )
          .map((each) => ({ reduce: each })),
      },
      {
        weight: 1,
        arbitrary: fc
          .tuple(fc.oneof(read, part), fc.constantFrom("+", "max", "cat"), part)
          .map(([of, name, first]) => ({
            reduce: [of, { [name]: [{ var: "current" }, { var: "accumulator" }] }, first],
          })),
      },
      { weight: 1, arbitrary: fc.tuple(number, list(0, 3)).map((each) => ({ missing_some: each })) },
      {
        weight: 2,
        arbitrary: fc
          .tuple(fc.oneof(text, part), fc.constantFrom(...SEMVER), fc.oneof(text, part))
          .map((each) => ({ sem_ver: each })),
      },
      { weight: 2, arbitrary: fc.array(bucket, { maxLength: 4 }).map((each) => ({ fractional: each })) },
      {
        weight: 2,
        arbitrary: fc
          .tuple(fc.oneof(read, part, text), fc.array(bucket, { minLength: 1, maxLength: 4 }))
          .map(([by, each]) => ({ fractional: [by, ...each] })),
      },
      { weight: 1, arbitrary: fc.constantFrom("plan", "other", "gone").map(($ref) => ({ $ref })) },
      { weight: 1, arbitrary: fc.oneof(fc.constant({}), named(["unknown"], part)) },
      {
        weight: 2,
        arbitrary: fc
          .tuple(
            fc.constantFrom(["or", "=="], ["or", "==="], ["and", "!="], ["and", "!=="], ["and", "=="]),
            fc.constantFrom("a", "b", "targetingKey"),
            fc.array(text, { minLength: 2, maxLength: 7 }),
            list(0, 2),
          )
          .map(([[name, comparison], attribute, texts, others]) => ({
            [name]: [...texts.map((each) => ({ [comparison]: [{ var: attribute }, each] })), ...others],
          })),
      },
    ) as fc.Arbitrary<Record<string, unknown>>,
  };
}).rule;

/** Contexts of an application, whose attributes have the types that its rules expect. */
export const plainContexts = fc.record(
  {
    targetingKey: fc.oneof(fc.uuid(), fc.string({ unit: "binary", minLength: 1, maxLength: 30 })),
    country: fc.constantFrom("NL", "DE", "AT"),
    email: fc.constantFrom("ann@example.com", "bob@example.org", "Jürgen@example.com"),
    age: fc.integer({ min: 0, max: 99 }),
    version: fc.constantFrom("1.2.3", "1.10.0", "v2.0", "2.0.0-rc.1", "2"),
    groups: fc.array(fc.constantFrom("beta", "staff", "admin"), { maxLength: 3 }),
    user: fc.record(
      { plan: fc.constantFrom("free", "pro"), seats: fc.integer({ min: 1, max: 50 }) },
      { noNullPrototype: true },
    ),
  },
  { noNullPrototype: true },
);

const condition: fc.Arbitrary<object> = fc.letrec<{ condition: object }>((tie) => ({
  condition: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc
      .tuple(fc.constantFrom("==", "===", "!=", "!=="), fc.constantFrom("NL", "DE", "FR"))
      .map(([name, text]) => ({ [name]: [{ var: "country" }, text] })),
    fc
      .tuple(fc.constantFrom("<", "<=", ">", ">=", "==", "!="), fc.nat(99))
      .map(([name, age]) => ({ [name]: [{ var: "age" }, age] })),
    fc.tuple(fc.nat(60), fc.nat(99)).map(([from, to]) => ({ "<=": [from, { var: "age" }, to] })),
    fc
      .constantFrom("+", "-", "*", "min", "max", "%")
      .map((name) => ({ ">": [{ [name]: [{ var: "age" }, { var: "user.seats" }, 7] }, 40] })),
    fc
      .tuple(fc.constantFrom("starts_with", "ends_with"), fc.constantFrom("ann", "@example.com", ""))
      .map(([name, text]) => ({ [name]: [{ var: "email" }, text] })),
    fc
      .tuple(
        fc.constantFrom("=", "!=", "<", "<=", ">", ">=", "^", "~"),
        fc.constantFrom("1.2.3", "1.10.0", "2.0.0"),
      )
      .map(([name, text]) => ({ sem_ver: [{ var: "version" }, name, text] })),
    fc.subarray(["NL", "DE", "AT", "FR"]).map((list) => ({ in: [{ var: "country" }, list] })),
    fc.constantFrom("beta", "gone").map((group) => ({ in: [group, { var: "groups" }] })),
    fc
      .tuple(fc.constantFrom("some", "all", "none"), fc.constantFrom("beta", "staff"))
      .map(([name, group]) => ({ [name]: [{ var: "groups" }, { "==": [{ var: "" }, group] }] })),
    fc.constantFrom(
      { "==": [{ cat: [{ var: "country" }, "-", { var: "user.plan" }] }, "NL-pro"] },
      { "==": [{ substr: [{ var: "email" }, 0, 3] }, "ann"] },
      { "!": [{ missing: ["country", "nothing"] }] },
      {
        ">": [
          {
            reduce: [
              { merge: [1, 2, { var: "age" }] },
              { "+": [{ var: "current" }, { var: "accumulator" }] },
              { var: "age" },
            ],
          },
          20,
        ],
      },
      { in: ["pro", { merge: [["pro"], { var: "groups" }] }] },
    ),
    fc
      .tuple(fc.constantFrom("and", "or"), fc.array(tie("condition"), { minLength: 1, maxLength: 5 }))
      .map(([name, each]) => ({ [name]: each })),
    tie("condition").map((each) => ({ "!": [each] })),
  ),
})).condition;

const share = fc
  .tuple(
    fc.constantFrom<unknown[]>(
      [],
      [{ var: "email" }],
      [{ cat: [{ var: "$flagd.flagKey" }, { var: "email" }] }],
    ),
    fc.array(fc.nat(100), { minLength: 1, maxLength: 4 }),
  )
  .map(([by, weights]) => ({
    fractional: [...by, ...weights.map((weight, at) => [["on", "off", "a", "b"][at], weight])],
  }));

/** Rules as people write them. */
export const plainRules: fc.Arbitrary<object> = fc.oneof(
  share,
  fc.tuple(condition, share).map((each) => ({ if: [...each, "off"] })),
  fc.tuple(condition, condition).map(([first, second]) => ({ if: [first, "on", second, "a", null] })),
);
