import { describe, expect, test } from "bun:test";
import { pageContentOf } from "../../../src/forms/intake/page-content.ts";

type Settings = Parameters<typeof pageContentOf>[0];

const contentOf = (schema: object, settings: Partial<Settings> = {}) =>
  pageContentOf({
    name: "Contact",
    honeypots: [],
    uploads: true,
    schema: schema as Record<string, unknown>,
    ...settings,
  });

/** The input for a property, which is required if asked. */
const inputFor = (property: unknown, required = false) =>
  contentOf({ properties: { a: property }, ...(required && { required: ["a"] }) }).inputs[0]!;

describe("the page of a schema", () => {
  test("has its title and description, and the properties as inputs in their order", () => {
    const content = contentOf({
      title: "Call me back",
      description: "We call.",
      required: ["first_name"],
      properties: { first_name: {}, lastName: { title: "Surname", description: "As in your passport" } },
    });
    expect(content).toMatchObject({
      title: "Call me back",
      description: "We call.",
      inputs: [
        { name: "first_name", label: "First name", hint: null, isRequired: true },
        { name: "lastName", label: "Surname", hint: "As in your passport", isRequired: false },
      ],
    });
    expect(contentOf({ properties: { a: {} } })).toMatchObject({ title: "Contact", description: null });
  });

  test("has what a reference leads to, in the schema itself and in fields", () => {
    const schema = {
      $ref: "#/$defs/contact",
      $defs: {
        contact: {
          title: "Hi",
          required: ["size"],
          properties: { size: { $ref: "#/$defs/size", title: "Size" } },
        },
        size: { enum: ["S", "M"], title: "?" },
      },
    };
    expect(contentOf(schema)).toMatchObject({
      title: "Hi",
      inputs: [{ label: "Size", kind: "radio", isRequired: true, choices: [{ value: "S" }, { value: "M" }] }],
    });
  });

  test("may have rules that name its fields", () => {
    const schema = {
      properties: { country: {}, state: {} },
      if: { properties: { country: { const: "US" } } },
      else: { required: ["state"] },
      dependentRequired: { state: ["country"] },
    };
    expect(contentOf(schema).inputs).toHaveLength(2);
  });
});

describe("the input for", () => {
  test.each<[property: unknown, expected: object]>([
    [true, { kind: "line", type: "text", minLength: null, maxLength: null }],
    [
      { type: "string", minLength: 2, maxLength: 200 },
      { kind: "line", minLength: 2, maxLength: 200 },
    ],
    [
      { type: "string", maxLength: 201 },
      { kind: "area", minLength: null, maxLength: 201 },
    ],
    [
      { type: ["string", "null"], format: "email", maxLength: 300 },
      { kind: "line", type: "email" },
    ],
    [{ format: "uri" }, { type: "url" }],
    [{ format: "date" }, { type: "date" }],
    [{ format: "time" }, { type: "time" }],
    [
      { format: "date-time", default: "2026-01-31T14:30:00Z" },
      { type: "datetime-local", initial: ["2026-01-31T14:30"] },
    ],
    [{ format: "hostname" }, { type: "text" }],
    [
      { type: "boolean", default: true },
      { kind: "box", initial: ["true"] },
    ],
    [{ const: true }, { kind: "box", initial: [] }],
    [{ enum: [true], type: "boolean" }, { kind: "box" }],
    [{ const: 5 }, { kind: "fixed", isShown: false, initial: ["5"] }],
    [
      { readOnly: true, default: "v2", enum: ["v1", "v2"] },
      { kind: "fixed", isShown: true, initial: ["v2"] },
    ],
    [
      { enum: ["a", 1, null, ""] },
      {
        kind: "select",
        choices: [
          { value: "a", label: "a" },
          { value: "1", label: "1" },
        ],
      },
    ],
    [
      { oneOf: [{ const: "a", title: "A" }, { const: "b" }] },
      {
        kind: "select",
        choices: [
          { value: "a", label: "A" },
          { value: "b", label: "b" },
        ],
      },
    ],
    [
      { type: "array", items: { enum: ["a", "b"] }, default: ["b"] },
      { kind: "boxes", choices: [{ value: "a" }, { value: "b" }], initial: ["b"] },
    ],
    [
      { type: "string", format: "binary" },
      { kind: "file", isMultiple: false },
    ],
    [
      { type: "array", items: { format: "binary" } },
      { kind: "file", isMultiple: true },
    ],
    [{ type: "integer" }, { kind: "number", min: null, max: null, step: 1 }],
    [
      { type: "integer", minimum: 0, exclusiveMaximum: 10 },
      { min: 0, max: 9, step: 1 },
    ],
    [{ type: "integer", minimum: 1.5, exclusiveMinimum: 1 }, { min: 2 }],
    [
      { type: "number", minimum: 0.5, exclusiveMaximum: 10 },
      { min: 0.5, max: null, step: "any" },
    ],
    [
      { type: "integer", minimum: 10, multipleOf: 5 },
      { min: 10, step: 5 },
    ],
    [
      { type: "integer", minimum: 11, multipleOf: 5 },
      { min: 11, step: 1 },
    ],
    [{ type: ["integer", "string"] }, { kind: "line" }],
    [{ anyOf: [{ type: "integer" }, { const: "more" }] }, { kind: "line" }],
  ])("%j", (property, expected) => {
    expect(inputFor(property)).toMatchObject(expected);
  });

  test("a required choice shows all of a few values", () => {
    expect(inputFor({ enum: [1, 2, 3, 4, 5] }, true)).toMatchObject({ kind: "radio", isRequired: true });
    expect(inputFor({ enum: [1, 2, 3, 4, 5, 6] }, true)).toMatchObject({ kind: "select" });
    expect(inputFor({ enum: ["", "a"] }, true)).toMatchObject({ isRequired: false });
  });

  test("a file, or a read-only field without a default, is left out where nobody can enter it", () => {
    const properties = { a: { format: "binary" }, b: { readOnly: true }, c: {} };
    expect(contentOf({ properties }, { uploads: false }).inputs.map(({ name }) => name)).toEqual(["c"]);
  });
});

