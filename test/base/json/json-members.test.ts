import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import {
  findRepeat,
  findRepeatInTurns,
  mayRepeat,
  splitRepeats,
  withoutRepeats,
} from "../../../src/base/json/json-members.ts";

test("JSON may repeat a name only where it has more members than what it parses to", () => {
  const may = (json: string) => mayRepeat(json, JSON.parse(json));
  expect(may('{"a":"at 12:30 https://x.example","b":[{"a":1},{"a":1}]}')).toBe(false);
  expect(may('{"a" : 1, "b"\n:{}, "c":[{"d":[]}]}')).toBe(false);
  expect(may('{"a":1,"b":[{"c":1,"c" :1}]}')).toBe(true);
});

test.each<[json: string, steps: string[] | undefined]>([
  ['{"a":1,"b":{"a":1},"c":[{"a":1},{"a":2}]}', undefined],
  ['{"a":"\\"a\\":1","b":" : : : "}', undefined],
  ['{"a":1,"\\u0061":2}', ["a"]],
  ['{"x":{"y":[0,{"a":1,"b":2,"a":3}]}}', ["x", "y", "a"]],
  ["[1]", undefined],
  ['"a"', undefined],
])("the first name that repeats in %s is found with the names on the way to it", (json, steps) => {
  expect(findRepeat(json, JSON.parse(json))).toEqual(steps);
});

test("it is found in a long text too, also behind its first part", async () => {
  const long = Array.from({ length: 100_000 }, (_, index) => `"name-${index}":${index}`).join(",");
  for (const [json, steps] of [
    [`{"x":{${long}}}`, undefined],
    [`{"x":{${long},"name-7":1}}`, ["x", "name-7"]],
  ] as const)
    expect(await findRepeatInTurns(json, JSON.parse(json))).toEqual(steps as never);
});

describe("JSON in which a name repeats", () => {
  test.each([
    ['{"a":1.00,"a":2.000}', '{"a":2.000}'],
    ['{"a":1,"b":12345678901234567890,"a":2}', '{"b":12345678901234567890,"a":2}'],
    [
      ' { "a" : 1 , "a" : { "b" : [ 1.0 , { "c":1, "c":2.50 } ] } } ',
      ' { "a" : { "b" : [ 1.0 , { "c":2.50 } ] } } ',
    ],
    ['{"a":{"b":1,"b":2},"a":3}', '{"a":3}'],
    [String.raw`{"a":1,"\u0061":2}`, String.raw`{"\u0061":2}`],
    [String.raw`{"a\"":"},\"a","a\"":"\\"}`, String.raw`{"a\"":"\\"}`],
    ['{"__proto__":1,"__proto__":2,"":3,"":4}', '{"__proto__":2,"":4}'],
    ['[{"a":1,"a":2},{"a":1}]', '[{"a":2},{"a":1}]'],
  ])("%j keeps the last value: %j", (json, kept) => {
    expect(withoutRepeats(json)).toBe(kept);
    expect(JSON.parse(kept)).toEqual(JSON.parse(json));
    expect(mayRepeat(json, JSON.parse(json))).toBe(true);
  });

  test("has its other values as objects", () => {
    expect(splitRepeats('{"a": {"x":1,"x":2} , "b":1, "a":2, "a":[] }')).toEqual({
      kept: '{ "b":1, "a":[] }',
      repeats: ['{"a": {"x":1,"x":2} }', '{ "a":2}'],
    });
  });

  test.each([
    "{}",
    '{"a":"a:b:{\\":","b":{"a":1},"c":[{"a":1},{"a":1}],"d":"x: y"}',
    '[1,"a",[]]',
    '"a:b"',
    "1.0",
  ])("unlike %j is changed", (json) => {
    expect(withoutRepeats(json)).toBe(json);
  });

  test("parses to the same, whatever else it holds", () => {
    const space = fc.constantFrom("", " ", "\n\t");
    const name = fc.constantFrom('"a"', '"b"', '"\\u0061"', '":"', '"\\\\"', '"{\\""', '"__proto__"');
    const { value } = fc.letrec<{ value: string }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        fc.constantFrom("1", "-1.50", "1e400", "null", '"x"', '"}],:\\""', '""'),
        fc.array(tie("value"), { maxLength: 3 }).map((items) => `[${items.join(",")}]`),
        fc
          .array(fc.tuple(space, name, space, tie("value")), { maxLength: 5 })
          .map((members) => `{${members.map(([a, b, c, d]) => `${a}${b}${c}:${c}${d}${a}`).join(",")}}`),
      ),
    }));
    const isRepeated = (json: string) => json !== withoutRepeats(json);
    fc.assert(
      fc.property(value, (json) => {
        const kept = withoutRepeats(json);
        expect(JSON.parse(kept)).toEqual(JSON.parse(json));
        expect(isRepeated(kept)).toBe(false);
        const data: unknown = JSON.parse(json);
        const isObject = typeof data === "object" && data !== null;
        if (isObject && isRepeated(json)) expect(mayRepeat(json, data)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    ["members", `{${Array.from({ length: 120_000 }, (_, at) => `"${at % 7}":1`).join(",")}}`],
    ["different names", `{${Array.from({ length: 80_000 }, (_, at) => `"${at}":1`).join(",")},"0":2}`],
    ["objects", `[${'{"a":1,"a":1},'.repeat(70_000)}1]`],
    ["backslashes", `{"a":"${String.raw`\\`.repeat(250_000)}","a":"${String.raw`\"`.repeat(250_000)}"}`],
    ["colons", `{"a":"${":".repeat(1_000_000)}","a":1}`],
  ])("may be a megabyte of %s", (_, json) => {
    const start = performance.now();
    expect(mayRepeat(json, JSON.parse(json))).toBe(true);
    expect(withoutRepeats(json).length).toBeLessThan(json.length);
    expect(performance.now() - start).toBeLessThan(2000);
  });
});
