import { describe, expect, test } from "bun:test";
import type { Context } from "../../../src/flags/flagd/evaluate.ts";
import { imported, refusalOf } from "../../support/imported.ts";

type Json = Record<string, unknown>;

const state = (name: string, enabled: boolean, value: unknown, more: Json = {}) => ({
  feature: { name },
  enabled,
  feature_state_value: value,
  ...more,
});
const when = (property_: string, operator: string, value: unknown = null) => ({ property_, operator, value });
const segment = (name: string, conditions: Json[], ...feature_states: Json[]) => ({
  id: name,
  name,
  rules: [{ type: "ALL", rules: [{ type: "ANY", conditions }] }],
  feature_states,
});
const fileOf = (feature_states: Json[], segments: Json[] = [], more: Json = {}) => ({
  name: "Production",
  feature_states,
  project: { segments },
  ...more,
});

describe("a condition of Flagsmith", () => {
  test.each<[condition: Json, inside: Context[], outside: Context[]]>([
    [when("it", "EQUAL", "5"), [{ it: "5" }, { it: 5 }, { it: true }], [{ it: 6 }, {}, { it: false }]],
    [when("it", "EQUAL", "false"), [{ it: false }], [{ it: true }]],
    [when("it", "NOT_EQUAL", "a"), [{ it: "b" }], [{ it: "a" }, {}]],
    [when("it", "GREATER_THAN", "18"), [{ it: 19 }], [{ it: 18 }, {}]],
    [when("it", "LESS_THAN_INCLUSIVE", "b"), [{ it: "a" }, { it: "b" }], [{ it: "c" }, { it: 1 }]],
    [when("it", "LESS_THAN", "2.0.0:semver"), [{ it: "1.9.0" }], [{ it: "2.0.0" }, { it: "v1.0.0" }]],
    [when("it", "CONTAINS", "b"), [{ it: "abc" }], [{ it: "ac" }, { it: 5 }, {}]],
    [when("it", "NOT_CONTAINS", "b"), [{ it: "ac" }], [{ it: "abc" }, {}]],
    [when("it", "REGEX", "a+"), [{ it: "aab" }], [{ it: "ba" }, {}]],
    [when("it", "REGEX", "[0-9]$"), [{ it: 5 }], [{ it: 55 }]],
    [when("it", "REGEX", "T|false"), [{ it: true }, { it: "false" }], [{ it: false }]],
    [when("it", "IN", "a,5"), [{ it: "a" }, { it: 5 }], [{ it: "b" }, {}]],
    [when("it", "IN", '["a,b"]'), [{ it: "a,b" }], [{ it: "a" }]],
    [when("it", "MODULO", "3|1"), [{ it: 4 }], [{ it: 3 }, { it: "4" }, {}]],
    [when("it", "IS_SET"), [{ it: 0 }], [{}]],
    [when("it", "IS_NOT_SET"), [{}], [{ it: 0 }]],
    [when("$.identity.identifier", "EQUAL", "ann"), [{ targetingKey: "ann" }], [{}]],
  ])("%j", async (condition, inside, outside) => {
    const { read } = await imported(
      "flagsmith",
      fileOf([state("f", false, null)], [segment("s", [condition], state("f", true, null))]),
    );
    for (const context of inside) expect([context, read("f", context)]).toEqual([context, true]);
    for (const context of outside) expect([context, read("f", context)]).toEqual([context, false]);
  });
});

describe("what Flagsmith's engines evaluate in different ways", () => {
  const noted = async (...rules: Json[]) => {
    const own = { id: 1, name: "s", rules, feature_states: [state("f", true, null)] };
    const { read, notes } = await imported("flagsmith", fileOf([state("f", false, null)], [own]));
    return { read, messages: notes.map(({ message }) => message) };
  };

  test.each([
    ["a pattern", when("it", "REGEX", "a+"), "matches from the beginning"],
    ["a remainder", when("it", "MODULO", "3|1"), "negative number"],
  ])("is noted: %s", async (_, condition, words) => {
    const { messages } = await noted({ type: "ALL", rules: [{ type: "ANY", conditions: [condition] }] });
    expect(messages).toEqual([expect.stringContaining(words)]);
  });

  test("is noted: rules in one of the type NONE or ANY, which all have to hold", async () => {
    const inner = (value: string) => ({ type: "ALL", conditions: [when("it", "EQUAL", value)] });
    for (const type of ["NONE", "ANY"]) {
      const { read, messages } = await noted({ type, rules: [inner("a")] });
      expect([read("f", { it: "a" }), read("f", { it: "b" })]).toEqual([true, false]);
      expect(messages).toEqual([expect.stringContaining(`the type ${type} all have to hold`)]);
    }
    const { read, messages } = await noted({ type: "ALL", rules: [inner("a"), inner("a")] });
    expect([read("f", { it: "a" }), messages]).toEqual([true, []]);
  });

  test("a share of the identities by one of their traits is by that attribute", async () => {
    const split = (property: string) => when(property, "PERCENTAGE_SPLIT", "100");
    const rules = (property: string) => ({ type: "ALL", conditions: [split(property)] });
    const { read, messages } = await noted(rules("org"));
    expect([read("f", { org: "acme" }), read("f", { targetingKey: "ann" })]).toEqual([true, false]);
    expect(messages).toEqual([expect.stringContaining("readers by org")]);
    for (const key of ["", "$.identity.key", "$.identity.identifier"])
      expect((await noted(rules(key))).read("f", { targetingKey: "ann" })).toBe(true);
  });
});

