import { expect, test } from "bun:test";
import { differencesInWords, valueInWords } from "../../../src/flags/rules/difference-words.ts";

const SWITCH = { variants: { on: true, off: false }, defaultVariant: "off" };
const STAFF = { if: [{ $ref: "staff" }, "on"] };
const OWN = { if: [{ "==": [1, { var: "a" }] }, "on"] };

test("a difference of rules is in words, of which one that has none is null", () => {
  const [changed] = differencesInWords({ ...SWITCH, targeting: STAFF }, { ...SWITCH, targeting: OWN });
  expect(changed).toMatchObject({
    field: "rule",
    words: { before: "segment staff: on; everyone else off", after: null },
  });
  expect(differencesInWords({ rule: true }, { rule: { $ref: "staff" } })).toMatchObject([
    { words: { before: "everyone", after: "segment staff" } },
  ]);
  expect(differencesInWords({ targeting: STAFF }, {})).toMatchObject([
    { words: { before: "segment staff: on; everyone else the default", after: null } },
  ]);
});

test("a difference that words do not show stays JSON", () => {
  const more = { if: [{ "==": [2, { var: "a" }] }, "on"] };
  const same = { if: [{ $ref: "staff" }, "on", null] };
  for (const [before, after] of [
    [OWN, more],
    [STAFF, same],
  ])
    expect(
      differencesInWords({ ...SWITCH, targeting: before }, { ...SWITCH, targeting: after }),
    ).toMatchObject([{ words: null, before, after }]);
});

test("whole states have rules in words, and a payload that looks like one stays", () => {
  const state = { enabled: true, ...SWITCH, targeting: STAFF };
  const { targeting: _, ...rest } = state;
  const worded = { ...rest, rule: "segment staff: on; everyone else off" };
  expect(valueInWords(null, state)).toEqual(worded);
  expect(valueInWords("production", state)).toEqual(worded);
  expect(valueInWords(null, { description: "", environments: { production: state } })).toEqual({
    description: "",
    environments: { production: worded },
  });
  expect(valueInWords("environments", { production: state })).toEqual({ production: worded });
  expect(valueInWords(null, { rule: { $ref: "staff" } })).toEqual({ rule: "segment staff" });
  for (const payload of [{ targeting: STAFF }, { rule: true }, { environments: { a: state } }])
    expect(valueInWords("payload", payload)).toBe(payload);
  expect(valueInWords(null, { enabled: true, payload: { rule: true }, rule: true })).toEqual({
    enabled: true,
    payload: { rule: true },
    rule: true,
  });
});

test("the course of a ramp has its time and its shares in words", () => {
  const ramp = { variant: "on", every: 86_400, to: [1, 12.5, 100] };
  expect(valueInWords(null, ramp)).toEqual({ variant: "on", every: "1 day", to: "1 %, 12.5 %, 100 %" });
  expect(differencesInWords(ramp, { ...ramp, every: 3600 })).toMatchObject([
    { field: "every", words: { before: "1 day", after: "1 hour" } },
  ]);
  const others = { every: "day", to: ["ann@example.com"] };
  expect(valueInWords(null, others)).toEqual(others);
});
