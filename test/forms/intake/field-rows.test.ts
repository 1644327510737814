import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import {
  BLANK_FIELD,
  type FieldRow,
  rowsOfSchema,
  schemaOfRows,
} from "../../../src/forms/intake/field-rows.ts";
import { FIELD_TYPES } from "../../../src/forms/intake/row-types.ts";
import { compileSchema } from "../../../src/forms/validation/validation.ts";

type Schema = Record<string, unknown>;

const NONE: ReadonlySet<string> = new Set();
const row = (given: Partial<FieldRow>): FieldRow => ({ ...BLANK_FIELD, ...given });
const rowsOf = (schema: Schema | null) => {
  const read = rowsOfSchema(schema);
  if ("problem" in read) throw new Error(read.problem);
  return read.rows;
};
const schemaOf = (rows: readonly FieldRow[], base: Schema | null = null) =>
  schemaOfRows(base, rows, NONE).schema;

const text = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.constantFrom("Your name", "名前", "اسم", "", " a\r\nb\0 "),
);
const choices = fc.uniqueArray(text, { minLength: 1, maxLength: 4 });
const anyRow = fc.record({
  name: fc.constant(""),
  label: fc.oneof(text, fc.constantFrom("Name", "name", "1", "__proto__")),
  type: fc.constantFrom(...FIELD_TYPES),
  required: fc.boolean(),
  choices: fc.uniqueArray(fc.constantFrom("red", "green", "blau", "赤"), { maxLength: 3 }),
  help: text,
});
const property = fc.record(
  {
    title: text,
    description: text,
    type: fc.constantFrom("string", "number", "integer", "boolean", "array", ["string", "null"]),
    format: fc.constantFrom("email", "date", "uri", "binary", "time"),
    enum: fc.oneof(choices, fc.constant([true]), fc.constant([1, 2])),
    const: fc.constantFrom(true, "a", 1),
    items: fc.oneof(
      choices.map((values) => ({ type: "string", enum: values })),
      fc.constant({ format: "binary" }),
    ),
    oneOf: fc.constant([{ const: "a", title: "A" }]),
    minLength: fc.nat(9),
    maxLength: fc.constantFrom(20, 200, 201, 5000),
    minimum: fc.integer(),
    default: fc.constantFrom("a", 1, true),
    readOnly: fc.boolean(),
  },
  { requiredKeys: [] },
);
const anySchema = fc
  .record(
    {
      $schema: fc.constant("https://json-schema.org/draft/2020-12/schema"),
      required: fc.shuffledSubarray(["email", "1", "__proto__", "your name"]),
      title: text,
      type: fc.constant("object"),
      properties: fc
        .uniqueArray(
          fc.tuple(fc.constantFrom("email", "1", "__proto__", "your name", "b", "c\nd"), property),
          {
            selector: ([name]) => name,
          },
        )
        .map((entries): object => Object.fromEntries(entries)),
      additionalProperties: fc.boolean(),
      minProperties: fc.nat(3),
    },
    { requiredKeys: [] },
  )
  .map((schema): Schema => schema);

/** A row as the fields of a page give it back. */
function retyped(each: FieldRow): FieldRow {
  const lines = (value: string) => value.replaceAll("\0", "\uFFFD").replaceAll(/\r\n?/g, "\n").toWellFormed();
  return { ...each, label: lines(each.label).replaceAll("\n", ""), help: lines(each.help) };
}