describe("a feature of Flagsmith", () => {
  const pro = [when("plan", "EQUAL", "pro")];

  test("needs the features that it depends on, which its file has as a segment for readers without these", async () => {
    const without = (...names: string[]) =>
      names.map((name) => when(`$.flags.${name}.enabled`, "NOT_EQUAL", "true"));
    const first = { feature_segment: { priority: 0 } };
    const segments = [
      segment("system", without("base", "other.one"), state("f", false, "v", first)),
      segment("pros", pro, state("base", true, null), state("f", true, "pro")),
      segment("strange", [...without("base"), ...pro], state("skipped", false, null)),
    ];
    const states = [state("f", true, "v"), state("base", false, null), state("other.one", true, null)];
    const { read, needs, skipped } = await imported(
      "flagsmith",
      fileOf([...states, state("skipped", true, null)], segments),
    );
    expect(needs("f")).toEqual(["base", "other.one"]);
    const values = [read("f", { plan: "pro" }), read("f"), read("f.value", { plan: "pro" })];
    expect(values).toEqual([true, undefined, "pro"]);
    expect(skipped).toEqual([
      {
        flag: "skipped",
        message: "the segment strange: it asks for $.flags.base.enabled, the state of another feature",
      },
    ]);
  });

  test("is a flag that is on or off, and one for its value", async () => {
    const { read, document } = await imported(
      "flagsmith",
      fileOf([state("f", true, "hello"), state("plain", false, null)]),
    );
    expect(Object.keys(document.flags)).toEqual(["f", "f.value", "plain"]);
    expect([read("f"), read("f.value"), read("plain")]).toEqual([true, "hello", false]);
  });

  test("has the state of its identity, else of the first of its segments by priority", async () => {
    const segments = [
      segment("pro", pro, state("f", false, "pro", { feature_segment: { priority: 2 } })),
      segment(
        "early",
        [when("early", "EQUAL", "true")],
        state("f", true, "early", { feature_segment: { priority: 1 } }),
      ),
    ];
    const identity_overrides = [{ identifier: "ann", identity_features: [state("f", false, "ann's")] }];
    const { read } = await imported(
      "flagsmith",
      fileOf([state("f", true, "base")], segments, { identity_overrides }),
    );
    const readers = [{}, { plan: "pro" }, { plan: "pro", early: true }, { targetingKey: "ann", early: true }];
    expect(readers.map((context) => read("f.value", context))).toEqual(["base", "pro", "early", "ann's"]);
    expect(readers.map((context) => read("f", context))).toEqual([true, false, true, false]);
  });

  test("keeps shares of values and of segments, and notes them", async () => {
    const multivariate_feature_state_values = [
      { percentage_allocation: 30, multivariate_feature_option: { value: "v1" } },
    ];
    const { read, notes } = await imported(
      "flagsmith",
      fileOf(
        [state("f", true, "control", { multivariate_feature_state_values }), state("g", false, null)],
        [segment("some", [when("", "PERCENTAGE_SPLIT", "20")], state("g", true, null))],
      ),
    );
    const keys = Array.from({ length: 1000 }, (_, at) => `user-${at}`);
    const count = (flag: string, value: unknown) =>
      keys.filter((targetingKey) => read(flag, { targetingKey }) === value).length;
    expect(Math.abs(count("f.value", "v1") - 300)).toBeLessThan(60);
    expect(Math.abs(count("g", true) - 200)).toBeLessThan(60);
    expect(read("f.value")).toBe("control");
    expect(notes.map(({ flag }) => flag)).toEqual(["f.value", "g"]);
  });

  test("with what rules cannot say, or values of several types, is skipped", async () => {
    const { skipped } = await imported(
      "flagsmith",
      fileOf(
        [state("f", true, "a"), state("g", true, null)],
        [
          segment("pro", pro, state("f", true, 5)),
          segment("odd", [when("a", "SOUNDS", "b")], state("g", true, null)),
        ],
      ),
    );
    expect(skipped.map(({ flag }) => flag)).toEqual(["g", "f.value"]);
    expect(await refusalOf("flagsmith", { flags: [] })).toContain("Flagsmith");
  });
});

test("of overrides in Flagsmith with the same priority, the last counts", async () => {
  const override = (value: string, priority?: number) =>
    state("f", true, value, priority === undefined ? {} : { feature_segment: { priority } });
  const all = [when("it", "EQUAL", "a")];
  const segments = [
    segment("one", all, override("one")),
    segment("two", all, override("two")),
    segment("three", all, override("three", 1)),
    segment("four", all, override("four", 1)),
  ];
  const read = async (count: number) => {
    const { read } = await imported(
      "flagsmith",
      fileOf([state("f", true, "base")], segments.slice(0, count)),
    );
    return read("f.value", { it: "a" });
  };
  expect([await read(2), await read(3), await read(4)]).toEqual(["two", "three", "four"]);
});
