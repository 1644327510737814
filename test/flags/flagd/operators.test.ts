import { describe, expect, test } from "bun:test";
import { findFault, findSegmentFault } from "../../../src/flags/flagd/check.ts";
import { compileFlag, type Context, subjectOf } from "../../../src/flags/flagd/evaluate.ts";

const variants = { on: true, off: false };
const rulesOf = (condition: unknown) => ({
  variants,
  defaultVariant: "off",
  targeting: { if: [condition, "on", "off"] },
});

function isOn(condition: unknown, context: Context, segments = new Map<string, unknown>()): unknown {
  const evaluation = compileFlag("flag", rulesOf(condition), segments)(subjectOf(context));
  return "value" in evaluation ? evaluation.value : evaluation;
}

describe("an operator that flagd does not have", () => {
  test.each([
    ["matches", "anna@Example.com", "(?i)@example\\.com$", true],
    ["matches", "xaay", "a+", true],
    ["matches", "b", "^a", false],
    ["matches", 5, "5", false],
    ["matches", null, "", false],
    ["matches", "", "", true],
    ["in_cidr", "10.1.2.3", ["192.168.0.0/16", "10.0.0.0/8"], true],
    ["in_cidr", "10.1.2.3", "11.0.0.0/8", false],
    ["in_cidr", "::ffff:10.1.2.3", "10.0.0.0/8", true],
    ["in_cidr", "here", "0.0.0.0/0", false],
    ["in_cidr", "10.1.2.3", "::/0", false],
    ["in_cidr", "::ffff:10.1.2.3", "::/0", false],
    ["in_cidr", "::ffff:10.1.2.3", "::ffff:0:0/96", true],
    ["in_cidr", "2001:db8::1", "::/0", true],
    ["in_cidr", "2001:db8::1", "0.0.0.0/0", false],
    ["in_cidr", "10.1.2.3", ["::/0", "0.0.0.0/0"], true],
    ["in_cidr", ["10.1.2.3"], "10.0.0.0/8", false],
    ["before", "2026-01-01T00:00:00+01:00", "2026-01-01T00:00:00Z", true],
    ["before", "2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z", false],
    ["before", "2026-02-30T00:00:00Z", "2027-01-01T00:00:00Z", false],
    ["after", 1, "1970-01-01T00:00:00Z", true],
    ["after", "2026-01-02", "2026-01-01T00:00:00Z", false],
    ["after", true, 0, false],
  ])("%s of %p and %p is %p", (name, value, wanted, expected) => {
    expect(isOn({ [name]: [{ var: "it" }, wanted] }, { it: value })).toBe(expected);
  });

  test("compares with the time of the evaluation, and with another attribute", () => {
    const now = { "*": [{ var: "$flagd.timestamp" }, 1000] };
    expect(isOn({ after: [now, "2020-01-01T00:00:00Z"] }, {})).toBe(true);
    expect(isOn({ after: [{ var: "$flagd.timestamp" }, "2020-01-01T00:00:00Z"] }, {})).toBe(true);
    expect(isOn({ before: [{ var: "$flagd.timestamp" }, "2020-01-01T00:00:00Z"] }, {})).toBe(false);
    expect(
      isOn({ after: [{ var: "ends" }, { var: "$flagd.timestamp" }] }, { ends: "2999-01-01T00:00:00Z" }),
    ).toBe(true);
    expect(isOn({ after: [{ var: "ends" }, { var: "$flagd.timestamp" }] }, { ends: 1_000_000_000_000 })).toBe(
      false,
    );
    const ends = { before: [{ var: "start" }, { var: "end" }] };
    expect(isOn(ends, { start: "2026-01-01T00:00:00Z", end: 1_767_225_600_001 })).toBe(true);
  });

  test("works in a segment and beside other operations", () => {
    const segments = new Map([["staff", { matches: [{ var: "email" }, "@example[.]com$"] }]]);
    const rule = { and: [{ $ref: "staff" }, { "!": [{ in_cidr: [{ var: "ip" }, "10.0.0.0/8"] }] }] };
    expect(isOn(rule, { email: "a@example.com", ip: "8.8.8.8" }, segments)).toBe(true);
    expect(isOn(rule, { email: "a@example.com", ip: "10.8.8.8" }, segments)).toBe(false);
  });

  test("takes time in proportion to the text, and fails past the limit of a rule", () => {
    const rule = { matches: [{ var: "it" }, "(x+x+)+y"] };
    expect(isOn(rule, { it: "x".repeat(10_000) })).toBe(false);
    expect(isOn({ matches: [{ var: "it" }, ".*a.{200}$"] }, { it: "ab".repeat(30_000) })).toEqual({
      errorCode: "GENERAL",
      errorDetails: "its rule takes more than 20000 operations",
    });
  });

  test.each([
    [{ matches: [{ var: "a" }, "(?=b)"] }, "/matches/1", /pattern does not compile/],
    [{ matches: [{ var: "a" }, "(?P<a"] }, "/matches/1", /pattern does not compile/],
    [{ matches: [{ var: "a" }, { var: "b" }] }, "/matches/1", /must be a text/],
    [{ matches: [{ var: "a" }, "a{1000}b"] }, "/matches/1", /too large: repeat less/],
    [{ matches: [{ var: "a" }] }, "/matches", /list of 2/],
    [{ matches: "a" }, "/matches", /list of 2/],
    [
      { in_cidr: [{ var: "a" }, ["10.0.0.0/8", "10.0.0.0/33"]] },
      "/in_cidr/1",
      /"10.0.0.0\/33" is not a network/,
    ],
    [{ in_cidr: [{ var: "a" }, []] }, "/in_cidr/1", /is empty/],
    [{ before: [{ var: "a" }, "2026-01-01"] }, "/before/1", /is not a time/],
    [{ after: [{ var: "a" }, null] }, "/after/1", /is not a time/],
    [{ after: [{ unknown: [1] }, 5] }, "/after/0", /unknown/],
    [{ "!": [{ before: [{ "!": [{ matches: [1, "("] }] }, 5] }] }, "/!/0/before/0/!/0/matches/1", /compile/],
  ])("%j has a fault at %s", (condition, path, message) => {
    const fault = findFault(rulesOf(condition), new Map(), true);
    expect(fault?.path).toBe(`/targeting/if/0${path}`);
    expect(fault?.message).toMatch(message);
    expect(findSegmentFault(condition)?.path).toBe(path);
  });

  test("has no fault where its arguments are as they should be", () => {
    const rules = [
      { matches: [{ var: "a" }, "^(a|b){2,3}$"] },
      { in_cidr: [{ var: "a" }, ["10.0.0.0/8", "::1"]] },
      { before: [{ "*": [{ var: "$flagd.timestamp" }, 1000] }, { var: "end" }] },
    ];
    for (const rule of rules) expect(findFault(rulesOf(rule), new Map(), true)).toBeUndefined();
  });

  test("has patterns that are small together", () => {
    const many = { or: Array.from({ length: 8 }, () => ({ matches: [{ var: "a" }, "a{900}"] })) };
    expect(findFault(rulesOf(many), new Map())).toEqual({
      path: "/targeting/if/0/or/5/matches/1",
      message: "the patterns of the rule are too large: repeat less, as in {1,100}",
    });
    expect(isOn(many, { a: "a" })).toMatchObject({ errorCode: "PARSE_ERROR" });
  });
});
