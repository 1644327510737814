import { describe, expect, test } from "bun:test";
import * as z from "zod/mini";
import { AppError } from "../../../src/base/errors.ts";
import { documentSchema } from "../../../src/documents/document-schema.ts";
import { flagPatchSchema } from "../../../src/flags/flag-schema.ts";
import { formPatchSchema } from "../../../src/forms/form-schema.ts";
import { ShapeError, parseShape } from "../../../src/operations/schema/shape.ts";

const many = (count: number, value: unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, value]));

const lists = (length: number) => Array.from({ length }, () => []);

const flags = (entries: object) => ({
  projects: {
    shop: { name: "Shop", environments: { production: { segments: { a: true } } }, flags: entries },
  },
});
const on = {
  description: "x",
  environments: { production: { enabled: true, expiredAt: "2030-01-01T00:00:00Z" } },
};

/** How often other work has taken its turn until a promise is settled. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let next = setImmediate(function count() {
    turns += 1;
    next = setImmediate(count);
  });
  await work;
  clearImmediate(next);
  return turns;
}

describe("a document that is checked in turns", () => {
  test.each([
    ["is empty", {}],
    ["has a flag", flags({ a: on })],
    ["has thousands of flags", flags(many(3000, on))],
    ["has forms", { forms: many(300, { name: "A form", allowedTypes: [".PDF"] }) }],
    ["has a large flag", flags({ a: on, b: { environments: many(500, { payload: many(20, 1) }) }, c: on })],
  ])("is parsed as at once, where it %s", async (_, document) => {
    const parsed = await parseShape(documentSchema, document);
    expect(JSON.stringify(parsed)).toBe(JSON.stringify(z.parse(documentSchema, document)));
  });

  test.each([
    ["a name that is not known", { projects: { shop: { more: 1 } } }],
    ["a section that is a list", { projects: { shop: { flags: [] } } }],
    ["a description that is a number", flags({ ...many(3000, on), last: { description: 1 } })],
    ["a name of a flag that is none", flags({ ...many(3000, on), "no name": {} })],
    ["a payload in a flag that is large", flags({ a: { environments: many(500, { enabled: "yes" }) } })],
    ["a form", { forms: { ...many(300, {}), last: { maxFiles: -1 } } }],
    ["a name of a project", { projects: { "no name": flags({ a: on }).projects.shop } }],
    ["a name of a project that is large", { projects: { "no name": { flags: many(3000, on) } } }],
  ])("has the same first fault as at once: %s", async (_, document) => {
    const fault = z.safeParse(documentSchema, document).error?.issues[0];
    const error = await parseShape(documentSchema, document).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ShapeError);
    const [issue] = (error as ShapeError).issues;
    expect([issue?.path, issue?.message]).toEqual([fault?.path, fault?.message]);
  });

  test("lets other work take its turns", async () => {
    expect(await turnsDuring(parseShape(documentSchema, flags(many(60_000, {}))))).toBeGreaterThan(10);
    expect(await turnsDuring(parseShape(documentSchema, { forms: many(20_000, {}) }))).toBeGreaterThan(5);
    const wide = { a: { environments: many(40_000, { enabled: true }) } };
    expect(await turnsDuring(parseShape(documentSchema, flags(wide)))).toBeGreaterThan(5);
  });
});

describe("a value that would take long to check", () => {
  const refusal = async (schema: z.ZodMiniType, value: unknown) => {
    const error = await parseShape(schema, value).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(AppError);
    return (error as AppError).message;
  };

  test.each([
    ["a million names that mean nothing", { projects: { shop: many(1_000_000, 1) } }, "projects.shop"],
    [
      "a payload of a million lists",
      flags({ a: { environments: { b: { payload: lists(1_000_000) } } } }),
      "",
    ],
    ["variants", flags({ a: { environments: { b: { variants: many(30_000, 1) } } } }), ""],
    [
      "a rule of a segment",
      { projects: { s: { environments: { e: { segments: { a: many(30_000, 1) } } } } } },
      "",
    ],
    ["settings of a form", { forms: { a: { schema: many(30_000, 1) } } }, "forms.a"],
  ])("is refused in a document: %s", async (_, document, place) => {
    expect(await refusal(documentSchema, document)).toStartWith(place);
  });

  test.each([
    ["variants", flagPatchSchema, { variants: many(80_000, 1) }],
    ["metadata of other values", flagPatchSchema, { metadata: many(80_000, null) }],
    ["a payload", flagPatchSchema, { payload: many(80_000, {}) }],
    ["names that mean nothing", flagPatchSchema, many(80_000, 1)],
    ["a schema", formPatchSchema, { schema: many(80_000, 1) }],
    ["lists in lists", flagPatchSchema, { payload: lists(340_000) }],
  ] as const)("is refused in a body of 1 MB: %s", async (_, schema, body) => {
    expect(await refusal(schema, body)).toContain(
      "more than 20000 names in an object, or more than 300000 values",
    );
  });

  test("is metadata with many values of another kind, of which one fault is reported", async () => {
    const error = await parseShape(flagPatchSchema, { metadata: many(20_000, null) }).catch(
      (e: unknown) => e,
    );
    expect((error as ShapeError).issues.length).toBe(1);
  });
});
