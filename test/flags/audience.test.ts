import { describe, expect, test } from "bun:test";
import { type Course, audienceOf, courseInWords, whoGets } from "../../src/flags/audience.ts";

const SWITCH = { variants: { on: true, off: false }, defaultVariant: "off" };
const STAFF = { $ref: "beta-testers" };
const COUNTRY = { in: [{ var: "country" }, ["AT", "DE"]] };
const PRO = { "===": [{ var: "plan" }, "pro"] };
const share = (on: number) => ({
  fractional: [
    ["on", on],
    ["off", 100 - on],
  ],
});
const rule = (...args: unknown[]) => ({ if: args });
const who = (targeting: unknown, rules: object = SWITCH) => whoGets(JSON.stringify({ ...rules, targeting }));

describe("who gets a flag", () => {
  test("is everyone for one without rules, and nobody where it is off or has expired", () => {
    const flag = { enabled: true, expiresAt: null, rules: null, requires: "" };
    expect(audienceOf(flag, 1000)).toBe("everyone");
    expect(audienceOf({ ...flag, enabled: false, expiresAt: 5 }, 1000)).toBe("off");
    expect(audienceOf({ ...flag, expiresAt: 1000 }, 1000)).toBe("expired");
    expect(audienceOf({ ...flag, expiresAt: 1001 }, 1000)).toBe("everyone");
  });

  test("names what a flag that is on needs", () => {
    const needs = (...flags: string[]) => ({
      enabled: true,
      expiresAt: null,
      rules: null,
      requires: JSON.stringify(flags.map((flag) => ({ flag }))),
    });
    expect(audienceOf(needs("cart"), 1000)).toBe("everyone, needs cart");
    expect(audienceOf(needs("cart", "search", "menu"), 1000)).toBe("everyone, needs cart, search and 1 more");
    expect(audienceOf({ ...needs("cart"), enabled: false }, 1000)).toBe("off");
  });

  test("is said for a flag that is on or off", () => {
    expect(who(undefined)).toBe("nobody");
    expect(who({}, { ...SWITCH, defaultVariant: "on" })).toBe("everyone");
    expect(who(share(25))).toBe("25 %");
    expect(who(share(0))).toBe("nobody");
    expect(who(share(100))).toBe("everyone");
    expect(who(rule(STAFF, "on"))).toBe("Beta testers");
    expect(who(rule(COUNTRY, "on", "off"))).toBe("AT, DE");
    expect(who(rule(PRO, "on"))).toBe("plan is pro");
    expect(who(rule(STAFF, "on", share(25)))).toBe("Beta testers and 25 %");
    expect(who(rule(STAFF, "on", COUNTRY, "on", PRO, "on"))).toBe("Beta testers, AT, DE and 1 more");
    expect(who(rule(STAFF, share(10)))).toBe("10 % of Beta testers");
    expect(who(rule(STAFF, "off", "on"))).toBe("everyone but Beta testers");
    expect(who(rule({ "!": [STAFF] }, "off", share(25)))).toBe("25 % of Beta testers");
    expect(who(rule({ "!": [COUNTRY] }, "off", "on"))).toBe("AT, DE");
    expect(who(rule(STAFF, "off", PRO, "on"))).toBe("plan is pro, not Beta testers");
    expect(who(rule(PRO, "on", STAFF, "off", share(5)))).toBe("by 2 rules");
    expect(who(rule(STAFF, "on", COUNTRY, "off"))).toBe("Beta testers");
    expect(who(rule({ "%": [1, 2] }, "on"))).toBe("a rule of its own");
  });

  test("is said with the value for any other flag", () => {
    const prices = { variants: { gross: "g", net: "n" }, defaultVariant: "gross" };
    expect(who(undefined, prices)).toBe("gross");
    expect(who(undefined, { variants: { gross: "g" } })).toBe("no value");
    expect(who(rule({ $ref: "business" }, "net"), prices)).toBe("net for Business");
    expect(who(rule({ $ref: "business" }, "net", PRO, "net"), prices)).toBe("net for Business and 1 more");
    expect(
      who(
        {
          fractional: [
            ["gross", 1],
            ["net", 1],
          ],
        },
        prices,
      ),
    ).toBe("50 : 50");
  });

  test("fits into a cell, however long a rule is", () => {
    const long = { in: [{ var: "country" }, Array.from({ length: 900 }, (_, at) => `country-${at}`)] };
    expect(who(rule(long, "on")).length).toBeLessThan(70);
    expect(who(rule({ in: [{ var: "country" }, Array(9000).fill("AT")] }, "on"))).toBe("a rule of its own");
  });
});

describe("what changes a flag by itself", () => {
  const words = (course: Course) => courseInWords(course, 8 * 86_400_000, (at) => `at ${at}`)?.words;
  const ramp = {
    status: "running" as const,
    reason: null,
    nextAt: 9,
    steps: [
      { share: 10, doneAt: 1 },
      { share: 50, doneAt: null },
    ],
  };

  test("is said in a few words, a stop first", () => {
    expect(words({})).toBeUndefined();
    expect(words({ ramp })).toBe("50 % at 9");
    expect(words({ ramp: { ...ramp, status: "paused", reason: "guard", nextAt: null } })).toBe(
      "stopped by a guard",
    );
    expect(words({ ramp: { ...ramp, status: "paused", reason: "person" } })).toBe("paused");
    expect(words({ experiment: { status: "running", reason: null, startedAt: 86_400_000 } })).toBe(
      "experiment, day 8",
    );
    expect(words({ scheduled: { at: 5, patch: { enabled: true } } })).toBe("on at 5");
    expect(words({ scheduled: { at: 5, patch: { enabled: false } } })).toBe("off at 5");
    expect(words({ scheduled: { at: 5, patch: {} } })).toBe("changes at 5");
  });
});
