import { FlagdCore } from "@openfeature/flagd-core";
import { describe, expect, test } from "bun:test";
import { findFault, findSegmentFault } from "../../../src/flags/flagd/check.ts";
import { type Context, compileFlag, subjectOf } from "../../../src/flags/flagd/evaluate.ts";
import { inlineSegments } from "../../../src/flags/flagd/nested-segments.ts";
import type { FlagRules } from "../../../src/flags/rules/rules.ts";

const BOOLEAN = { variants: { on: true, off: false }, defaultVariant: "off" };
const compile = (rules: FlagRules, segments = new Map<string, unknown>()) => {
  const run = compileFlag("flag", rules, segments);
  return (context: Context) => run(subjectOf(context));
};
const evaluate = (
  targeting: Record<string, unknown>,
  context: Context,
  segments = new Map<string, unknown>(),
) => compile({ ...BOOLEAN, targeting }, segments)(context);
const elements = (count: number) => Array.from({ length: count }, (_, index) => index);

describe("a flag with variants", () => {
  test("serves its default where it has no rule", () => {
    expect(compile(BOOLEAN)({})).toEqual({
      reason: "STATIC",
      variant: "off",
      value: false,
    });
    expect(compile({ ...BOOLEAN, targeting: {} })({})).toMatchObject({
      reason: "STATIC",
    });
  });

  test("serves nothing without a default, or what its rule yields", () => {
    const { defaultVariant: _, ...rules } = BOOLEAN;
    expect(compile(rules)({})).toEqual({ reason: "DEFAULT" });
    const targeting = { if: [{ "==": [{ var: "a" }, 1] }, "on"] };
    const run = compile({ ...rules, targeting });
    expect(run({ a: 1 })).toEqual({ reason: "TARGETING_MATCH", variant: "on", value: true });
    expect(run({})).toEqual({ reason: "DEFAULT" });
  });

  test("fails where its rule yields no variant of it", () => {
    expect(evaluate({ if: [true, "other"] }, {})).toMatchObject({ errorCode: "GENERAL" });
  });

  test.each<[what: string, context: Context]>([
    ["an object with a text of its own", { at: { toString: "on" } }],
    ["an object of nothing but that", { at: { toString: null, valueOf: null } }],
    ["it in a list", { at: [{ toString: 1 }] }],
  ])("fails where its rule yields what has no text: %s", (_, context) => {
    expect(evaluate({ var: "at" }, context)).toMatchObject({ errorCode: "GENERAL" });
  });

  test.each(["constructor", "toString", "__proto__", "hasOwnProperty"])(
    "fails where its rule yields %s, which every object has and no flag",
    (name) => {
      expect(evaluate({ if: [true, name] }, {})).toMatchObject({ errorCode: "GENERAL" });
    },
  );
});

