import { describe, expect, test } from "bun:test";
import { AppError } from "../../../src/base/errors.ts";
import { compileSchema, MAX_SCHEMA_SIZE, validate } from "../../../src/forms/validation/validation.ts";

/** The message of the refusal `invalid`; undefined for a schema that is accepted. */
async function refusal(schema: unknown): Promise<string | undefined> {
  try {
    await compileSchema(schema);
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(AppError);
    expect((error as AppError).code).toBe("invalid");
    return (error as AppError).message;
  }
}

const field = (schema: unknown) => ({ type: "object", properties: { a: schema } });

describe("a schema is refused, with the place and what to do,", () => {
  test.each<[string, unknown, ...string[]]>([
    ["when it is a list", [], "object"],
    ["when it is null", null, "object"],
    ["when it is true", true, "object"],
    ["for a type that does not exist", field({ type: "strng" }), "#/properties/a/type", '"strng"', "integer"],
    ["for an empty list of types", field({ type: [] }), "#/properties/a/type"],
    ["for a type twice", field({ type: ["null", "null"] }), "#/properties/a/type"],
    ["for a name instead of a list", { required: "name" }, "#/required", "list of different names"],
    ["for a name twice", { required: ["a", "a"] }, "#/required"],
    ["for a negative length", field({ minLength: -1 }), "#/properties/a/minLength", "whole number"],
    ["for half an item", field({ maxItems: 1.5 }), "#/properties/a/maxItems"],
    ["for a number as text", field({ minimum: "18" }), "#/properties/a/minimum", "number"],
    ["for the boolean of draft 4", field({ exclusiveMinimum: true }), "#/properties/a/exclusiveMinimum"],
    ["for a multiple of zero", field({ multipleOf: 0 }), "#/properties/a/multipleOf", "above 0"],
    ["for properties in a list", { properties: ["a"] }, "#/properties", "object of schemas"],
    ["for a property that is a text", field("string"), "#/properties", "object of schemas"],
    ["for an empty enum", field({ enum: [] }), "#/properties/a/enum"],
    ["for an enum that is an object", field({ enum: {} }), "#/properties/a/enum"],
    ["for an empty anyOf", { anyOf: [] }, "#/anyOf", "one or more"],
    ["for the items of draft 7", field({ items: [{}] }), "#/properties/a/items", "prefixItems"],
    [
      "for additionalItems",
      field({ additionalItems: false }),
      "#/properties/a/additionalItems",
      "prefixItems",
    ],
    ["for dependencies", { dependencies: { a: ["b"] } }, "#/dependencies", "dependentRequired"],
    ["for a mistake below $defs", { $defs: { "a/b~": { type: 1 } } }, "#/$defs/a~1b~0/type"],
    ["for $dynamicRef", field({ $dynamicRef: "#a" }), "#/properties/a/$dynamicRef", "$ref"],
    ["for $recursiveRef", field({ $recursiveRef: "#" }), "#/properties/a/$recursiveRef"],
    ["for a reference to another server", { $ref: "https://example.com/a.json" }, "#/$ref", "not fetched"],
    ["for a reference to a file", field({ $ref: "address.json" }), "#/properties/a/$ref", "$defs"],
    ["for a reference to nothing", field({ $ref: "#/$defs/a" }), '"#/$defs/a"'],
    ["for a reference to an unknown anchor", field({ $ref: "#a" }), '"#a"'],
    ["for a reference to a prototype", field({ $ref: "#/constructor" }), "#/properties/a/$ref"],
    ["for a reference to a text", { title: "A", properties: { a: { $ref: "#/title" } } }, "#/properties/a"],
    ["for another draft", { $schema: "http://json-schema.org/draft-07/schema#" }, "#/$schema", "2020-12"],
    ["for a lookahead", field({ pattern: "^(?=.*\\d)" }), "#/properties/a/pattern", "RE2"],
    ["for a lookbehind", field({ pattern: "(?<=a)b" }), "#/properties/a/pattern"],
    ["for a backreference", field({ pattern: "(a)\\1" }), "#/properties/a/pattern"],
    ["for an unclosed group", field({ pattern: "(" }), "#/properties/a/pattern"],
    ["for a pattern of names", { patternProperties: { "[": {} } }, "#/patternProperties/["],
    ["for enormous patterns", field({ pattern: "[ab]{0,1000}".repeat(50) }), "too large"],
    ["for a name that is not Unicode", { properties: { "\ud800": {} } }, "#/properties", "Unicode"],
    ["for an $id with a fragment", { $id: "https://example.com/a#b" }, "#/$id"],
  ])("%s", async (_, schema, ...words) => {
    const message = await refusal(schema);
    for (const word of words) expect(message).toContain(word);
  });

  test("when it is larger than 64 KiB", async () => {
    const filled = (size: number) => ({ $comment: "x".repeat(size - '{"$comment":""}'.length) });
    expect(await refusal(filled(MAX_SCHEMA_SIZE))).toBeUndefined();
    expect(await refusal(filled(MAX_SCHEMA_SIZE + 1))).toContain("65537 bytes");
  });

  test("when it is nested deeper than 100 levels", async () => {
    const nested = (levels: number): unknown => (levels === 1 ? {} : { not: nested(levels - 1) });
    expect(await refusal(field(nested(10)))).toBeUndefined();
    expect(await refusal(nested(101))).toContain("100 levels");
    expect(await refusal(nested(5000))).toContain("100 levels");
  });

  test.each<[string, unknown]>([
    ["itself", { $ref: "#" }],
    ["itself in allOf", { allOf: [{ $ref: "#" }] }],
    ["itself in anyOf", { anyOf: [{ type: "object" }, { $ref: "#" }] }],
    ["itself in if", { if: { $ref: "#" } }],
    ["itself in else", { if: {}, else: { $ref: "#" } }],
    ["itself in not", { not: { $ref: "#" } }],
    ["itself in dependentSchemas", { dependentSchemas: { a: { $ref: "#" } } }],
    ["each other", { $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } }],
  ])("when it applies %s to the same value without end", async (_, schema) => {
    expect(await refusal(schema)).toContain("without end");
  });

  test("when a few lines become millions of schemas, or a long chain", async () => {
    const doubling = (count: number, twice: boolean) => {
      const $defs: Record<string, unknown> = { [`d${count}`]: {} };
      for (let number = 0; number < count; number += 1) {
        const next = { $ref: `#/$defs/d${number + 1}` };
        $defs[`d${number}`] = twice ? { allOf: [next, next] } : next;
      }
      return { $ref: "#/$defs/d0", $defs };
    };
    expect(await refusal(doubling(14, true))).toContain("more than 5000 schemas");
    expect(await refusal(doubling(1000, false))).toContain("more than 32 schemas");
  });

  test.each<[string, unknown]>([
    ["type", { type: "array" }],
    ["a list of types", { type: ["string", "null"] }],
    ["allOf", { allOf: [{ type: "string" }] }],
    ["$ref", { $ref: "#/$defs/a", $defs: { a: { type: "array" } } }],
    ["const", { const: "a" }],
    ["enum", { enum: [1, 2] }],
    ["false", { allOf: [false] }],
  ])("when %s never accepts an object", async (_, schema) => {
    expect(await refusal(schema)).toContain("a submission is an object of fields");
  });
});

