import { describe, expect, test } from "bun:test";
import { AppError } from "../../../src/base/errors.ts";
import { compileFlag, type Evaluation, subjectOf } from "../../../src/flags/flagd/evaluate.ts";
import { readShare, writeShare } from "../../../src/flags/ramps/ramp-share.ts";
import { findStepsFault } from "../../../src/flags/ramps/ramp.ts";
import { type FlagRules, parseRules } from "../../../src/flags/rules/rules.ts";

const SWITCH = { variants: { on: true, off: false }, defaultVariant: "off" };
const STAFF = [{ "==": [{ var: "plan" }, "staff"] }, "on"];

const share = (rules: FlagRules | null, variant = "on", enabled = true) =>
  readShare({ enabled, rules: rules === null ? null : JSON.stringify(rules) }, variant).share;

const refusal = (rules: FlagRules, variant = "on"): string => {
  try {
    share(rules, variant);
  } catch (error) {
    if (error instanceof AppError) return `${error.code}: ${error.message}`;
    throw error;
  }
  return "none";
};

describe("the share of a variant", () => {
  test.each<[string, FlagRules | null, number]>([
    ["of a flag without a rule", SWITCH, 0],
    ["of the default without a rule", { ...SWITCH, defaultVariant: "on" }, 100],
    ["of an empty rule", { ...SWITCH, targeting: {} }, 0],
    [
      "of a share alone",
      {
        ...SWITCH,
        targeting: {
          fractional: [
            ["on", 1],
            ["off", 7],
          ],
        },
      },
      12.5,
    ],
    ["of a share without weights", { ...SWITCH, targeting: { fractional: [["on"], ["off"]] } }, 50],
    ["of rows", { ...SWITCH, targeting: { if: STAFF } }, 0],
    ["of rows with the default behind them", { ...SWITCH, targeting: { if: [...STAFF, "off"] } }, 0],
    [
      "of rows with a share behind them",
      {
        ...SWITCH,
        targeting: {
          if: [
            ...STAFF,
            {
              fractional: [
                ["on", 25],
                ["off", 75],
              ],
            },
          ],
        },
      },
      25,
    ],
    [
      "of a flag with other variants",
      {
        variants: { on: "new", old: "old", other: "x" },
        defaultVariant: "old",
        targeting: {
          fractional: [
            ["on", 10],
            ["old", 90],
          ],
        },
      },
      10,
    ],
  ])("%s is read", (_, rules, expected) => {
    expect(share(rules)).toBe(expected);
  });

  test("of a plain flag is all or nothing", () => {
    expect([share(null, "on", false), share(null, "on", true), share(null, "off", true)]).toEqual([
      0, 100, 0,
    ]);
  });

  test.each<[string, FlagRules]>([
    ["an operation of its own", { ...SWITCH, targeting: { "==": [1, 1] } }],
    [
      "the default first",
      {
        ...SWITCH,
        targeting: {
          fractional: [
            ["off", 90],
            ["on", 10],
          ],
        },
      },
    ],
    [
      "a third variant",
      {
        ...SWITCH,
        targeting: {
          fractional: [
            ["on", 1],
            ["off", 1],
            ["on", 1],
          ],
        },
      },
    ],
    [
      "no weight at all",
      {
        ...SWITCH,
        targeting: {
          fractional: [
            ["on", 0],
            ["off", 0],
          ],
        },
      },
    ],
    [
      "a computed weight",
      {
        ...SWITCH,
        targeting: {
          fractional: [
            ["on", { var: "n" }],
            ["off", 9],
          ],
        },
      },
    ],
    ["a variant for everyone else", { ...SWITCH, targeting: { if: [...STAFF, "on"] } }],
    ["another rule behind rows", { ...SWITCH, targeting: { if: [...STAFF, { if: STAFF }] } }],
    [
      "a share of the default against another",
      {
        ...SWITCH,
        defaultVariant: "on",
        targeting: {
          fractional: [
            ["on", 1],
            ["off", 1],
          ],
        },
      },
    ],
  ])("is refused for a rule with %s", (_, rules) => {
    expect(refusal(rules)).toStartWith("invalid: a ramp sets the share of a variant beside the default");
  });

  test("is refused for a rule with shares by another attribute, which is named", () => {
    const by = { fractional: [{ var: "email" }, ["on", 1], ["off", 1]] };
    expect(refusal({ ...SWITCH, targeting: by })).toStartWith(
      "invalid: the share of this flag is by email, and a ramp is by the targetingKey",
    );
  });

  test("is refused for a variant that does not exist, and without a default", () => {
    expect(refusal(SWITCH, "green")).toBe('invalid: "green" is not a variant of the flag');
    expect(refusal({ variants: { on: true } })).toStartWith("invalid: a ramp needs a default variant");
  });
});