describe("shares", () => {
  const share = (percent: number) => ({
    fractional: [
      ["on", percent],
      ["off", 100 - percent],
    ],
  });
  const isIn = (percent: number, targetingKey: string) =>
    (evaluate(share(percent), { targetingKey }) as { variant?: string }).variant === "on";

  test("never move anybody out as they grow", () => {
    const keys = elements(300).map((index) => `user-${index}`);
    let before = new Set<string>();
    for (const percent of [0, 5, 25, 50, 90, 100]) {
      const now = new Set(keys.filter((key) => isIn(percent, key)));
      expect([...before].filter((key) => !now.has(key))).toEqual([]);
      before = now;
    }
    expect(before.size).toBe(keys.length);
  });

  test("are dealt out within 1 % over 100,000 keys", () => {
    const run = compile({ ...BOOLEAN, targeting: share(25) });
    let count = 0;
    for (let index = 0; index < 100_000; index += 1)
      if ((run({ targetingKey: `user-${index}` }) as { variant?: string }).variant === "on") count += 1;
    expect(Math.abs(count / 100_000 - 0.25)).toBeLessThan(0.01);
  });

  // MurmurHash3 of the UTF-8 bytes of flag and key, as flagd in Go hashes them, worked out with another implementation.
  test.each(["user-1", "Jürgen", "名前", "😀", "é", ""])("hash the bytes of the key %j", (targetingKey) => {
    if (targetingKey === "")
      return expect(evaluate(share(50), { targetingKey })).toMatchObject({ reason: "DEFAULT" });
    const hash = murmur3(Buffer.from(`flag${targetingKey}`));
    const buckets = elements(100).map((index) => [`v${index}`, 1]);
    const variants = Object.fromEntries(buckets.map(([name]) => [name, String(name)]));
    const run = compile({ variants, targeting: { fractional: buckets } });
    const expected = Number((BigInt(hash) * 100n) >> 32n);
    expect(run({ targetingKey })).toMatchObject({ variant: `v${expected}` });
  });

  test("are those of flagd's library, whatever the buckets are", () => {
    const weights = [1, 0, -3, 7.5, 2 ** 20, 2 ** 31 - 1, "5", null, { var: "weight" }];
    const results = ["on", "off", 1, true, null, ["on"], { var: "result" }];
    const keys: unknown[] = [{ var: "name" }, { cat: [{ var: "$flagd.flagKey" }, { var: "name" }] }, "fixed"];
    const core = new FlagdCore();
    const pick = <T>(list: readonly T[], seed: number) => list[seed % list.length]!;
    for (let seed = 0; seed < 600; seed += 1) {
      const buckets = elements(1 + (seed % 4)).map((index) => {
        const [result, weight] = [pick(results, seed * 3 + index), pick(weights, seed * 5 + index)];
        return seed % 7 === 0 ? [result] : [result, weight];
      });
      const by = seed % 3 === 0 ? [] : [pick(keys, seed)];
      const rules = {
        variants: { on: "on", off: "off", 1: "1", true: "true" },
        defaultVariant: "off",
        targeting: { fractional: [...by, ...buckets] },
      };
      core.setConfigurations(JSON.stringify({ flags: { flag: { state: "ENABLED", ...rules } } }));
      const run = compile(rules);
      for (const name of ["ann", "bob", "a name longer than the others", ""]) {
        const context = { targetingKey: name, name, weight: name.length, result: "on" };
        const { reason, value, variant, errorCode } = core.resolveStringEvaluation("flag", "", context);
        const ours = run(context);
        if (errorCode !== undefined) expect(ours).toMatchObject({ errorCode });
        else expect(ours).toEqual({ reason, value, variant } as never);
      }
    }
  });

  test.each<[what: string, element: unknown]>([
    ["a text", "a"],
    ["an object", { targetingKey: "a" }],
    ["an object that names a flag", { targetingKey: "a", $flagd: { flagKey: "flag" } }],
  ])("yield nothing in a loop, where %s takes the place of the context", (_, element) => {
    for (const by of [[{ var: "" }], [], ["fixed"]]) {
      const inner = { fractional: [...by, ["on", 1]] };
      const rule = { if: [{ some: [{ var: "list" }, { "==": [inner, "on"] }] }, "on", "off"] };
      expect(evaluate(rule, { list: [element] })).toMatchObject({ variant: "off" });
    }
  });

  test("count as operations of a rule", () => {
    const share = { fractional: ["fixed", ["on", 1], ["off", 1]] };
    const outcomeOf = (count: number) =>
      evaluate({ if: [{ or: elements(count).map(() => ({ "==": [share, "never"] })) }, "on", "off"] }, {});
    expect(outcomeOf(8000)).toMatchObject({ variant: "off" });
    expect(outcomeOf(20_000)).toMatchObject({ errorDetails: expect.stringContaining("operations") });
  });

  test("may be dealt out by another property, whose bytes are hashed too", () => {
    const rule = { fractional: [{ var: "name" }, ["on", 50], ["off", 50]] };
    const expected = murmur3(Buffer.from("Jürgen")) < 2 ** 31 ? "on" : "off";
    expect(evaluate(rule, { name: "Jürgen" })).toMatchObject({ variant: expected });
  });
});

