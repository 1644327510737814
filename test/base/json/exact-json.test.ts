import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { comparedTexts, numberIn, parseExactly, scalarText } from "../../../src/base/json/exact-json.ts";
import { isObject, isStructure } from "../../../src/base/json.ts";

/** Numbers of JSON that JavaScript writes in another way. */
const CHANGED = [
  "12345678901234567890",
  "-12345678901234567890",
  "9007199254740993",
  "123456789.12345678901",
  "0.10000000000000000001",
  "1.10",
  "-1.0",
  "1e400",
  "1E5",
  "0.0000001",
  "-0",
  "-0.0",
];

const anyNumber = fc
  .tuple(
    fc.constantFrom("", "-"),
    fc.stringMatching(/^(?:0|[1-9]\d{0,25})$/),
    fc.oneof(fc.constant(""), fc.stringMatching(/^\.\d{1,25}$/)),
    fc.oneof(fc.constant(""), fc.stringMatching(/^[eE][+-]?\d{1,3}$/)),
  )
  .map((parts) => parts.join(""));

describe("JSON that is parsed exactly", () => {
  test("is written again with every digit", () => {
    for (const json of CHANGED.flatMap((each) => [
      each,
      `[1,${each}]`,
      `{"a":{"__proto__":[${each},"1.10"]}}`,
    ]))
      expect(JSON.stringify(parseExactly(json))).toBe(json);
    expect(JSON.stringify(parseExactly('{ "a" :\n1.10\t}'))).toBe('{"a":1.10}');
    fc.assert(
      fc.property(fc.array(anyNumber), (numbers) => {
        const json = `[${numbers.join(",")}]`;
        expect(JSON.stringify(parseExactly(json))).toBe(json);
      }),
    );
  });

  test("has plain values for all that JavaScript writes as it was", () => {
    const json = '{"a":[1,-1.5,1e+21,"12345678901234567890 1.10",true,null],"b":{}}';
    expect(parseExactly(json)).toEqual(JSON.parse(json));
  });

  test("has numbers that are neither objects nor lists, and compare with both of their texts", () => {
    for (const each of CHANGED) {
      const value = parseExactly(each);
      expect([isObject(value), isStructure(value), scalarText(value)]).toEqual([false, false, each]);
      expect(comparedTexts(value)).toEqual([each, String(Number(each))]);
      expect(JSON.stringify(numberIn(each))).toBe(each);
    }
    expect([
      comparedTexts("a"),
      comparedTexts(1),
      comparedTexts(true),
      comparedTexts(null),
      comparedTexts([1]),
    ]).toEqual([["a"], ["1"], ["true"], [], []]);
  });
});
