import { describe, expect, test } from "bun:test";
import { Validator, type Schema } from "@cfworker/json-schema";
import * as fc from "fast-check";
import { compileSchema, validate } from "../../../src/forms/validation/validation.ts";

type Data = Record<string, unknown>;

const check = async (schema: unknown, data: Data) =>
  validate(await compileSchema(schema), data, "json").map(({ field, code, message }) => ({
    field,
    code,
    message,
  }));

/** The errors as `field code`. */
const codes = async (schema: unknown, data: Data) =>
  (await check(schema, data)).map(({ field, code }) => `${field} ${code}`);

const messages = async (schema: unknown, data: Data) =>
  (await check(schema, data)).map(({ message }) => message);

/** The message for one field with a value. */
const messageFor = async (schema: object, value: unknown) =>
  (await messages({ properties: { a: schema } }, { a: value })).join("; ");

describe("a contact form", () => {
  const schema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    required: ["name", "email", "message"],
    additionalProperties: false,
    properties: {
      name: { type: "string", minLength: 1, maxLength: 100 },
      email: { type: "string", format: "email" },
      age: { type: "integer", minimum: 18 },
      topic: { enum: ["sales", "support"] },
      message: { type: "string", minLength: 1, maxLength: 20 },
    },
  };

  test("that is filled in has no errors", async () => {
    const data = { name: "Ann", email: "ann@example.com", age: 18, topic: "sales", message: "Hello" };
    expect(await check(schema, data)).toEqual([]);
  });

  test("names each field that is wrong, in a sentence without the value", async () => {
    const data = { name: "", email: "ann@", age: 17, topic: "spam", message: "x".repeat(21), extra: 1 };
    expect(await check(schema, data)).toEqual([
      { field: "name", code: "minLength", message: "name must not be empty" },
      {
        field: "email",
        code: "format",
        message: "email must be an e-mail address such as name@example.com",
      },
      { field: "age", code: "minimum", message: "age must be at least 18" },
      { field: "topic", code: "enum", message: "topic must be one of: sales, support" },
      { field: "message", code: "maxLength", message: "message must have at most 20 characters" },
      {
        field: "extra",
        code: "additionalProperties",
        message: "the field extra is not part of this form",
      },
    ]);
  });

  test("names what is missing", async () => {
    expect(await messages(schema, { name: "Ann" })).toEqual(["email is required", "message is required"]);
  });

  test("has errors that pages can write in any language, without a name of the sender's choosing", async () => {
    const data = { name: "Ann", email: "x", age: 17, message: "x", "Call 555": 1, nickname: 1 };
    const errors = validate(await compileSchema(schema), data, "json");
    expect(errors.map(({ label, code, limit }) => [label, code, ...limit])).toEqual([
      ["email", "format", "email"],
      ["age", "minimum", "18"],
      ["", "additionalProperties"],
      ["nickname", "additionalProperties"],
    ]);
  });
});

describe("fields in other fields", () => {
  const schema = {
    properties: {
      address: { $ref: "#/$defs/address" },
      tags: { type: "array", maxItems: 3, uniqueItems: true, items: { type: "string", maxLength: 3 } },
      people: { items: { allOf: [{ $ref: "#/$defs/address" }] } },
    },
    $defs: {
      address: {
        type: "object",
        required: ["city"],
        properties: { city: { type: "string" }, zip: { pattern: "^\\d{5}$" } },
      },
    },
  };

  test("are named by their path, without errors of what contains them", async () => {
    expect(await codes(schema, { address: { zip: "1" }, tags: ["a", "long", 1, "a"] })).toEqual([
      "address.city required",
      "address.zip pattern",
      "tags maxItems",
      "tags[1] maxLength",
      "tags[2] type",
      "tags uniqueItems",
    ]);
    expect(await codes(schema, { people: [{ city: "x" }, {}, { city: 1 }] })).toEqual([
      "people[1].city required",
      "people[2].city type",
    ]);
  });

  test("may have names that need escapes in a path", async () => {
    const name = "a/b~c%20 #[0].é🎉";
    const odd = { properties: { [name]: { properties: { [name]: { type: "number" } } } } };
    expect(await codes(odd, { [name]: { [name]: "x" } })).toEqual([`${name}.${name} type`]);
  });
});

test("a booking asks for more where its condition holds", async () => {
  const schema = {
    type: "object",
    properties: { kind: { enum: ["table", "room"] }, guests: { type: "integer" } },
    required: ["kind"],
    if: { properties: { kind: { const: "room" } }, required: ["kind"] },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    then: { required: ["nights"], properties: { nights: { minimum: 1 } } },
    else: { required: ["guests"], properties: { guests: { maximum: 8 } } },
  };
  expect(await codes(schema, { kind: "room" })).toEqual(["nights required"]);
  expect(await codes(schema, { kind: "room", nights: 0 })).toEqual(["nights minimum"]);
  expect(await codes(schema, { kind: "table", guests: 9 })).toEqual(["guests maximum"]);
  expect(await codes(schema, { kind: "table", guests: 8 })).toEqual([]);
  expect(await codes(schema, {})).toEqual(["kind required", "guests required"]);
});