describe("a schema is refused, with the field,", () => {
  const many = Object.fromEntries(Array.from({ length: 198 }, (_, index) => [`f${index}`, {}]));

  test.each<[what: string, schema: object, expected: string]>([
    ["without properties", { type: "object" }, "no properties"],
    [
      "with an object",
      { properties: { address: { type: "object" } } },
      "the field address holds other fields",
    ],
    ["with properties in a property", { properties: { address: { properties: {} } } }, "address"],
    [
      "with an object in a branch",
      { properties: { a: { anyOf: [{}, { type: ["object", "null"] }] } } },
      "the field a",
    ],
    [
      "with an object by reference",
      { properties: { a: { $ref: "#/$defs/o" } }, $defs: { o: { type: "object" } } },
      "the field a",
    ],
    [
      "with a list of texts",
      { properties: { tags: { type: "array", items: { type: "string" } } } },
      "the field tags is a list",
    ],
    ["with a list of anything", { properties: { tags: { items: {} } } }, "the field tags"],
    ["with a tuple", { properties: { a: { prefixItems: [{}] } } }, "the field a"],
    ["with a choice of objects", { properties: { a: { enum: [{}] } } }, "the field a"],
    ["with a field that takes nothing", { properties: { a: false } }, "the field a takes no value"],
    ["that requires a field without a property", { properties: { a: {} }, required: ["b"] }, "the field b"],
    ["with a rule for such a field", { properties: { a: {} }, else: { required: ["b"] } }, "the field b"],
    ["with a honeypot", { properties: { _gotcha: {} } }, "_gotcha is a honeypot"],
    ["with a honeypot of the form", { properties: { website: {} } }, "website is a honeypot"],
    ["with a control field", { properties: { altcha: {} } }, "altcha"],
    ["with a field without a name", { properties: { "": {} } }, "no name"],
    ["with a long name", { properties: { ["é".repeat(101)]: {} } }, "longer than 200 bytes"],
    [
      "that requires what is read-only",
      { properties: { a: { readOnly: true } }, required: ["a"] },
      "read-only",
    ],
    [
      "that requires a file the form does not take",
      { properties: { cv: { format: "binary" } }, required: ["cv"] },
      "the field cv is a required file",
    ],
    ["with too many fields", { properties: many }, "198 values"],
  ])("%s", (_, schema, expected) => {
    expect(() => contentOf(schema, { honeypots: ["website"], uploads: false })).toThrow(expected);
  });

  test("and a form without one", () => {
    expect(() => contentOf({}, { schema: null })).toThrow("the form has no schema");
  });
});
