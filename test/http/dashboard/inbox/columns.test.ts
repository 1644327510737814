import { expect, test } from "bun:test";
import { titlesIn } from "../../../../src/forms/inbox/field-words.ts";
import { columnsOf, countChoices } from "../../../../src/http/dashboard/inbox/table.tsx";
import type { Submission } from "../../../../src/forms/submission.ts";

const of = (...data: object[]) => data.map((each) => ({ data: each }) as Submission);

test("without a schema the most frequent fields are columns", () => {
  const submissions = of({ a: 1, b: 1 }, { b: 1 }, { b: 2, c: 1, a: 3 });
  expect(columnsOf(null, submissions).map(({ field }) => field)).toEqual(["b", "a", "c"]);
  const wide = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`f${index}`, 1]));
  expect(columnsOf(null, of(wide))).toHaveLength(8);
});

test("choices are values that repeat, and lists of them; texts of their own are none", () => {
  const submissions = of(
    { size: "L", tags: ["a", "b"], text: "one", ok: true },
    { size: "M", tags: ["a"], text: "two", ok: true },
    { size: "L", tags: [], text: "three", ok: false, constructor: "x" },
    { size: "L", tags: ["b", "a"], text: "four", ok: true },
  );
  const columns = columnsOf(null, submissions);
  const counts = countChoices(null, columns, submissions);
  expect(
    counts.map(({ field, choices }) => [field, choices.map(({ value, count }) => `${value} ${count}`)]),
  ).toEqual([
    ["size", ["L 3", "M 1"]],
    ["tags", ["a 3", "b 2"]],
    ["ok", ["true 3", "false 1"]],
  ]);
});

test("choices of a schema are counted in its order, also those that nobody made", () => {
  const schema = { properties: { topic: { title: "About", type: "array", items: { enum: ["x", "y"] } } } };
  const submissions = of({ topic: ["y"] }, { topic: "y" });
  expect(countChoices(schema, columnsOf(schema, submissions), submissions)).toEqual([
    {
      field: "topic",
      label: "About",
      choices: [
        { value: "x", count: 0 },
        { value: "y", count: 2 },
      ],
    },
  ]);
});

test("choices of a schema that are objects are shown as JSON", () => {
  const odd = { toString: 1 };
  for (const property of [{ enum: [odd, "b"] }, { oneOf: [{ const: odd }, { const: "b", title: "Blue" }] }]) {
    const schema = { properties: { one: property } };
    const [counted] = countChoices(schema, columnsOf(schema, []), of({ one: "b" }));
    expect(counted!.choices.map(({ count }) => count)).toEqual([0, 1]);
    expect(counted!.choices[0]!.value).toBe('{"toString":1}');
    expect(titlesIn(schema)("one", odd)).toBe(odd);
  }
});

test("choices of a schema are read by their titles, alone and in a list, and other values as they are", () => {
  const oneOf = [{ const: "b", title: "Blue" }, { const: 2, title: "Two" }, { const: "plain" }];
  const schema = {
    properties: { one: { oneOf }, many: { type: "array", items: { anyOf: oneOf } }, any: { type: "string" } },
  };
  const titleOf = titlesIn(schema);
  for (const [field, value, shown] of [
    ["one", "b", "Blue"],
    ["one", 2, "Two"],
    ["one", "plain", "plain"],
    ["one", "constructor", "constructor"],
    ["one", { b: 1 }, { b: 1 }],
    ["many", ["b", 2, "x"], ["Blue", "Two", "x"]],
    ["any", "b", "b"],
    ["constructor", "b", "b"],
  ] as const)
    expect([field, value, titleOf(field, value)]).toEqual([field, value, shown]);
  const [counted] = countChoices(schema, columnsOf(schema, []), of({ one: "b" }, { one: "plain" }));
  expect(counted!.choices).toEqual([
    { value: "Blue", count: 1 },
    { value: "Two", count: 0 },
    { value: "plain", count: 1 },
  ]);
});
