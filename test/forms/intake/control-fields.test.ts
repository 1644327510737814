import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import {
  HONEYPOT_NAMES,
  controlNames,
  controlText,
  cutMembers,
  isHoneypotFilled,
  isHoneypotName,
} from "../../../src/forms/intake/control-fields.ts";

const cut = (json: string, names: Iterable<string>) =>
  cutMembers({ json, data: JSON.parse(json) }, new Set(names));

describe("a control field in JSON", () => {
  test("is cut out, and the rest of the text stays as it was written", () => {
    const { json, data, control } = cut(
      '{ "price" : 1.50 , "_gotcha" : "x", "id": 12345678901234567890, "big":1E400, "neg":-0.0e+00 }',
      ["_gotcha"],
    );
    expect(json).toBe('{"price" : 1.50,"id": 12345678901234567890,"big":1E400,"neg":-0.0e+00}');
    expect(data).toEqual(JSON.parse(json));
    expect([...control]).toEqual([["_gotcha", ["x"]]]);
  });

  test.each([
    ['{"_gotcha":"x"}', "{}"],
    ['{"_gotcha":"x","a":1}', '{"a":1}'],
    ['{"a":1,"_gotcha":"x"}', '{"a":1}'],
    ['{"a":1,"_gotcha":"x","b":2}', '{"a":1,"b":2}'],
    [' \t\r\n{ \n"_gotcha"\t:\r"x" , "a" : 1 } \n', '{"a" : 1}'],
    [String.raw`{"_gotch\u0061":"x","a":1}`, '{"a":1}'],
    ['{"a":1,"_gotcha":[1,{"b":[2,"]}"]},3],"c":"x"}', '{"a":1,"c":"x"}'],
    [
      String.raw`{"a":"\"_gotcha\":1,","_gotcha":"\\","b":"\\\""}`,
      String.raw`{"a":"\"_gotcha\":1,","b":"\\\""}`,
    ],
    [
      '{"a":{"_gotcha":"kept"},"_gotcha":"x","b":[{"_gotcha":1}]}',
      '{"a":{"_gotcha":"kept"},"b":[{"_gotcha":1}]}',
    ],
    ['{"":1,"_gotcha":"x","__proto__":{"c":2}}', '{"":1,"__proto__":{"c":2}}'],
    ['{"a":"_gotcha","_gotcha":1}', '{"a":"_gotcha"}'],
  ])("of %j leaves %j", (json, rest) => {
    const result = cut(json, ["_gotcha"]);
    expect(result.json).toBe(rest);
    expect(result.data).toEqual(JSON.parse(rest));
    expect(Object.keys(result.data)).toEqual(Object.keys(JSON.parse(rest)));
  });

  test.each(["__proto__", "constructor", "toString", ""])("may be called %j", (name) => {
    const { json, data, control } = cut(`{"a":1,${JSON.stringify(name)}:{"b":2}}`, [name]);
    expect(json).toBe('{"a":1}');
    expect(data).toEqual({ a: 1 });
    expect([...control]).toEqual([[name, [{ b: 2 }]]]);
    expect(cut('{"a":1}', [name]).control.size).toBe(0);
  });

  test("that is absent leaves the very text and object", () => {
    const json = ' {"a" : {"_gotcha": 1.0}} ';
    const data = JSON.parse(json);
    const result = cutMembers({ json, data }, controlNames([]));
    expect(result.json).toBe(json);
    expect(result.data).toBe(data);
    expect(result.control.size).toBe(0);
  });

  test("is cut out of any JSON, which parses to the other members, with numbers as written", () => {
    const names = ["_gotcha", "altcha", "__proto__", 'q"\\'];
    const space = fc.string({ unit: fc.constantFrom(" ", "\n", "\t", "\r"), maxLength: 2 });
    const escape = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
    const escaped = (text: string) => `"${text.split("").map(escape).join("")}"`;
    const name = fc.oneof(fc.constantFrom(...names), fc.string({ unit: "grapheme", maxLength: 5 }));
    const number = fc
      .tuple(fc.bigInt(), fc.constantFrom("", ".0", ".50", "e5", "E-07", ".1e+2"))
      .map(([integer, end]) => `${integer}${end}`);
    const value = fc.oneof(
      number,
      fc.jsonValue({ maxDepth: 5 }).map((value) => JSON.stringify(value, null, 1)),
      fc
        .tuple(space, number, space)
        .map(([before, number, after]) => `[${before}${number}${after},{"_gotcha":${number}}]`),
      fc.nat(14).map((depth) => `${"[".repeat(depth)}"],}"${"]".repeat(depth)}`),
    );
    const member = fc
      .record({ name, value, isEscaped: fc.boolean(), spaces: fc.tuple(space, space, space, space) })
      .map(({ name, value, isEscaped, spaces: [a, b, c, d] }) => {
        const key = isEscaped ? escaped(name) : JSON.stringify(name);
        return { name, value, source: `${a}${key}${b}:${c}${value}${d}` };
      });
    fc.assert(
      fc.property(
        fc.uniqueArray(member, { maxLength: 8, selector: ({ name }) => name }),
        space,
        (members, around) => {
          const json = `${around}{${members.map(({ source }) => source).join(",") || around}}${around}`;
          const result = cut(json, names);
          const kept = members.filter(({ name }) => !names.includes(name));
          expect(JSON.parse(result.json)).toEqual(
            Object.fromEntries(kept.map(({ name, value }) => [name, JSON.parse(value)])),
          );
          expect(result.data).toEqual(JSON.parse(result.json));
          const isCut = kept.length < members.length;
          expect(result.json).toBe(isCut ? `{${kept.map(({ source }) => source.trim()).join(",")}}` : json);
          for (const name of names) {
            const values = members
              .filter((member) => member.name === name)
              .map(({ value }) => JSON.parse(value));
            expect(result.control.get(name) ?? []).toEqual(values);
          }
        },
      ),
    );
  });

  test("is found among a megabyte of hostile JSON", () => {
    const backslashes = String.raw`\\`.repeat(100_000);
    const json = `{"a":"${backslashes}","b":[${"[],".repeat(100_000)}1],${'"a":"",'.repeat(20_000)}"_gotcha":"x"}`;
    const result = cut(json, ["_gotcha"]);
    expect(result.json).toBe(json.replace(',"_gotcha":"x"', ""));
  });
});

