import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { compileSchema, validate } from "../../../src/forms/validation/validation.ts";

type Texts = Record<string, string | string[]>;
type Files = { field: string; name: string }[];

/** The errors of urlencoded fields and files, as `field code`. */
async function codes(schema: object, data: Texts, files: Files = []) {
  const errors = validate(await compileSchema(schema), data, "text", files);
  return errors.map(({ field, code }) => `${field} ${code}`);
}

/** The errors of the one field `a`. */
const codesOf = (schema: unknown, value: string | string[]) =>
  codes({ properties: { a: schema } }, { a: value });

describe("a text is read as", () => {
  test.each<[string, object, string[], string[]]>([
    [
      "an integer",
      { type: "integer" },
      ["5", "-5", "+5", " 5 ", "5.0", "5e2"],
      ["5.5", "x", "0x10", "5 6", "1_0"],
    ],
    [
      "a number",
      { type: "number" },
      ["5", ".5", "-0.5", "1e-3", "1e308"],
      ["1e400", "Infinity", "NaN", "1,5", "1.2.3"],
    ],
    [
      "a boolean",
      { type: "boolean" },
      ["on", "ON", "true", "1", "yes", "off", "false", "0", "no"],
      ["x", "2", "accept"],
    ],
    ["one of some numbers", { enum: [1, 2] }, ["1", "2"], ["3", "x"]],
    ["true", { const: true }, ["on", "true"], ["off", "x"]],
    ["a number or a word", { anyOf: [{ type: "integer" }, { const: "more" }] }, ["5", "more"], ["x", "5.5"]],
    ["a list", { type: "array", items: { type: "integer" } }, ["1"], ["x"]],
    ["a list without the word", { items: { enum: ["x"] } }, ["x"], ["y"]],
    ["a text that looks like a number", { enum: ["1", "2"] }, ["1"], ["3"]],
    ["a text where that is allowed", { type: ["string", "integer"], pattern: "^0" }, ["01"], ["1"]],
    ["a referenced type", { $ref: "#/properties/n" }, ["5"], ["x"]],
    ["a type in allOf", { allOf: [{ minimum: 3 }, { type: "integer" }] }, ["5"], ["1", "x"]],
  ])("%s", async (_, a, valid, invalid) => {
    const schema = { properties: { a, n: { type: "integer" } } };
    for (const text of valid) expect([text, await codes(schema, { a: text })]).toEqual([text, []]);
    for (const text of invalid) expect([text, await codes(schema, { a: text })]).not.toEqual([text, []]);
  });

  test("a number that a limit applies to", async () => {
    const errors = validate(
      await compileSchema({ properties: { age: { type: "integer", minimum: 18 } } }),
      { age: "17" },
      "text",
    );
    expect(errors).toMatchObject([{ field: "age", code: "minimum", message: "age must be at least 18" }]);
  });

  test("a text whose line breaks count once, as in the browser", async () => {
    expect(await codesOf({ maxLength: 3 }, "a\r\nb")).toEqual([]);
    expect(await codesOf({ maxLength: 2 }, "a\r\nb")).toEqual(["a maxLength"]);
  });

  test("a type that only a condition names", async () => {
    const schema = {
      if: { properties: { kind: { const: "room" } } },
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
      then: { properties: { nights: { type: "integer" } } },
      additionalProperties: true,
    };
    expect(await codes(schema, { kind: "room", nights: "2" })).toEqual([]);
    expect(await codes(schema, { kind: "room", nights: "x" })).toEqual(["nights type"]);
  });

  test("the type of fields that only a pattern or nothing names", async () => {
    const schema = {
      patternProperties: { "^n_": { type: "number", minimum: 2 } },
      additionalProperties: { type: "boolean" },
    };
    expect(await codes(schema, { n_a: "2", b: "on" })).toEqual([]);
    expect(await codes(schema, { n_a: "1", b: "x" })).toEqual(["n_a minimum", "b type"]);
  });
});

describe("several values of a field", () => {
  const list = { type: "array", items: { type: "integer" }, maxItems: 2 };

  test("are a list, each read as an item", async () => {
    expect(await codesOf(list, ["1", "2"])).toEqual([]);
    expect(await codesOf(list, ["1", "x", "3"])).toEqual(["a maxItems", "a[1] type"]);
    expect(await codesOf({ type: "array", prefixItems: [{ type: "integer" }] }, ["1", "x"])).toEqual([]);
  });

  test("are too many for a single value", async () => {
    expect(await codesOf({ type: "string" }, ["x", "y"])).toEqual(["a type"]);
  });

  test("of which one is not empty are that one, as with a hidden field beside a checkbox", async () => {
    expect(await codesOf({ type: "boolean", const: true }, ["", "on"])).toEqual([]);
    expect(await codesOf(list, ["", "1"])).toEqual([]);
  });

  test("are a list of lists no more than one", async () => {
    const schema = { type: "array", items: { $ref: "#/properties/a" } };
    expect(await codesOf(schema, ["1"])).toEqual(["a[0] type"]);
  });
});

