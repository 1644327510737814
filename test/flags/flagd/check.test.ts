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

/** An operation in the first argument of another of the same name, so many times. */
function nested(times: number, name: string, innermost: Record<string, unknown>): Record<string, unknown> {
  let rule = innermost;
  for (let time = 0; time < times; time += 1) rule = { [name]: [rule, "=", "1.0.0"] };
  return rule;
}

test.each(["sem_ver", "starts_with", "ends_with", "fractional"])(
  "a rule of %s in one another, as deep as a rule may be, is checked: each part of it once",
  (name) => {
    const rule = nested(31, name, { bogus: 1 });
    expect(findFault({ variants, targeting: rule }, NONE)).toBeDefined();
    expect(findSegmentFault(rule)).toBeDefined();
    // The schema of flagd refuses a number there, and flagd warns about it.
    const warned = nested(30, name, { sem_ver: [5] });
    expect(findFault({ variants, targeting: warned }, NONE)).toBeUndefined();
    expect(findFault({ variants, targeting: warned }, NONE, true)).toBeDefined();
    expect(findSegmentFault(warned)).toBeUndefined();
  },
);

test("what is wrong among the arguments of flagd's operations is found behind arguments that it warns about", () => {
  const warned = { sem_ver: [5, "=", "x", 1] };
  const fine = { and: [warned, { starts_with: [warned, { "==": [1, 1] }] }] };
  expect(findFault({ variants, targeting: fine }, NONE)).toBeUndefined();
  const wrong = { bogus: 1 };
  for (const targeting of [
    { and: [warned, wrong] },
    { and: [warned, { ends_with: ["a", wrong] }] },
    { sem_ver: [warned, [wrong]] },
    { fractional: [["on", { sem_ver: [wrong] }], warned] },
  ])
    expect([targeting, findFault({ variants, targeting }, NONE)]).not.toEqual([targeting, undefined]);
});