describe("the rows of a schema", () => {
  test("write back the schema that they were read from, to the letter", () => {
    fc.assert(
      fc.property(anySchema, (schema) => {
        const read = rowsOfSchema(schema);
        if ("problem" in read) return;
        const written = schemaOfRows(schema, read.rows.map(retyped), NONE);
        expect(written.faults).toEqual([]);
        expect(JSON.stringify(written.schema)).toBe(JSON.stringify(schema));
      }),
      { numRuns: 300 },
    );
  });

  test("are read back from the schema that they wrote, which submissions can be checked by", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyRow, { maxLength: 6 }), async (rows) => {
        const { schema, faults } = schemaOfRows(null, rows, NONE);
        if (faults.length > 0) return;
        if (schema !== null) await compileSchema(schema);
        const read = rowsOf(schema);
        expect(schemaOf(read, schema)).toEqual(schema);
        const orderOf = (each: Pick<FieldRow, "label" | "type" | "required">) =>
          `${each.label.trim().replaceAll(/\s+/g, " ").replaceAll("\0", "\uFFFD")} ${each.type} ${each.required}`;
        const typed = rows.filter(({ label }) => label.trim() !== "");
        expect(read.map(orderOf)).toEqual(typed.map(orderOf));
        expect(read.map((each) => each.choices)).toEqual(
          typed.map((each) => (each.type.startsWith("choice") ? each.choices : [])),
        );
      }),
      { numRuns: 100 },
    );
  });

  test("write a schema of each type, in their order", () => {
    expect(
      schemaOf([
        row({ label: "Your name", required: true }),
        row({ label: "Message", type: "paragraph", help: "What can we do?" }),
        row({ label: "E-mail", type: "email", required: true }),
        row({ label: "Guests", type: "number", choices: ["left from before"] }),
        row({ label: "Day", type: "date" }),
        row({ label: "Vegan", type: "yes or no" }),
        row({ label: "Size", type: "choice", choices: ["S", "M"] }),
        row({ label: "Days", type: "choices", choices: ["Mon", "Tue"] }),
      ]),
    ).toEqual({
      type: "object",
      properties: {
        your_name: { title: "Your name", type: "string" },
        message: { title: "Message", type: "string", maxLength: 10_000, description: "What can we do?" },
        e_mail: { title: "E-mail", type: "string", format: "email" },
        guests: { title: "Guests", type: "number" },
        day: { title: "Day", type: "string", format: "date" },
        vegan: { title: "Vegan", type: "boolean" },
        size: { title: "Size", type: "string", enum: ["S", "M"] },
        days: { title: "Days", type: "array", items: { enum: ["Mon", "Tue"] }, uniqueItems: true },
      },
      required: ["your_name", "e_mail"],
    });
  });

  test("change what they say, and keep what they cannot", () => {
    const base = {
      title: "Order",
      required: ["size"],
      properties: {
        size: { type: "string", enum: ["S", "M"], default: "S", $comment: "from the shop" },
        name: { title: "Name", type: "string", minLength: 2 },
        website: { type: "string", format: "uri" },
      },
      additionalProperties: false,
    };
    const [size, name, website] = rowsOf(base) as [FieldRow, FieldRow, FieldRow];
    expect(website).toMatchObject({ label: "Website", type: "other" });
    const changed = [
      { ...name, required: true, type: "paragraph" as const },
      website,
      { ...size, choices: ["L"] },
    ];
    expect(JSON.stringify(schemaOf(changed, base))).toBe(
      JSON.stringify({
        title: "Order",
        required: ["size", "name"],
        properties: {
          name: { title: "Name", type: "string", minLength: 2, maxLength: 10_000 },
          website: { type: "string", format: "uri" },
          size: { type: "string", enum: ["L"], $comment: "from the shop" },
        },
        additionalProperties: false,
      }),
    );
    expect(schemaOf([{ ...website, type: "number" }], base)).toMatchObject({
      properties: { website: { type: "number" } },
    });
  });

  test("get names that nothing else has", () => {
    const rows = ["Name", "name!", "2026", "名前", "?", "_gotcha"].map((label) => row({ label }));
    const { schema } = schemaOfRows(null, rows, new Set(["gotcha"]));
    expect(Object.keys(schema!["properties"] as object)).toEqual([
      "name",
      "name_2",
      "field_2026",
      "名前",
      "field",
      "gotcha_2",
    ]);
  });

  test("are left out while they are blank, and say what is missing", () => {
    expect(schemaOf([row({})])).toBeNull();
    const rows = [
      row({}),
      row({ help: "?" }),
      row({ label: "Size", type: "choice" }),
      row({ label: "B", type: "choices", choices: ["a", "a"] }),
      row({ label: "\u200b" }),
    ];
    expect(schemaOfRows(null, rows, NONE).faults).toEqual([
      { row: 1, part: "label", message: "write a label" },
      { row: 2, part: "choices", message: "write the choices, a line each" },
      { row: 3, part: "choices", message: "the choice a is there twice" },
      { row: 4, part: "label", message: "write a label" },
    ]);
  });

  test("have a name of its first characters where a label is 120 KB of marks, in linear time", () => {
    const label = `a${"\u0301\u0316".repeat(30_000)}`;
    const { properties } = schemaOf([row({ label })]) as { properties: Schema };
    const [name] = Object.keys(properties);
    expect(Array.from(name!)).toHaveLength(40);
    expect(name).toStartWith("\u00e1");
  });

  test("are none for a schema that is not flat, which says why", () => {
    const nested = { properties: { address: { type: "object" } } };
    expect(rowsOfSchema(nested)).toEqual({
      problem: "the schema is not flat: the field address holds other fields",
    });
    for (const name of ["", "a\rb", "a\0"])
      expect(rowsOfSchema({ properties: { [name]: { type: "string" } } })).toEqual({
        problem: `pages cannot show the name ${JSON.stringify(name)}`,
      });
    expect(rowsOfSchema({ $ref: "#/$defs/a", $defs: { a: { properties: { a: {} } } } })).toHaveProperty(
      "problem",
    );
  });
});
