import { describe, expect, test } from "bun:test";
import { ruleOfRows, rowsOf } from "../../../src/flags/rules/conditions.ts";

const EMAIL = { attribute: "email", operator: "ends_with", value: "@example.com" };
const AGE = { attribute: "age", operator: ">=", value: "18" };

describe("the rows of a segment", () => {
  test.each([
    [{ join: "all", rows: [EMAIL] }],
    [{ join: "all", rows: [AGE] }],
    [{ join: "all", rows: [EMAIL, AGE] }],
    [{ join: "any", rows: [AGE, EMAIL, { attribute: "country", operator: "in", value: "AT, DE" }] }],
  ] as const)("are those of the rule that they make: %j", ({ join, rows }) => {
    expect(rowsOf(ruleOfRows({ join, rows: [...rows] }))).toEqual({ join, rows: [...rows] });
  });

  test.each([
    [true],
    [{}],
    [{ and: [] }],
    [{ and: [{ var: "a" }, { var: "b" }] }],
    [{ or: [{ ends_with: [{ var: "email" }, "a"] }] }],
    [{ $ref: "staff" }],
    [{ and: [{ or: [{ var: "a" }] }, { ends_with: [{ var: "email" }, "a"] }], or: [] }],
  ])("are none for a rule of another kind: %j", (rule) => {
    expect(rowsOf(rule)).toBeNull();
  });

  test("are at least one", () => {
    expect(() => ruleOfRows({ join: "all", rows: [] })).toThrow("at least one condition");
  });
});