describe("a schema is accepted", () => {
  test.each<[string, unknown]>([
    ["when it is empty", {}],
    ["with its draft", { $schema: "https://json-schema.org/draft/2020-12/schema" }],
    ["with keywords that nobody knows", { "x-order": ["a"], constructor: 1, toString: {} }],
    ["with formats that nobody knows", field({ format: "binary" })],
    ["with a field of any name", JSON.parse('{"properties":{"__proto__":{},"constructor":{},"$ref":{}}}')],
    ["with escapes of JavaScript in a pattern", field({ pattern: "^[\\u00c0-\\u00ff\\/\\-]+$" })],
    ["with a list in const", field({ const: [] })],
    ["with an unused mistake of an unknown keyword", { "x-schema": { type: "strng" } }],
  ])("%s", async (_, schema) => {
    expect(await refusal(schema)).toBeUndefined();
  });

  test("and stays as it is", async () => {
    const schema = Object.freeze({
      $ref: "#/$defs/a",
      $defs: Object.freeze({ a: Object.freeze({ pattern: "a" }) }),
      patternProperties: Object.freeze({ "^a": true }),
    });
    const before = JSON.stringify(schema);
    validate(await compileSchema(schema), { ab: 1 }, "json");
    expect(JSON.stringify(schema)).toBe(before);
    expect(Object.getOwnPropertyNames(schema)).toEqual(["$ref", "$defs", "patternProperties"]);
  });
});

describe("a reference leads to", () => {
  const number = { type: "number" };
  test.each<[string, object]>([
    ["a definition", { $ref: "#/$defs/n", $defs: { n: number } }],
    ["a definition of older drafts", { $ref: "#/definitions/n", definitions: { n: number } }],
    ["a name with escapes", { $ref: "#/$defs/a~1b~0%25%20c", $defs: { "a/b~% c": number } }],
    ["a name with brackets", { $ref: "#/$defs/list[0]", $defs: { "list[0]": number } }],
    ["an item of a list", { $ref: "#/$defs/l/anyOf/0", $defs: { l: { anyOf: [number] } } }],
    ["a place outside of the keywords", { $ref: "#/components/n", components: { n: number } }],
    ["an anchor", { $ref: "#n", $defs: { any: { ...number, $anchor: "n" } } }],
    ["a schema with an $id", { $ref: "n.json", $defs: { n: { ...number, $id: "n.json" } } }],
    [
      "a place in the same schema by its $id",
      { $id: "https://example.com/form.json", $ref: "form.json#/$defs/n", $defs: { n: number } },
    ],
    [
      "a place in a schema with an $id",
      {
        $ref: "https://example.com/n",
        $defs: { n: { $id: "https://example.com/n", $ref: "#/$defs/m", $defs: { m: number } } },
      },
    ],
  ])("%s", async (_, { $ref, ...rest }: { $ref?: string }) => {
    const validation = await compileSchema({ properties: { a: { $ref } }, ...rest });
    expect(validate(validation, { a: 1 }, "json")).toEqual([]);
    expect(validate(validation, { a: "1" }, "json")).toMatchObject([{ field: "a", code: "type" }]);
  });

  test("true and false", async () => {
    const $defs = { any: true, none: false };
    const validation = await compileSchema({
      properties: { a: { $ref: "#/$defs/any" }, b: { $ref: "#/$defs/none" } },
      $defs,
    });
    expect(validate(validation, { a: 1, b: 1 }, "json")).toMatchObject([{ field: "b", code: "not" }]);
  });

  test("the schema itself, for parts of the value", async () => {
    const validation = await compileSchema({
      type: "object",
      required: ["name"],
      properties: { name: { type: "string" }, children: { type: "array", items: { $ref: "#" } } },
    });
    const data = { name: "a", children: [{ name: "b" }, { children: [{ name: 1 }] }] };
    expect(validate(validation, data, "json").map(({ field }) => field)).toEqual([
      "children[1].name",
      "children[1].children[0].name",
    ]);
  });
});
