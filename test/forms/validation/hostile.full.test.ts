import { describe, expect, test } from "bun:test";
import { AppError } from "../../../src/base/errors.ts";
import { compileSchema, MAX_FIELD_ERRORS, validate } from "../../../src/forms/validation/validation.ts";

const KiB = 1024;

type Data = Record<string, unknown>;

/** The number of errors, or the code of what is thrown. */
async function outcome(schema: unknown, data: Data, source: "json" | "text" = "json") {
  const validation = await compileSchema(schema);
  try {
    return validate(validation, data, source).length;
  } catch (error) {
    expect(error).toBeInstanceOf(AppError);
    return (error as AppError).code;
  }
}

const field = (a: unknown) => ({ properties: { a } });
const zeros = (length: number) => Array.from({ length }, () => 0);

describe("lists of half a million values", () => {
  const a = zeros(500_000);

  test("pass where the schema says nothing of their items", async () => {
    expect(await outcome(field({ type: "array" }), { a })).toBe(0);
    expect(await outcome(field({ maxItems: 10 }), { a })).toBe(1);
    expect(await outcome({}, { a })).toBe(0);
  });

  test.each<[string, object]>([
    ["items", { items: { type: "string" } }],
    ["items that match", { items: { type: "number" } }],
    ["items of any kind", { items: true }],
    ["contains", { contains: { type: "string" } }],
    ["minContains", { contains: { type: "string" }, minContains: 3 }],
    ["unevaluatedItems", { unevaluatedItems: false }],
    ["uniqueItems", { uniqueItems: true }],
    ["branches of items", { items: { anyOf: [{ type: "string" }, { type: "null" }] } }],
  ])("are too large for %s", async (_, schema) => {
    expect(await outcome(field(schema), { a })).toBe("too_large");
  });
});

test("a list of thousands of wrong items has a hundred errors", async () => {
  expect(await outcome(field({ items: { type: "string" } }), { a: zeros(10_000) })).toBe(MAX_FIELD_ERRORS);
  const fields = Object.fromEntries(Array.from({ length: 200 }, (_, number) => [`f${number}`, "x"]));
  expect(await outcome({ additionalProperties: false }, fields)).toBe(MAX_FIELD_ERRORS);
});

test("different items are compared up to what a form needs", async () => {
  const numbers = (count: number) => Array.from({ length: count }, (_, number) => number);
  const texts = (count: number) => numbers(count).map((number) => "x".repeat(1000) + number);
  const unique = field({ uniqueItems: true });
  expect(await outcome(unique, { a: numbers(200) })).toBe(0);
  expect(await outcome(unique, { a: texts(200) })).toBe(0);
  expect(await outcome(unique, { a: [...numbers(200), 0] })).toBe(1);
  expect(await outcome(unique, { a: numbers(5000) })).toBe("too_large");
  expect(await outcome(unique, { a: texts(1000) })).toBe("too_large");
  expect(await outcome(unique, { a: texts(200) }, "text")).toBe(0);
});

test("a schema that branches at each level of the data ends", async () => {
  let deep: Data = {};
  for (let level = 1; level < 16; level += 1) deep = { a: deep };
  const part = { properties: { a: { $ref: "#" } } };
  expect(await outcome({ allOf: [part] }, deep)).toBe(0);
  expect(await outcome({ allOf: [part, part, part] }, deep)).toBe("too_large");
  expect(await outcome({ anyOf: Array.from({ length: 10 }, () => part) }, deep)).toBe("too_large");
});

test("the longest chain of schemas fits the deepest data", async () => {
  let deep: Data = {};
  for (let level = 1; level < 16; level += 1) deep = { a: deep };
  const $defs: Record<string, unknown> = { d30: { properties: { a: { $ref: "#/$defs/d1" } } } };
  for (let number = 1; number < 30; number += 1) $defs[`d${number}`] = { $ref: `#/$defs/d${number + 1}` };
  expect(await outcome({ $ref: "#/$defs/d1", $defs }, deep)).toBe(0);
});

