import { expect, test } from "bun:test";
import { noticeMessage } from "../../src/delivery/notices/notice-words.ts";
import { ruleInWords } from "../../src/flags/rules/difference-words.ts";

/** The lines of a message about a change of these members. */
function linesOf(changes: Record<string, [before: unknown, after: unknown]>, type = "flag.changed") {
  const data = {
    project: "shop",
    environment: "production",
    name: "checkout",
    who: "ann",
    why: null,
    changes: Object.entries(changes).map(([field, [before, after]]) => ({ field, before, after })),
  };
  const notices = [JSON.stringify({ type, data })];
  const place = { project: "shop", environment: "production" };
  const { fields } = noticeMessage(
    { ...place, event: type, since: 0, until: 0, count: 1, notices },
    ruleInWords,
    { ofNotice: () => null, ofProject: () => null },
  );
  return fields.map(([field, text]) => `${field}: ${text}`);
}

test("a message words the rule of a flag, with conditions in conditions", () => {
  const condition = {
    and: [
      { ends_with: [{ var: "email" }, "@example.com"] },
      { or: [{ $ref: "staff" }, { "!": [{ "==": [{ var: "plan" }, "free"] }] }] },
    ],
  };
  const share = {
    fractional: [
      ["on", 25],
      ["off", 75],
    ],
  };
  expect(linesOf({ targeting: [null, { if: [condition, "on", share] }] })).toEqual([
    "rule: none → email ends with @example.com and (segment staff or not (plan is free)): on; 25 % of users on; 75 % of users off; without a targetingKey the default",
  ]);
});

test("a message has no JSON of a rule that words do not express", () => {
  const nested = { if: [{ $ref: "staff" }, { if: [{ $ref: "beta" }, "on", "off"] }, "off"] };
  expect(linesOf({ targeting: [{}, nested] })).toEqual(["rule: everyone the default → a rule of its own"]);
});

test("a message words the rule of a segment, and shows other members as their values", () => {
  expect(linesOf({ rule: [false, { in: [{ var: "country" }, ["DE", "AT"]] }] }, "segment.changed")).toEqual([
    "rule: no one → country is one of DE, AT",
  ]);
  expect(linesOf({ enabled: [true, false], variants: [null, { on: true }], tags: [[], ["a", "b"]] })).toEqual(
    ["enabled: on → off", "variants: none → on: true", "tags: none → a, b"],
  );
});