describe("one of several schemas", () => {
  test("reports what is wrong in the one that is meant by its type", async () => {
    const schema = { properties: { a: { anyOf: [{ type: "string", minLength: 3 }, { type: "number" }] } } };
    expect(await codes(schema, { a: "x" })).toEqual(["a minLength"]);
    expect(await check(schema, { a: true })).toEqual([
      { field: "a", code: "type", message: "a must be a text or a number" },
    ]);
  });

  test("reports what is wrong in the one that is meant by a field of it", async () => {
    const branch = (kind: string, name: string) => ({
      properties: { kind: { const: kind }, [name]: { type: "string" } },
      required: ["kind", name],
    });
    const schema = { oneOf: [branch("person", "name"), branch("company", "vat")] };
    expect(await codes(schema, { kind: "company" })).toEqual(["vat required"]);
    expect(await codes(schema, { kind: "person", name: 1 })).toEqual(["name type"]);
    expect(await codes(schema, { name: "x", vat: "y" })).toEqual(["kind required"]);
    expect(await messages(schema, { kind: "x" })).toEqual(["kind must be one of: person, company"]);
  });

  test("reports the values of all", async () => {
    const schema = { oneOf: [{ const: "a", title: "A" }, { const: "b" }, { enum: ["c", 1] }] };
    expect(await messageFor(schema, "x")).toBe("a must be one of: a, b, c, 1");
  });

  test("allows an optional address to be empty", async () => {
    const schema = { anyOf: [{ const: "" }, { type: "string", format: "email" }] };
    expect(await messageFor(schema, "")).toBe("");
    expect(await messageFor(schema, "x")).toContain("e-mail address");
  });

  test("names the fields of which one is required", async () => {
    const schema = { anyOf: [{ required: ["email"] }, { required: ["phone"] }] };
    expect(await check(schema, { name: "x" })).toEqual([
      { field: "", code: "anyOf", message: "email or phone is required" },
    ]);
  });

  test("reports the keyword where several match, or nothing is clear", async () => {
    const both = { oneOf: [{ required: ["email"] }, { required: ["phone"] }] };
    expect(await codes(both, { email: 1, phone: 1 })).toEqual([" oneOf"]);
    const schema = { anyOf: [{ minLength: 3 }, { pattern: "^b" }] };
    expect(await messageFor(schema, "a")).toBe("a has a value that is not allowed");
  });
});

describe("fields that a schema does not name", () => {
  test("are refused by additionalProperties and unevaluatedProperties", async () => {
    const schema = {
      allOf: [{ properties: { a: {} } }, { patternProperties: { "^x-": { type: "string" } } }],
      unevaluatedProperties: false,
    };
    expect(await codes(schema, { a: 1, "x-b": "1", c: 1 })).toEqual(["c unevaluatedProperties"]);
    expect(await codes(schema, { "x-b": 1 })).toContain("x-b type");
    expect(await codes({ additionalProperties: { type: "number" } }, { a: "x" })).toEqual(["a type"]);
  });

  test("are named in a message only where the name is plain", async () => {
    const schema = { properties: { "Ihre Größe": { type: "number" } }, additionalProperties: false };
    const data = { "call 555 now": 1, extra: 1, "Ihre Größe": "x" };
    expect((await messages(schema, data)).toSorted()).toEqual([
      "Ihre Größe must be a number",
      "a field is not part of this form",
      "the field extra is not part of this form",
    ]);
  });

  test("are checked by patterns of their names, each that matches", async () => {
    const schema = {
      properties: { ab: { type: "number" } },
      patternProperties: { "^a": { minimum: 5 }, b$: { maximum: 1 } },
      additionalProperties: false,
    };
    expect(await codes(schema, { ab: 3 })).toEqual(["ab minimum", "ab maximum"]);
    expect(await codes(schema, { ab: "x" })).toEqual(["ab type"]);
    expect(await codes(schema, { a1: 1, "1b": 2, c: 1 })).toEqual([
      "a1 minimum",
      "1b maximum",
      "c additionalProperties",
    ]);
    const validation = await compileSchema(schema);
    const count = (data: Data) => validate(validation, data, "json").length;
    expect([count({ a1: 1 }), count({ a2: 9 }), count({ a1: 1 })]).toEqual([1, 0, 1]);
  });

  test("have names that propertyNames allows", async () => {
    const schema = { propertyNames: { anyOf: [{ pattern: "^[a-z]+$" }, { maxLength: 1 }] } };
    expect(await check(schema, { ok: 1, "1": 1, Bad1: 2 })).toEqual([
      { field: "Bad1", code: "propertyNames", message: "the field Bad1 has a name that is not allowed" },
    ]);
  });
});

