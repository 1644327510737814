import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { AppError } from "../../../src/base/errors.ts";
import { findFault } from "../../../src/flags/flagd/check.ts";
import { type RuleTable, ruleOfTable, tableOfRule } from "../../../src/flags/rules/rule-table.ts";

const SWITCH = { on: true, off: false };
const STAFF = new Map<string, unknown>([["staff", true]]);
const COLORS = { red: "#f00", blue: "#00f", "25 %": "#fff" };

const tableArbitrary: fc.Arbitrary<RuleTable> = fc.record({
  rows: fc.array(
    fc.record({
      condition: fc.constantFrom(
        "plan is pro",
        "plan is pro and country is one of AT, DE",
        "segment staff",
        "not segment staff or age is at least 18",
        "version is a version >= 2.1.0",
        "plan is",
      ),
      serve: fc.constantFrom(
        "on",
        "off",
        "25 %",
        "12.5 %",
        "25 % off",
        "10 % on, 90 % off",
        "50 %, 50 %",
        "x",
        "",
      ),
    }),
    { maxLength: 4 },
  ),
  rest: fc.constantFrom("", "on", "off", "10 %", "0.0001 % off", "100 %", "101 %"),
});

function madeOf(table: RuleTable): ReturnType<typeof ruleOfTable> | AppError {
  try {
    return ruleOfTable(table, SWITCH);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

describe("the table of a rule", () => {
  test("makes a rule that is sound, and is read from it again", () => {
    fc.assert(
      fc.property(tableArbitrary, (table) => {
        const rule = madeOf(table);
        if (rule instanceof AppError) return;
        const targeting = rule ?? undefined;
        expect(findFault({ variants: SWITCH, defaultVariant: "off", targeting }, STAFF)).toBeUndefined();
        const read = tableOfRule(rule, SWITCH)!;
        expect(ruleOfTable(read, SWITCH)).toEqual(rule);
      }),
    );
  });

  test.each<[table: RuleTable, variants: Record<string, unknown>, rule: unknown]>([
    [{ rows: [], rest: "" }, SWITCH, null],
    [
      { rows: [{ condition: "plan == pro", serve: "" }], rest: "" },
      SWITCH,
      { if: [{ "===": [{ var: "plan" }, "pro"] }, "on"] },
    ],
    [
      { rows: [{ condition: "segment staff", serve: "25 %" }], rest: "off" },
      SWITCH,
      {
        if: [
          { $ref: "staff" },
          {
            fractional: [
              ["on", 25],
              ["off", 75],
            ],
          },
          "off",
        ],
      },
    ],
    [
      { rows: [], rest: "12.5 %" },
      SWITCH,
      {
        fractional: [
          ["on", 125],
          ["off", 875],
        ],
      },
    ],
    [
      { rows: [], rest: "10 % red, 90 % blue" },
      COLORS,
      {
        fractional: [
          ["red", 10],
          ["blue", 90],
        ],
      },
    ],
    // A variant may be called like a share.
    [
      { rows: [{ condition: "segment staff", serve: "25 %" }], rest: "" },
      COLORS,
      { if: [{ $ref: "staff" }, "25 %"] },
    ],
  ])("of %j", (table, variants, rule) => {
    expect(ruleOfTable(table, variants)).toEqual(rule as never);
  });

  test("names the row that is not understood", () => {
    const faultOf = (table: RuleTable, variants: Record<string, unknown> = SWITCH): string => {
      try {
        ruleOfTable(table, variants);
        return "";
      } catch (error) {
        return (error as AppError).message;
      }
    };
    const sound = { condition: "segment staff", serve: "on" };
    expect(faultOf({ rows: [sound, { condition: "plan", serve: "on" }], rest: "" })).toStartWith(
      "row 2: at column 5",
    );
    expect(faultOf({ rows: [{ condition: "", serve: "on" }], rest: "" })).toBe(
      "row 1: the condition is empty",
    );
    expect(faultOf({ rows: [{ ...sound, serve: "maybe" }], rest: "" })).toBe(
      "row 1: maybe is not a variant of the flag",
    );
    expect(faultOf({ rows: [{ ...sound, serve: "" }], rest: "" }, COLORS)).toBe(
      "row 1: a variant is missing",
    );
    expect(faultOf({ rows: [], rest: "10 % red, 80 % blue" }, COLORS)).toBe(
      "everyone else: 10 % red, 80 % blue is not 100 %",
    );
    expect(faultOf({ rows: [], rest: "25 %" }, { red: 1, blue: 2 })).toBe(
      "everyone else: 25 % names no variant",
    );
    expect(faultOf({ rows: [], rest: "50 % red, 50 % red" }, COLORS)).toContain("names a variant twice");
    expect(faultOf({ rows: [], rest: "on" })).toContain("everyone gets the default variant");
    expect(faultOf({ rows: [], rest: "1 %,".repeat(10_000) })).not.toBe("");
  });

  test.each<[rule: unknown]>([
    [{ if: [true, "on"] }],
    [{ if: [{ $ref: "staff" }, null] }],
    [{ if: [{ $ref: "staff" }, { if: [{ $ref: "other" }, "on"] }] }],
    [{ if: [{ $ref: "staff" }, "gone"] }],
    [{ fractional: [{ var: "email" }, ["on", 1]] }],
    [
      {
        fractional: [
          ["on", 1],
          ["off", 1],
          ["on", 1],
        ],
      },
    ],
    [
      {
        fractional: [
          ["on", 1],
          ["off", 2],
        ],
      },
    ],
    [{ or: [] }],
    [{ if: [] }],
  ])("is none for a rule that words do not express: %j", (rule) => {
    expect(tableOfRule(rule, SWITCH)).toBeNull();
  });
});
