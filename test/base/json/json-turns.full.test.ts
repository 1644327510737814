import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { setClock } from "../../../src/base/clock.ts";
import { parseInTurns, stringifyInTurns, stringifyMembers } from "../../../src/base/json/json-turns.ts";
import { turnsOf } from "../../support/records/turns.ts";

const LONG = "x".repeat(70_000);

/** What comes of a text: its value, or an error. */
const outcomeOf = async (parse: () => unknown) => {
  try {
    return { value: await parse() };
  } catch (error) {
    return { isSyntaxError: error instanceof SyntaxError };
  }
};

async function expectSame(json: string): Promise<void> {
  const expected = await outcomeOf(() => JSON.parse(json) as unknown);
  const outcome = await outcomeOf(() => parseInTurns(json));
  if (!Bun.deepEquals(outcome, expected, true)) throw new Error(`differs: ${json.replaceAll(LONG, "LONG")}`);
}

test("any JSON is parsed as `JSON.parse` does it", async () => {
  // Large texts make the containers around them large, wherever they are.
  const leaf = fc.oneof(
    fc.constant(LONG),
    fc.string(),
    fc.integer(),
    fc.constant(null),
    fc.constant(']},\\"{['),
  );
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.array(tie("tree"), { maxLength: 5 }),
      fc.dictionary(fc.oneof(fc.string(), fc.constantFrom("__proto__", "1", "a")), tie("tree"), {
        maxKeys: 5,
      }),
    ),
  }));
  await fc.assert(
    fc.asyncProperty(tree, fc.constantFrom(0, 1, "\t"), (value, space) =>
      expectSame(JSON.stringify(value, null, space)),
    ),
    { numRuns: 300 },
  );
});

test("what is not JSON is refused, wherever the fault is", async () => {
  const sound = `{"a":["${LONG}",1],"b":{"c":"${LONG}","a":2},"a":[[],["${LONG}"]]}`;
  await expectSame(sound);
  const short = sound.replaceAll(LONG, "L");
  for (let place = 0; place < short.length; place += 1) {
    for (const other of ["", ",", "]", "}", "[", "{", ":", '"', " ", "1", "\u00a0"]) {
      await expectSame((short.slice(0, place) + other + short.slice(place + 1)).replaceAll("L", LONG));
      await expectSame((short.slice(0, place) + other + short.slice(place)).replaceAll("L", LONG));
    }
  }
});

test("a large object leaves other work its turns", async () => {
  const json = JSON.stringify(
    Object.fromEntries(Array.from({ length: 200_000 }, (_, index) => [`n${index}`, 1])),
  );
  // Each look at the clock finds that the turn is over, however fast the machine is.
  let now = 0;
  setClock({ steady: () => (now += 1000) });
  const { result, turns } = await turnsOf(() => parseInTurns(json));
  setClock();
  expect(Object.keys(result as object)).toHaveLength(200_000);
  expect(turns).toBeGreaterThan(5);
});

test("values are written in lists of some of them, in their order", async () => {
  const values = Array.from({ length: 3000 }, (_, index) => ({ index, text: "x".repeat(index % 200) }));
  const texts = await stringifyInTurns(values);
  expect(texts.length).toBeGreaterThan(2);
  expect(texts.flatMap((text) => JSON.parse(text) as unknown[])).toEqual(values);
  expect(await stringifyInTurns([])).toEqual([]);
  expect(await stringifyInTurns([1])).toEqual(["[1]"]);
});

test("an object is written as `JSON.stringify` does it, to any level", async () => {
  const value = {
    a: { b: { c: [1, { d: null }] }, "1": "x\n" },
    e: undefined,
    f: {},
    g: "é",
    h: { i: undefined },
  };
  for (const levels of [1, 2, 3, 9])
    expect(await stringifyMembers(value, levels)).toBe(JSON.stringify(value));
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue()), async (object) =>
      expect(await stringifyMembers(object, 3)).toBe(JSON.stringify(object)),
    ),
  );
});
