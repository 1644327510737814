import { expect, test } from "bun:test";
import { rowOf } from "../../../src/http/dashboard/fields.ts";

test("the button of a row has its number, and any other text has none, in linear time", () => {
  expect(["up-2", "remove-300", "and-1", "row", "up-", "-", "2", ""].map(rowOf)).toEqual([
    2, 300, 1, 0, 0, 0, 0, 0,
  ]);
  expect(rowOf(`up-${"1".repeat(1_000_000)}x`)).toBe(0);
  expect(rowOf("1".repeat(1_000_000))).toBe(0);
});
