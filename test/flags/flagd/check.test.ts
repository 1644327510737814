import { expect, test } from "bun:test";
import { findFault, findSegmentFault } from "../../../src/flags/flagd/check.ts";

const variants = { on: true, off: false };
const NONE = new Map<string, unknown>();
const comparisons = (count: number) => ({
  or: Array.from({ length: count }, (_, index) => ({ "==": [{ var: "a" }, index] })),
});
const message = "a rule has at most 3000 operations";

test("a rule has at most 3,000 operations, also by its segments", () => {
  expect(findFault({ variants, targeting: comparisons(1499) }, NONE)).toBeUndefined();
  expect(findFault({ variants, targeting: comparisons(1500) }, NONE)).toEqual({
    path: "/targeting",
    message,
  });
  expect(findSegmentFault(comparisons(1500))).toEqual({ path: "", message });
  const segments = new Map([["many", comparisons(500)]]);
  const refer = (count: number) => ({ or: Array.from({ length: count }, () => ({ $ref: "many" })) });
  expect(findFault({ variants, targeting: refer(2) }, segments)).toBeUndefined();
  expect(findFault({ variants, targeting: refer(3) }, segments)).toEqual({ path: "/targeting", message });
});

test("a list of thousands of values is one operation", () => {
  const list = Array.from({ length: 15_000 }, (_, index) => `customer-${index}`);
  expect(findFault({ variants, targeting: { in: [{ var: "a" }, list] } }, NONE)).toBeUndefined();
});

test("the costliest rules are checked within a second", () => {
  const before = process.cpuUsage();
  findFault({ variants, targeting: comparisons(3900) }, NONE);
  findFault(
    {
      variants,
      targeting: { or: Array.from({ length: 999 }, () => ({ sem_ver: [{ var: "a" }, "x", "b"] })) },
    },
    NONE,
  );
  findFault({ variants, targeting: { "==": [{ var: "a.".repeat(125_000) }, 1] } }, NONE);
  findFault({ variants, targeting: { sem_ver: [{ var: "v" }, "~", "1.".repeat(125_000)] } }, NONE);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(1500);
});
