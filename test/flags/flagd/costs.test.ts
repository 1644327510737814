import { expect, test } from "bun:test";
import { requestBudget, withinRequest } from "../../../src/flags/flagd/budget.ts";
import { compileFlag, subjectOf } from "../../../src/flags/flagd/evaluate.ts";

const thousand = Array.from({ length: 1000 }, () => 1);
/** The largest values of a context of 64 kB, which a rule reads as `it`. */
const VALUES = {
  members: Object.fromEntries(Array.from({ length: 6000 }, (_, index) => [`k${index}`, 1])),
  lists: [Array.from({ length: 28 }, () => thousand)],
  path: ["a.".repeat(25_000)],
  number: ["1".repeat(55_000)],
} as const;
const IT = { var: "it" };

test.each<[string, object, keyof typeof VALUES]>([
  ["a condition of the members of an object", { "!!": [IT] }, "members"],
  ["an alternative of the members of an object", { or: [IT, true] }, "members"],
  ["a branch by the members of an object", { if: [IT, 1, 2] }, "members"],
  ["a result of a loop", { reduce: [[1], { var: "../../it" }, 0] }, "members"],
  ["a path from lists", { var: IT }, "lists"],
  ["a path that is long", { var: IT }, "path"],
  ["paths from lists", { missing: IT }, "lists"],
  ["paths of which some may lead nowhere", { missing_some: [1, IT] }, "path"],
  ["a part of a list", { substr: [IT, 0, 1] }, "lists"],
  ["a sum", { "+": [IT] }, "number"],
  ["a search for a list", { in: [IT, [1, IT]] }, "lists"],
])("%s costs as many operations as the value is large", (_, rule, value) => {
  const targeting = { if: [{ or: [rule, true] }, "on", "off"] };
  const evaluate = compileFlag("it", { variants: { on: true, off: false }, targeting }, new Map());
  const budget = requestBudget();
  const { steps } = budget;
  withinRequest(() => evaluate(subjectOf({ it: VALUES[value] })), budget);
  expect(steps - budget.steps).toBeGreaterThan(90);
});
