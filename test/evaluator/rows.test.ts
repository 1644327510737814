import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { compile } from "../../src/evaluator/evaluator.ts";

const one = <T>(...values: T[]) => fc.constantFrom(...values);
const texts = one("", "a", "ab", "b", "é", "5", "constructor");
const name = one("a", "b", "constructor");
const reads = name.map((each) => ({ var: each }));
const conditions = fc
  .oneof(
    fc.tuple(one("==", "===", "!=", "!=="), reads, texts),
    fc.tuple(one("in"), reads, fc.array(texts, { maxLength: 3 })),
    fc.tuple(one("<", "<=", ">", ">="), reads, one(-1, -0, 0, 5, 7.5)),
    fc.tuple(one("starts_with", "ends_with"), reads, texts),
    // Conditions that end a row.
    fc.tuple(
      one("==", "in", ">=", "ends_with"),
      reads,
      one<unknown>(null, true, 5, "5", [1, "a"], ["a", []]),
    ),
  )
  .map(([operation, path, constant]) => ({ [operation]: [path, constant] }));
const values = one<unknown>(
  "",
  "a",
  "ab",
  "b",
  "é",
  "5",
  -0,
  0,
  5,
  8,
  null,
  true,
  ["a"],
  {},
  "b".repeat(1025),
);
const contexts = fc.record({ a: values, b: values }, { requiredKeys: [], noNullPrototype: true });

const variants = { true: "true", false: "false" };
const flagOf = (targeting: Record<string, unknown>) => ({ state: "ENABLED" as const, variants, targeting });
const deciding = { or: (list: object[]) => ({ or: list }), and: (list: object[]) => ({ and: list }) };

describe.each(Object.entries(deciding))("many conditions in `%s`", (_, combine) => {
  test("have the result that they have one by one", () => {
    const property = fc.property(
      fc.array(conditions, { minLength: 2, maxLength: 12 }),
      fc.array(contexts, { minLength: 1, maxLength: 8 }),
      (list, each) => {
        const nested = list.reduceRight((rest, condition) => combine([condition, rest]));
        const { evaluate } = compile({ flags: { row: flagOf(combine(list)), nested: flagOf(nested) } });
        for (const context of each) expect(evaluate("row", context)).toEqual(evaluate("nested", context));
      },
    );
    fc.assert(property, { numRuns: 3000 });
  });
});

test("conditions behind the one that decides do not count as operations", () => {
  const condition = (index: number) => [
    { ends_with: [{ var: "a" }, `${index}`] },
    { "==": [{ var: "a" }, `x${index}`] },
    { ">=": [{ var: "b" }, index] },
  ];
  const row = Array.from({ length: 400 }, (_, index) => condition(index)).flat();
  // Below the limit only if the first condition decides each time.
  const often = { some: [{ var: "list" }, { and: [{ or: row }, false] }] };
  const { evaluate } = compile({ flags: { often: flagOf({ "!": [often] }) } });
  const list = (a: string) => Array.from({ length: 1000 }, () => ({ a, b: -1 }));
  expect(evaluate("often", { list: list("0") })).toMatchObject({ value: "true" });
  expect(evaluate("often", { list: list("none") })).toMatchObject({ errorCode: "GENERAL" });
});