describe("segments", () => {
  const staff = { ends_with: [{ var: "email" }, "@example.com"] };
  const rule = { if: [{ $ref: "staff" }, "on"] };

  test("stand in the place of what refers to them", () => {
    const segments = new Map([["staff", staff]]);
    expect(evaluate(rule, { email: "ann@example.com" }, segments)).toMatchObject({ variant: "on" });
    expect(evaluate(rule, { email: "ann@example.org" }, segments)).toMatchObject({ reason: "DEFAULT" });
  });

  test("that do not exist make the rule a PARSE_ERROR", () => {
    expect(evaluate(rule, {})).toMatchObject({ errorCode: "PARSE_ERROR" });
  });

  test("may refer to each other, in whichever order they were made", () => {
    const entries: [string, unknown][] = [
      ["a", { "!": [{ $ref: "b" }] }],
      ["b", true],
    ];
    for (const segments of [new Map(entries), new Map(entries.toReversed())])
      expect(inlineSegments(segments, { $ref: "a" })).toEqual({ "!": [true] });
  });

  test("that come back to themselves make the rule a PARSE_ERROR", () => {
    const circle = new Map<string, unknown>([
      ["staff", { "!": [{ $ref: "other" }] }],
      ["other", { "!": [{ $ref: "staff" }] }],
    ]);
    expect(evaluate(rule, {}, circle)).toMatchObject({ errorCode: "PARSE_ERROR" });
  });

  test("that grow without bounds as they are put in are refused", () => {
    const names = elements(20).map((index) => `s${index}`);
    const segments = new Map<string, unknown>(
      names.map((name, index) => [
        name,
        { and: elements(10).map(() => ({ $ref: names[index + 1] ?? "end" })) },
      ]),
    );
    expect(evaluate({ if: [{ $ref: "s0" }, "on"] }, {}, segments)).toMatchObject({
      errorCode: "PARSE_ERROR",
    });
    expect(findFault({ ...BOOLEAN, targeting: { if: [{ $ref: "s0" }, "on"] } }, segments)).toMatchObject({
      path: "/targeting",
    });
  });
});

describe("a rule that would take too long or too much", () => {
  const list = elements(1000);
  const text = "x".repeat(60_000);
  const texts = list.map(() => ({ var: "text" }));
  const again = (rule: unknown) => ({
    reduce: [{ var: "list" }, { if: [rule, { var: "accumulator" }, { var: "accumulator" }] }, texts],
  });

  test.each<[what: string, rule: Record<string, unknown>]>([
    [
      "goes through lists in lists",
      { if: [{ map: [{ var: "list" }, { map: [{ var: "../../list" }, { "+": [{ var: "" }, 1] }] }] }, "on"] },
    ],
    [
      "compares lists in lists, which the library inlines",
      {
        if: [
          { some: [{ var: "list" }, { some: [{ var: "../../list" }, { "==": [{ var: "" }, -1] }] }] },
          "on",
        ],
      },
    ],
    [
      "reads a long text as a number for each element of a list",
      { if: [{ some: [{ var: "list" }, { "==": [{ var: "../../digits" }, 5] }] }, "on"] },
    ],
    [
      "doubles a list",
      { reduce: [{ var: "list" }, { merge: [{ var: "accumulator" }, { var: "accumulator" }] }, [1]] },
    ],
    [
      "doubles a text",
      { reduce: [{ var: "list" }, { cat: [{ var: "accumulator" }, { var: "accumulator" }] }, "a"] },
    ],
    ["looks for a list in a text", again({ in: [{ var: "accumulator" }, "text"] })],
    ["looks for all that a long list names", again({ missing: [{ var: "accumulator" }] })],
  ])("ends with an error, and the next one runs: it %s", (_, rule) => {
    const digits = "1".repeat(60_000);
    expect(evaluate(rule, { list, text, digits })).toMatchObject({ errorCode: "GENERAL" });
    expect(
      evaluate({ if: [{ some: [{ var: "list" }, { "==": [{ var: "" }, 999] }] }, "on"] }, { list }),
    ).toMatchObject({ variant: "on" });
  });
});

