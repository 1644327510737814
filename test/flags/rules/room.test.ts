import { expect, test } from "bun:test";
import { RULE_LIMITS } from "../../../src/flags/limits.ts";
import { ruleOfRows } from "../../../src/flags/rules/conditions.ts";
import { ruleOfTable } from "../../../src/flags/rules/rule-table.ts";

const TOO_LARGE = "a definition has at most 256 KB of JSON";
const variants = { on: true, off: false };

test("rows that no definition has room for are refused before any of them is read", () => {
  // Else its first row would be the fault.
  const rows = Array.from({ length: 300 }, () => ({ condition: `${"(".repeat(8000)} a`, serve: "on" }));
  expect(() => ruleOfTable({ rows, rest: "" }, variants)).toThrow(TOO_LARGE);
  const value = "x".repeat(RULE_LIMITS.bytes / 2);
  const comparison = { attribute: "a", operator: "==", value };
  expect(() => ruleOfRows({ join: "any", rows: [comparison, comparison] })).toThrow(TOO_LARGE);
});

test("a table of as many rows as fit is read", () => {
  const condition = `a in ${Array.from({ length: 500 }, (_, at) => `customer-${at}`).join(", ")}`;
  const rows = Array.from({ length: 30 }, () => ({ condition, serve: "on" }));
  expect(ruleOfTable({ rows, rest: "off" }, variants)).toMatchObject({ if: { length: 61 } });
});