describe("a text of 256 KiB", () => {
  const size = 256 * KiB;

  test.each(["^(a+)+$", "^(a|aa)+$", "(x+x+)+y", "^(\\w+\\s?)*$", "(.*)(.*)(.*)b"])(
    "is matched against %s, which other engines never finish",
    async (pattern) => {
      expect(await outcome(field({ pattern }), { a: `${"a".repeat(size - 1)}!` })).toBe(1);
      const schema = { patternProperties: { [pattern]: { type: "object" } }, additionalProperties: true };
      expect(await outcome(field(schema), { a: { [`${"a".repeat(size - 1)}!`]: 1 } })).toBe(0);
    },
  );

  test("is too large for an enormous pattern, unless it is too long anyway", async () => {
    const pattern = "(a|b)*a(a|b){500}$";
    const a = "ab".repeat(size / 2);
    expect(await outcome(field({ pattern }), { a })).toBe("too_large");
    expect(await outcome(field({ pattern, maxLength: 1000 }), { a })).toBe(1);
  });

  const formats = [
    "email",
    "uri",
    "uri-reference",
    "uri-template",
    "url",
    "date",
    "time",
    "date-time",
  ].concat([
    "duration",
    "hostname",
    "ipv4",
    "ipv6",
    "uuid",
    "regex",
    "json-pointer",
    "relative-json-pointer",
  ]);
  test.each(formats)("is no %s", async (format) => {
    const validation = await compileSchema(field({ format }));
    const starts = ["", "http://", "a@", '"', "/", "P", "{", "0/", "((("];
    const bodies = ["a", "a.", "a-", "a:", "1", "1:", "%41", "\\ ", "{a", "é"];
    for (const start of starts) {
      for (const body of bodies) {
        const text = (start + body.repeat(size)).slice(0, size - 1);
        expect(validate(validation, { a: `${text} ` }, "json")).toHaveLength(1);
      }
    }
  });

  test("up to the longest of each format is checked too", async () => {
    for (const format of ["uri", "uri-reference", "uri-template", "url", "json-pointer"]) {
      const validation = await compileSchema(field({ format }));
      for (const body of ["a", "a-", "a:", "a@", "%41", "/", "{a}", "a."]) {
        const text = `http://${body.repeat(8192)}`.slice(0, 8190);
        expect(validate(validation, { a: `${text} "` }, "json")).toHaveLength(1);
      }
    }
  });

  test("is not a number", async () => {
    const schema = field({ type: "number" });
    expect(await outcome(schema, { a: "1".repeat(size) }, "text")).toBe(1);
    expect(await outcome(schema, { a: `${"1".repeat(size)}x` }, "text")).toBe(1);
    expect(await outcome(schema, { a: " ".repeat(size) }, "text")).toBe(1);
  });
});

test("numbers at the limits of what a number is do not end the check", async () => {
  const numbers = [1e308, -1e308, 5e-324, 0.1, -0, 2 ** 53];
  for (const multipleOf of [0.1, 5e-324, 1e308, 3]) {
    const validation = await compileSchema(field({ type: "number", multipleOf }));
    for (const a of numbers) expect(validate(validation, { a }, "json").length).toBeLessThanOrEqual(1);
  }
  const infinite = JSON.parse('{"a":1e400}') as Data;
  expect(await outcome(field({ type: "integer", multipleOf: 0.1, maximum: 5 }), infinite)).toBe(2);
});

test("names that are not Unicode, or long, are shown safely", async () => {
  const validation = await compileSchema({
    properties: { o: { additionalProperties: false } },
    additionalProperties: false,
  });
  const name = "n".repeat(200 * KiB);
  const data = JSON.parse(`{"\\ud800":1,"o":{"${name}":1,"\\udc00/~%":1}}`) as Data;
  const errors = validate(validation, data, "json");
  expect(errors).toHaveLength(3);
  for (const { field, message } of errors) {
    expect(field.isWellFormed() && field.length < 300).toBe(true);
    expect(message).toBe("a field is not part of this form");
  }
});

test("thousands of names and objects are too large for patterns of names", async () => {
  const a = Object.fromEntries(zeros(30_000).map((_, number) => [`k${number}`, 1]));
  const named = { patternProperties: { "^k": { type: "number" } } };
  expect(await outcome(field(named), { a })).toBe("too_large");
  const few = Object.fromEntries(Object.entries(a).slice(0, 3000));
  const schema = { properties: { a: named, list: { items: named } } };
  expect(await outcome(schema, { a: few, list: zeros(30_000).map(() => ({})) })).toBe("too_large");
  expect(await outcome(schema, { a: few, list: [{}] })).toBe(0);
});
