import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { findInexact, findInexactInTurns } from "../../src/base/json.ts";

describe("a number that JSON cannot keep", () => {
  test.each<[json: string, steps: string[], source: string]>([
    ["9007199254740993", [], "9007199254740993"],
    ['{"a":[1,{"b\\"c":-9007199254740993}]}', ["a", "1", 'b"c'], "-9007199254740993"],
    ['{"a":{"b":[]},"c":"]","d":[[0,1],12345678901234567890]}', ["d", "1"], "12345678901234567890"],
    ["[1e400]", ["0"], "1e400"],
    ["[0,-1E+309]", ["1"], "-1E+309"],
    [`[${"9".repeat(400)}]`, ["0"], "9".repeat(400)],
  ])("is found with the way to it: %s", (json, steps, source) => {
    expect(findInexact(json)).toEqual({ steps, source });
  });

  test.each([
    '"9007199254740993"',
    '{"9007199254740993":"\\"9007199254740993","e1000":1}',
    "[9007199254740991,9007199254740992,100000000000000000000000,1e300,-0]",
    "0.12345678901234567890",
    "[9007199254740993",
  ])("is no text, no name, no fraction, and nothing in what is no JSON: %s", (json) => {
    expect(findInexact(json)).toBeUndefined();
  });

  test("is never one that was written as JSON, so that an export is taken back", () => {
    const value = fc.jsonValue().chain((rest) => fc.tuple(fc.constant(rest), fc.double({ noNaN: true })));
    fc.assert(fc.property(value, (value) => expect(findInexact(JSON.stringify(value))).toBeUndefined()));
  });

  test("is every integer whose digits do not come back", () => {
    fc.assert(
      fc.property(fc.bigInt(-(2n ** 80n), 2n ** 80n), (integer) => {
        const read = JSON.parse(`${integer}`) as number;
        const isKept = BigInt(read.toLocaleString("en", { useGrouping: false })) === integer;
        expect(findInexact(`[${integer}]`) === undefined).toBe(isKept);
      }),
    );
  });
});

test("a number that JSON cannot keep is found in megabytes, wherever their parts begin", async () => {
  for (const before of ["[1e400,", '{"a":"1e400","b":[9007199254740993,']) {
    const close = before.startsWith("{") ? "]}" : "]";
    for (let place = 262_144 - 30; place < 262_144 + 5; place += 1) {
      const json = `[${'"x",'.repeat(10)}"${"x".repeat(place - 50)}",${before}1${close},${"1,".repeat(200_000)}1]`;
      expect(await findInexactInTurns(json)).toEqual(findInexact(json));
      expect(await findInexactInTurns(json)).toBeDefined();
    }
  }
  const sound = `["${"x".repeat(600_000)}",9007199254740991,"9007199254740993"]`;
  expect(await findInexactInTurns(sound)).toBeUndefined();
});