describe("an empty text", () => {
  const required = (a: object) => codes({ required: ["a"], properties: { a } }, { a: "" });

  test("counts as missing", async () => {
    expect(await codesOf({ type: "integer" }, "")).toEqual([]);
    expect(await codesOf({ type: "string", minLength: 3, format: "email" }, "")).toEqual([]);
    expect(await required({ type: "string" })).toEqual(["a required"]);
    expect(await required({ type: "array" })).toEqual(["a required"]);
    expect(await required({})).toEqual(["a required"]);
    expect(await codes({ required: ["a"] }, { a: ["", ""] })).toEqual(["a required"]);
  });

  test("does not make other fields required", async () => {
    const schema = { dependentRequired: { sms: ["phone"] } };
    expect(await codes(schema, { sms: "" })).toEqual([]);
    expect(await codes(schema, { sms: "on", phone: "" })).toEqual(["phone dependentRequired"]);
  });

  test("is null where the schema allows that, and itself where the schema names it", async () => {
    expect(await required({ type: ["integer", "null"] })).toEqual([]);
    expect(await required({ enum: ["", "x"] })).toEqual([]);
  });
});

describe("a file", () => {
  const schema = {
    required: ["cv"],
    properties: {
      cv: { type: "string", pattern: "\\.pdf$" },
      photos: { type: "array", maxItems: 2, items: { type: "string", maxLength: 5 } },
    },
  };

  test("is the text of its name", async () => {
    expect(await codes(schema, {}, [{ field: "cv", name: "me.pdf" }])).toEqual([]);
    expect(await codes(schema, {}, [{ field: "cv", name: "me.exe" }])).toEqual(["cv pattern"]);
    expect(await codes(schema, { name: "x" })).toEqual(["cv required"]);
    expect(await codes(schema, {}, [{ field: "cv", name: "" }])).toEqual(["cv required"]);
  });

  test("is one of a list", async () => {
    const photo = (name: string) => ({ field: "photos", name });
    const cv = { cv: "a.pdf" };
    expect(await codes(schema, cv, [photo("a")])).toEqual([]);
    expect(await codes(schema, cv, [photo("a"), photo("long name"), photo("c")])).toEqual([
      "photos maxItems",
      "photos[1] maxLength",
    ]);
    expect(await codes(schema, { ...cv, photos: ["x", "y"] }, [photo("z")])).toEqual(["photos maxItems"]);
  });
});

test("fields named like prototypes are read like others", async () => {
  const properties = JSON.parse('{"__proto__":{"type":"integer"},"toString":{"type":"integer"}}') as object;
  const schema = { properties, required: ["__proto__", "toString", "constructor"] };
  expect(
    await codes(schema, JSON.parse('{"__proto__":"5","toString":"x","constructor":""}') as Texts),
  ).toEqual(["toString type", "constructor required"]);
  const file = { field: "__proto__", name: "x" };
  expect(await codes(schema, {}, [file])).toContain("__proto__ type");
});

test("JSON is checked as it is", async () => {
  const validation = await compileSchema({
    required: ["text"],
    properties: { n: { type: "integer" }, b: { type: "boolean" }, l: { type: "array" }, text: {} },
  });
  const errors = validate(validation, { n: "5", b: "on", l: "x", text: "" }, "json");
  expect(errors.map(({ field, code }) => `${field} ${code}`)).toEqual(["n type", "b type", "l type"]);
});

test("the data stays as it was sent", async () => {
  const data = Object.freeze({ n: "5", l: Object.freeze(["1", ""]), empty: "" });
  const validation = await compileSchema({
    properties: { n: { type: "integer" }, l: { items: { type: "integer" } } },
  });
  expect(validate(validation, data, "text")).toEqual([]);
  expect(data).toEqual({ n: "5", l: ["1", ""], empty: "" });
});

test("an integer is read from every text of one", async () => {
  const validation = await compileSchema({ properties: { a: { type: "integer" } } });
  const isInteger = (a: string) => validate(validation, { a }, "text").length === 0;
  fc.assert(fc.property(fc.maxSafeInteger(), (number) => isInteger(String(number))));
});