const isOn = (evaluation: Evaluation) => ("value" in evaluation && evaluation.value === true ? 1 : 0);

describe("a share that is written", () => {
  const written = (rules: FlagRules, percent: number) =>
    parseRules(writeShare(readShare({ enabled: true, rules: JSON.stringify(rules) }, "on"), "on", percent));

  test("is in whole numbers, the variant first, alone or behind the rows", () => {
    expect(written(SWITCH, 12.5).targeting).toEqual({
      fractional: [
        ["on", 125],
        ["off", 875],
      ],
    });
    expect(written(SWITCH, 0.01).targeting).toEqual({
      fractional: [
        ["on", 1],
        ["off", 9999],
      ],
    });
    const rows = { ...SWITCH, targeting: { if: [...STAFF, "off"] } };
    expect(written(rows, 10).targeting).toEqual({
      if: [
        ...STAFF,
        {
          fractional: [
            ["on", 10],
            ["off", 90],
          ],
        },
      ],
    });
  });

  test("of everyone is the default without a share, behind rows that stay", () => {
    const shared = {
      ...SWITCH,
      targeting: {
        fractional: [
          ["on", 50],
          ["off", 50],
        ],
      },
      metadata: { a: 1 },
    };
    expect(written(shared, 100)).toEqual({ ...SWITCH, defaultVariant: "on", metadata: { a: 1 } });
    const rows = { ...SWITCH, targeting: { if: STAFF } };
    expect(written(rows, 100)).toEqual({ ...SWITCH, defaultVariant: "on", targeting: { if: STAFF } });
  });

  test("keeps everyone who is in: of 200,000 users none leaves at a larger share", () => {
    const users = 200_000;
    let before = new Uint8Array(users);
    for (const percent of [1, 12.5, 50, 99.99]) {
      const decide = compileFlag("search", written(SWITCH, percent), new Map());
      const now = new Uint8Array(users);
      for (let user = 0; user < users; user += 1)
        now[user] = isOn(decide(subjectOf({ targetingKey: `user-${user}` })));
      const left = before.reduce((sum, isIn, user) => sum + (isIn === 1 && now[user] === 0 ? 1 : 0), 0);
      const share = (now.reduce((sum, isIn) => sum + isIn, 0) / users) * 100;
      expect([percent, left]).toEqual([percent, 0]);
      expect(Math.abs(share - percent)).toBeLessThan(0.5);
      before = now;
    }
  }, 60_000);
});

test("the shares of a ramp are 1 to 20 percentages that rise, with two decimals", () => {
  const twenty = Array.from({ length: 20 }, (_, index) => index + 1);
  for (const fine of [[1], [100], [0.01], [1, 10, 50, 100], [33.33, 66.67], twenty])
    expect([fine, findStepsFault(fine)]).toEqual([fine, undefined]);
  for (const wrong of [
    [],
    [...twenty, 21],
    [0],
    [-1],
    [100.01],
    [0.001],
    [1.234],
    [10, 10],
    [10, 5],
    [Number.NaN],
    [Number.POSITIVE_INFINITY],
  ])
    expect([wrong, typeof findStepsFault(wrong)]).toEqual([wrong, "string"]);
});