test.each<[object, unknown, string]>([
  [{ type: "string" }, 1, "a must be a text"],
  [{ type: "integer" }, 1.5, "a must be a whole number"],
  [{ type: ["number", "null"] }, "x", "a must be a number or empty"],
  [{ type: "boolean" }, "x", "a must be true or false"],
  [{ type: "array" }, "x", "a must be a list"],
  [{ type: "object" }, [], "a must be a group of fields"],
  [{ const: true }, false, "a must be true"],
  [{ const: ["x", 1] }, "x", 'a must be ["x",1]'],
  [{ maximum: 5 }, 6, "a must be at most 5"],
  [{ exclusiveMinimum: 5 }, 5, "a must be more than 5"],
  [{ exclusiveMaximum: 5 }, 5, "a must be less than 5"],
  [{ multipleOf: 0.1 }, 0.25, "a must be a multiple of 0.1"],
  [{ minLength: 2 }, "x", "a must have at least 2 characters"],
  [{ maxLength: 1 }, "xx", "a must have at most 1 character"],
  [{ pattern: "^b" }, "x", "a is not in the expected format"],
  [{ minItems: 2 }, [1], "a must have at least 2 items"],
  [{ maxItems: 1 }, [1, 2], "a must have at most 1 item"],
  [{ uniqueItems: true }, [1, 1], "a must not have the same item twice"],
  [{ contains: { const: 1 } }, [2, 3], "a must have at least one item of the expected kind"],
  [
    { contains: { const: 1 }, minContains: 2 },
    [1, 3, 4],
    "a must have at least 2 items of the expected kind",
  ],
  [{ contains: { const: 1 }, maxContains: 1 }, [1, 1], "a must have at most 1 item of the expected kind"],
  [{ minProperties: 1 }, {}, "a must have at least 1 field"],
  [{ maxProperties: 1 }, { b: 1, c: 1 }, "a must have at most 1 field"],
  [{ not: { const: "x" } }, "x", "a has a value that is not allowed"],
  [{ prefixItems: [{}], items: false }, [1, 2], "a[1] is not allowed"],
  [{ prefixItems: [{}], unevaluatedItems: false }, [1, 2], "a[1] is not allowed"],
  [{ dependentRequired: { b: ["c", "d"] } }, { b: 1, d: 1 }, "the field a.c is required"],
  [{ dependentSchemas: { b: { required: ["c"] } } }, { b: 1 }, "the field a.c is required"],
])("%j says of %j: %s", async (schema, value, message) => {
  expect((await messageFor(schema, value)).replace("the field ", "")).toBe(message.replace("the field ", ""));
});

test("a long list of values is shortened, and so is a long value", async () => {
  const values = Array.from({ length: 30 }, (_, number) => `v${number}`);
  expect(await messageFor({ enum: values }, "x")).toEndWith("v18, v19, …");
  expect((await messageFor({ const: "x".repeat(500) }, "x")).length).toBeLessThan(100);
});

describe("formats", () => {
  test.each<[string, string[], string[]]>([
    ["email", ["a@example.com", "a.b+c@sub.example.co"], ["a", "a@", "@b.c", "a b@example.com", "a@b..c"]],
    ["uri", ["https://example.com/a?b#c", "mailto:a@example.com"], ["example.com", "http://a b", ""]],
    [
      "url",
      ["https://example.com", "http://localhost:3000/a"],
      ["javascript:alert(1)", "example.com", "https://"],
    ],
    ["date", ["2026-02-28", "2024-02-29"], ["2026-02-29", "2026-2-1", "28.02.2026", ""]],
    ["time", ["10:30", "10:30:59", "10:30:00Z", "10:30:00.5+02:00"], ["24:00", "10", "10:30pm"]],
    ["date-time", ["2026-01-31T10:30", "2026-01-31T10:30:00Z"], ["2026-01-31", "2026-13-01T10:30", "x"]],
    ["uuid", ["123e4567-e89b-12d3-a456-426614174000"], ["123e4567", ""]],
    ["ipv4", ["192.0.2.1"], ["192.0.2.256", "192.0.2"]],
    ["hostname", ["example.com"], ["-a.example", "a b"]],
  ])("%s", async (format, valid, invalid) => {
    for (const text of valid) expect([text, await messageFor({ format }, text)]).toEqual([text, ""]);
    for (const text of invalid) expect([text, await messageFor({ format }, text)]).not.toEqual([text, ""]);
    expect(await messageFor({ format }, 5)).toBe("");
  });

  test("nobody knows have no effect, whatever they are called", async () => {
    for (const format of ["binary", "toString", "__proto__", "constructor", "hasOwnProperty", ""]) {
      expect(await messageFor({ format }, "x")).toBe("");
    }
  });

  test("are checked beside a pattern, each with its own code", async () => {
    const schema = { properties: { a: { format: "email", pattern: "@example\\.com$" } } };
    expect(await codes(schema, { a: "b@example.com" })).toEqual([]);
    expect(await codes(schema, { a: "b@example.org" })).toEqual(["a pattern"]);
    expect(await codes(schema, { a: "b c@example.com" })).toEqual(["a format"]);
    expect(await codes(schema, { a: "b" })).toEqual(["a format", "a pattern"]);
  });
});