describe("a honeypot", () => {
  const filled = (...values: unknown[]) => isHoneypotFilled(new Map([["_gotcha", values]]));

  test.each([["x"], [" "], ["on"], ["0"], [0], [1], [true], [["x"]], [["", "x"]], [{ a: "" }]])(
    "is filled by %j",
    (value) => {
      expect(filled(value)).toBe(true);
      expect(filled("", value)).toBe(true);
    },
  );

  test.each([[""], [null], [false], ["false"], [[]], [["", null]], [{}]])("is not filled by %j", (value) => {
    expect(filled(value)).toBe(false);
    expect(filled(value, value)).toBe(false);
  });

  test("is any control field but those with another purpose", () => {
    expect(isHoneypotFilled(new Map())).toBe(false);
    expect(
      isHoneypotFilled(
        new Map([
          ["altcha", ["x"]],
          ["_idempotency", ["x"]],
        ]),
      ),
    ).toBe(false);
    for (const name of [...HONEYPOT_NAMES, "website"]) {
      expect(
        isHoneypotFilled(
          new Map([
            ["altcha", ["x"]],
            [name, ["x"]],
          ]),
        ),
      ).toBe(true);
    }
  });

  test("has one of four names, and those of the form", () => {
    expect([...controlNames(["website"])].toSorted()).toEqual(
      [
        "_formflag",
        "_gotcha",
        "_honeypot",
        "_idempotency",
        "_trap",
        "altcha",
        "botcheck",
        "website",
      ].toSorted(),
    );
  });

  test("may have any field name but that of another control field", () => {
    for (const name of ["website", "_gotcha", "é".repeat(100), "a b"]) {
      expect([name, isHoneypotName(name)]).toEqual([name, true]);
    }
    for (const name of ["", " ", "altcha", "_idempotency", "é".repeat(101), "\ud800"]) {
      expect([name, isHoneypotName(name)]).toEqual([name, false]);
    }
  });
});

test("the text of a control field is its first that is not empty", () => {
  const control = new Map([
    ["_idempotency", ["", null, 5, "a", "b"]],
    ["altcha", [{}]],
  ]);
  expect(controlText(control, "_idempotency")).toBe("a");
  expect(controlText(control, "altcha")).toBeNull();
  expect(controlText(control, "absent")).toBeNull();
});
