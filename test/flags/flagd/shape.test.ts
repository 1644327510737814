import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { findFault } from "../../../src/flags/flagd/check.ts";
import { PROPERTIES } from "../../support/flagd-schema.ts";

test.each(PROPERTIES)("%s", (_, property) => fc.assert(property, { numRuns: 1000 }));

const VARIANTS = { on: true, off: false };
const SHARE = {
  fractional: [
    ["on", 12.5],
    ["off", 87.5],
  ],
};

describe("a fault is said with its place and what has to be there", () => {
  test.each<[targeting: unknown, path: string, message: string]>([
    [{ if: [{ contains: [{ var: "a" }, "b"] }, "on"] }, "/if/0", '"contains" is not an operator'],
    [{ if: [{ "==": [1, 1], "!=": [1, 2] }, "on"] }, "/if/0", 'must have one operator, not "==" and "!="'],
    [{ if: [{}, "on"] }, "/if/0", "must have an operator"],
    [{ if: [{ in: ["a", [{ val: 1 }]] }, "on"] }, "/if/0/in/1/0", '"val" is not an operator'],
    [{ if: [{ "!": [{ val: 1 }] }, "on"] }, "/if/0/!/0", '"val" is not an operator'],
    [{ if: "on" }, "/if", "must be a list of 1 or more"],
    [{ "==": [{ var: "a" }] }, "/==", "must be a list of 2, not of 1"],
    [{ substr: ["a", 1, 2, 3] }, "/substr", "must be a list of 2 to 3, not of 4"],
    [{ missing: ["a", 5] }, "/missing/1", "must be a text"],
    [{ missing_some: ["1", ["a"]] }, "/missing_some/0", "must be a number"],
    [{ var: "$flagd.time" }, "/var", "must be $flagd.timestamp or $flagd.flagKey, if it begins with $flagd."],
    [{ $ref: 5 }, "/$ref", "must be a text"],
    [{ sem_ver: ["1.2", "=", "1.2.3"] }, "/sem_ver/0", 'must be a version as 1.2.3, or a "var"'],
    [{ sem_ver: [{ var: "v" }, "==", "1.2.3"] }, "/sem_ver/1", "must be one of = != > < >= <= ~ ^"],
    [{ starts_with: [{ var: "a" }, 5] }, "/starts_with/1", "must be a text"],
    [SHARE, "/fractional/0/1", "must be integer, 0 or more, or an operation"],
    [["on"], "", "must be an object"],
  ])("%j", (targeting, path, message) => {
    const rules = { variants: VARIANTS, targeting: targeting as Record<string, unknown> };
    expect(findFault(rules, new Map(), true)).toEqual({ path: `/targeting${path}`, message });
  });

  test.each<[rules: object, path: string, message: string]>([
    [{ variants: {} }, "/variants", "must have at least one variant"],
    [{ variants: { "": 1 } }, "/variants", "must have names of one line, and no empty one"],
    [{ variants: { "a/b": [1] } }, "/variants/a~1b", "must be a text, a number, true, false or an object"],
    [{ variants: VARIANTS, defaultVariant: 5 }, "/defaultVariant", "must be a text or null"],
    [{ variants: VARIANTS, defaultVariant: "no" }, "/defaultVariant", '"no" is not one of the variants'],
    [{ variants: VARIANTS, metadata: { a: null } }, "/metadata/a", "must be a text, a number, true or false"],
    [{ variants: VARIANTS, metadata: [] }, "/metadata", "must be an object"],
  ])("%j", (rules, path, message) => {
    expect(findFault(rules as never, new Map(), true)).toEqual({ path, message });
  });
});