test("two schemas with different patterns do not disturb each other", async () => {
  const [digits, letters] = await Promise.all(
    ["^\\d+$", "^[a-z]+$"].map((pattern) => compileSchema({ properties: { a: { pattern } } })),
  );
  const errors = (validation: typeof digits, a: string) =>
    validation && validate(validation, { a }, "json").length;
  expect([errors(digits, "1"), errors(letters, "1"), errors(digits, "a"), errors(letters, "a")]).toEqual([
    0, 1, 1, 0,
  ]);
});

describe("names of prototypes", () => {
  const names = ["__proto__", "constructor", "toString", "hasOwnProperty"];
  const all = (value: unknown) =>
    JSON.parse(`{${names.map((name) => `"${name}":${JSON.stringify(value)}`).join()}}`) as Data;

  test("are fields like others", async () => {
    const schema = {
      required: names,
      properties: all({ type: "string", pattern: "^a" }),
      additionalProperties: false,
    };
    expect(await codes(schema, { other: 1 })).toEqual([
      ...names.map((name) => `${name} required`),
      "other additionalProperties",
    ]);
    expect(await codes(schema, all("b"))).toEqual(names.map((name) => `${name} pattern`));
    expect(await codes(schema, all("a"))).toEqual([]);
    expect(({} as Data)["a"]).toBeUndefined();
  });

  test("may be missing where others depend on them", async () => {
    const schema = { dependentRequired: all(["a"]), properties: { a: { required: names } } };
    expect(await codes(schema, { b: 1 })).toEqual([]);
    expect(await codes(schema, { a: {} })).toEqual(names.map((name) => `a.${name} required`));
  });
});

test("a check agrees with the library on what is valid", async () => {
  const leaf = fc.oneof(
    fc.constantFrom<unknown>(true, false, {}, { type: "string" }, { type: ["integer", "null"] }),
    fc.constantFrom<unknown>({ const: 1 }, { enum: ["a", [1], null] }, { minimum: 1 }, { maxLength: 1 }),
    fc.constantFrom<unknown>(
      { required: ["a"] },
      { minItems: 1 },
      { uniqueItems: true },
      { $ref: "#/$defs/d" },
    ),
  );
  const { schema } = fc.letrec<{ schema: unknown }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      leaf,
      fc.record({
        properties: fc.dictionary(fc.constantFrom("a", "b"), tie("schema")),
        additionalProperties: tie("schema"),
      }),
      fc.record(
        {
          patternProperties: fc.dictionary(fc.constantFrom("^a", "b"), tie("schema")),
          unevaluatedProperties: tie("schema"),
        },
        { requiredKeys: [] },
      ),
      fc.record(
        { prefixItems: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }), items: tie("schema") },
        { requiredKeys: ["items"] },
      ),
      fc.record(
        { contains: tie("schema"), minContains: fc.nat(2), unevaluatedItems: tie("schema") },
        { requiredKeys: ["contains"] },
      ),
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
      fc.record({ if: tie("schema"), then: tie("schema"), else: tie("schema") }),
      fc.record({ not: tie("schema"), propertyNames: tie("schema") }, { requiredKeys: [] }),
      fc
        .tuple(
          fc.constantFrom("allOf", "anyOf", "oneOf"),
          fc.array(tie("schema"), { minLength: 1, maxLength: 3 }),
        )
        .map(([keyword, parts]) => ({ [keyword]: parts })),
    ),
  }));
  const value = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom<unknown>(null, true, 0, 1, 2.5, "", "a", "ab"),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom("a", "b", "ab"), tie("value")),
    ),
  })).value;
  const property = fc.asyncProperty(schema, leaf, value, async (root, definition, a) => {
    const isLeafReference = (definition as Schema).$ref !== undefined;
    const full = { properties: { a: root }, $defs: { d: isLeafReference ? {} : definition } };
    const errors = await check(full, { a });
    const { valid } = new Validator(structuredClone(full) as Schema, "2020-12", false).validate({ a });
    expect(errors.length === 0).toBe(valid);
    for (const { field, message } of errors) {
      expect(field).toMatch(/^a\b/);
      expect(message).not.toContain("undefined");
    }
  });
  await fc.assert(property, { numRuns: 1000 });
});
