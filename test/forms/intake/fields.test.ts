import { describe, expect, test } from "bun:test";
import { AppError } from "../../../src/base/errors.ts";
import { checkData, checkDepth, createFields, quoted } from "../../../src/forms/intake/fields.ts";
import { SUBMISSION_LIMITS } from "../../../src/forms/limits.ts";

const KiB = 1024;

/** The code and message that a call throws; undefined if it does not. */
function refusal(call: () => void): Pick<AppError, "code" | "message"> | undefined {
  try {
    call();
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(AppError);
    const { code, message } = error as AppError;
    return { code, message };
  }
}

const tooLarge = (...words: string[]) => ({
  code: "too_large" as const,
  message: expect.stringMatching(new RegExp(words.join(".*"))),
});

test("the limits are those of the design", () => {
  expect(SUBMISSION_LIMITS).toMatchObject({
    fields: 200,
    fieldName: 200,
    fieldValue: 256 * KiB,
    body: KiB * KiB,
    depth: 16,
  });
});

describe("text fields", () => {
  const jsonOf = (...pairs: [string, string][]) => {
    const fields = createFields();
    for (const [name, value] of pairs) fields.add(name, value);
    return JSON.stringify(fields.toData());
  };

  test("become an object in the order they came", () => {
    expect(jsonOf(["b", "1"], ["a", ""], ["", "nameless"])).toBe('{"b":"1","a":"","":"nameless"}');
  });

  test("that repeat keep every value in order as an array", () => {
    expect(jsonOf(["a", "1"], ["b", "x"], ["a", "2"], ["a", "1"])).toBe('{"a":["1","2","1"],"b":"x"}');
  });

  test.each(["__proto__", "constructor", "toString", "hasOwnProperty"])("may be called %s", (name) => {
    expect(jsonOf([name, "1"])).toBe(`{"${name}":"1"}`);
    expect(jsonOf([name, "1"], [name, "2"])).toBe(`{"${name}":["1","2"]}`);
    expect(({} as Record<string, unknown>)["1"]).toBeUndefined();
  });

  test("count each value", () => {
    const fields = createFields();
    expect(fields.size()).toBe(0);
    for (let count = 0; count < 200; count += 1) fields.add(count % 2 ? "a" : "b", "x");
    expect(fields.size()).toBe(200);
    expect(refusal(() => fields.add("a", "x"))).toEqual(tooLarge("200 fields"));
  });

  test("can be cut out by name, and then are neither counted nor in the JSON", () => {
    const fields = createFields();
    for (const name of ["a", "trap", "b", "trap", "__proto__", "key"]) fields.add(name, `of ${name}`);
    const control = fields.cut(new Set(["key", "trap", "absent", "__proto__"]));
    expect([...control]).toEqual([
      ["key", ["of key"]],
      ["trap", ["of trap", "of trap"]],
      ["__proto__", ["of __proto__"]],
    ]);
    expect(fields.size()).toBe(2);
    expect(JSON.stringify(fields.toData())).toBe('{"a":"of a","b":"of b"}');
    expect(fields.toData()).toEqual({ a: "of a", b: "of b" });
    expect(fields.cut(new Set(["key", "trap"])).size).toBe(0);
  });

  test("have names of at most 200 bytes of UTF-8", () => {
    for (const name of ["n".repeat(200), "é".repeat(100), "🎉".repeat(50)]) {
      expect(refusal(() => createFields().add(name, ""))).toBeUndefined();
      expect(refusal(() => createFields().add(`${name}x`, ""))).toEqual(tooLarge("field name", "200 bytes"));
    }
  });

  test("have values of at most 256 KiB of UTF-8, and the message names the field and the limit", () => {
    for (const value of ["v".repeat(256 * KiB), "é".repeat(128 * KiB), "🎉".repeat(64 * KiB)]) {
      expect(refusal(() => createFields().add("note", value))).toBeUndefined();
      expect(refusal(() => createFields().add("note", `${value}x`))).toEqual(
        tooLarge('"note"', "256 KB", "262144"),
      );
    }
  });
});

describe("the JSON of a submission", () => {
  test.each([[[]], [null], ["text"], [1], [true], [[{ a: 1 }]]])("is an object, not %j", (data) => {
    expect(refusal(() => checkData(data))).toMatchObject({
      code: "invalid",
      message: expect.stringContaining("object"),
    });
  });

  test("has at least one field", () => {
    expect(refusal(() => checkData({}))).toMatchObject({
      code: "invalid",
      message: expect.stringContaining("empty"),
    });
  });

  test("may have fields of any type", () => {
    expect(refusal(() => checkData({ a: null, b: false, c: 0, d: "", e: [], f: {} }))).toBeUndefined();
    expect(refusal(() => checkData(JSON.parse('{"__proto__":1}')))).toBeUndefined();
  });

  test("is nested at most 16 levels, itself being the first", () => {
    const depth = (text: string) => refusal(() => checkDepth(Buffer.from(text)));
    const lists = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
    const objects = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
    const text = String.raw`"[[[[[[[[[[[[[[[[[[\\\"[[[[[[[[[[[[[[[[[["`;
    const fine = [
      objects(16),
      `{"a":${lists(15)},"b":${lists(15)}}`,
      `{${text}:[${text}]}`,
      `{"a":[${"[],".repeat(99)}1]}`,
    ];
    for (const json of fine) expect(depth(json)).toBeUndefined();
    const deep = [objects(17), `{"a":${lists(16)}}`, `{${text}:${lists(16)}}`, "[".repeat(17)];
    for (const json of deep) expect(depth(json)).toEqual(tooLarge("deeper", "16"));
  });

  test("has at most 200 fields with names of at most 200 bytes", () => {
    const fields = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`f${index}`, index]));
    expect(refusal(() => checkData(fields))).toBeUndefined();
    expect(refusal(() => checkData({ ...fields, more: 1 }))).toEqual(tooLarge("200 fields"));
    expect(refusal(() => checkData({ ["n".repeat(201)]: 1 }))).toEqual(tooLarge("field name", "200 bytes"));
  });

  test("has texts of at most 256 KiB, however deep they stand", () => {
    const long = "v".repeat(256 * KiB + 1);
    for (const value of [long, [long], { in: [{ side: long }] }]) {
      expect(refusal(() => checkData({ note: value }))).toEqual(tooLarge('"note"', "256 KB"));
    }
    expect(refusal(() => checkData({ note: ["v".repeat(256 * KiB)] }))).toBeUndefined();
  });
});

test("a name in a message is quoted, short, and shows its control characters", () => {
  expect(quoted('a"b\n\u001b[31m')).toBe('"a\\"b\\n\\u001b[31m"');
  expect(quoted("x".repeat(500)).length).toBeLessThan(100);
  expect(quoted("\ud800").isWellFormed()).toBe(true);
});