describe("a rule that yields a text beyond measure", () => {
  const context = { list: elements(1000), text: "x".repeat(60_000) };
  const texts = { map: [{ var: "list" }, { var: "../../text" }] };

  test.each<[what: string, rule: Record<string, unknown>]>([
    ["a list of long texts", texts],
    ["lists in a list", { map: [{ var: "list" }, { map: [[1], { var: "../../../../text" }] }] }],
    ["a text of such a list", { cat: [texts] }],
    ["one long text", { var: "text" }],
  ])("ends with a short error: %s", (_, rule) => {
    const result = evaluate(rule, context);
    expect(result).toMatchObject({ errorCode: "GENERAL" });
    expect(JSON.stringify(result).length).toBeLessThan(1000);
  });
});

describe("a fault in a definition", () => {
  test.each<[what: string, rules: FlagRules, path: string, message: string]>([
    ["an operation that flagd does not have", { ...BOOLEAN, targeting: { val: "a" } }, "/targeting", '"val"'],
    ["variants of two types", { variants: { a: 1, b: "1" } }, "/variants", "number and string"],
    [
      "a rule deeper than can be read",
      { ...BOOLEAN, targeting: JSON.parse(`${'{"!":['.repeat(40)}1${"]}".repeat(40)}`) },
      "/targeting",
      "64 levels",
    ],
  ])("is named with its place: %s", (_, rules, path, message) => {
    const fault = findFault(rules, new Map())!;
    expect(fault.path).toStartWith(path);
    expect(fault.message).toContain(message);
  });

  test("is none where a rule refers to a segment that is still to be made", () => {
    for (const targeting of [{ if: [{ $ref: "later" }, "on"] }, { $ref: "later" }])
      expect(findFault({ ...BOOLEAN, targeting }, new Map())).toBeUndefined();
  });
});

describe("arguments that flagd's own operations do not know", () => {
  const odd: Record<string, unknown>[] = [
    { if: [{ sem_ver: [{ var: "version" }, "===", "1.0.0"] }, "on", "off"] },
    { if: [{ sem_ver: [{ var: "version" }, "=", "v1.0.0"] }, "on", "off"] },
    { if: [{ starts_with: ["abc"] }, "on", "off"] },
    { fractional: [{ var: "targetingKey" }, ["on", -50], ["off", 100]] },
  ];

  test("are no fault in a file, and one in a rule that is written here", () => {
    for (const targeting of odd) {
      expect(findFault({ ...BOOLEAN, targeting }, new Map())).toBeUndefined();
      expect(findFault({ ...BOOLEAN, targeting }, new Map(), true)?.path).toStartWith("/targeting/");
    }
    expect(findSegmentFault(odd[0])).toBeUndefined();
    expect(findSegmentFault(odd[0], true)).toBeDefined();
  });

  test("hide no operation that flagd does not have", () => {
    for (const unknown of [{ val: "a" }, { if: [{ try: [1] }] }])
      expect(findFault({ ...BOOLEAN, targeting: { starts_with: [unknown] } }, new Map())).toBeDefined();
  });

  test("evaluate to null, as in flagd", () => {
    expect(evaluate(odd[0]!, { version: "1.0.0" })).toMatchObject({ variant: "off" });
    expect(evaluate(odd[1]!, { version: "1.0.0" })).toMatchObject({ variant: "on" });
    expect(evaluate(odd[2]!, {})).toMatchObject({ variant: "off" });
    expect(evaluate(odd[3]!, { targetingKey: "a" })).toMatchObject({ variant: "off" });
  });
});

/** MurmurHash3 for 32 bits, seed 0: https://github.com/aappleby/smhasher/wiki/MurmurHash3 */
function murmur3(bytes: Buffer): number {
  const mix = (value: number) => {
    let k = Math.imul(value, 0xcc9e2d51);
    k = (k << 15) | (k >>> 17);
    return Math.imul(k, 0x1b873593);
  };
  let hash = 0;
  const whole = bytes.length - (bytes.length % 4);
  for (let at = 0; at < whole; at += 4) {
    hash ^= mix(bytes.readUInt32LE(at));
    hash = (hash << 13) | (hash >>> 19);
    hash = (Math.imul(hash, 5) + 0xe6546b64) | 0;
  }
  let tail = 0;
  for (let at = bytes.length - 1; at >= whole; at -= 1) tail = (tail << 8) | bytes[at]!;
  if (whole < bytes.length) hash ^= mix(tail);
  hash ^= bytes.length;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
