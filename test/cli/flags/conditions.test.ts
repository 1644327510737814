import { describe, expect, test } from "bun:test";
import { conditionRule } from "../../../cli/commands/flags/condition.ts";
import { findFault } from "../../../src/flags/flagd/check.ts";
import { type Context, compileFlag } from "../../../src/flags/flagd/evaluate.ts";

/** Whether a condition lets a context in. */
function holds(condition: string, context: Context): boolean {
  const rules = {
    variants: { yes: true, no: false },
    defaultVariant: "no",
    targeting: { if: [conditionRule(condition), "yes"] },
  };
  expect(findFault(rules, new Map())).toBeUndefined();
  const result = compileFlag("flag", rules, new Map())(context);
  expect(result).toHaveProperty("variant");
  return "variant" in result && result.variant === "yes";
}

describe("a condition", () => {
  test.each<[condition: string, inside: Context[], outside: Context[]]>([
    ["email ends_with @example.com", [{ email: "ann@example.com" }], [{ email: "ann@example.org" }, {}]],
    ["id starts_with 12", [{ id: "123" }], [{ id: "312" }, { id: 123 }]],
    ["name contains 'a b'", [{ name: "xa by" }, { name: ["a b"] }], [{ name: "ab" }, {}]],
    ["user.plan == gold", [{ user: { plan: "gold" } }], [{ user: { plan: "silver" } }, {}]],
    ["plan != gold", [{ plan: "silver" }, {}], [{ plan: "gold" }]],
    ["text == a longer text", [{ text: "a longer text" }], [{ text: "a" }]],
    ["age >= 18", [{ age: 18 }], [{ age: 17 }, {}]],
    ["age < 18", [{ age: -1 }], [{ age: 18 }, {}, { age: null }]],
    ["age <= 1.5", [{ age: 1.5 }], [{ age: 1.6 }]],
    ["debt > -5", [{ debt: -4 }], [{ debt: -5 }, {}]],
    ["level == 5", [{ level: 5 }], [{ level: "5" }, { level: "five" }]],
    ['level == "5"', [{ level: "5" }], [{ level: 5 }]],
    ["beta == true", [{ beta: true }], [{ beta: "true" }, { beta: false }]],
    ["beta != 'true'", [{ beta: true }], [{ beta: "true" }]],
    ["zip == 010", [{ zip: "010" }], [{ zip: 10 }]],
    ["country in AT, DE,CH", [{ country: "AT" }, { country: "CH" }], [{ country: "A" }, {}]],
    ["code in 1, '2', \"a,b\"", [{ code: 1 }, { code: "2" }, { code: "a,b" }], [{ code: "1" }, { code: 2 }]],
    ["version sem_ver >= 2.1.0", [{ version: "2.10.0" }], [{ version: "2.0.9" }, {}]],
    ["version sem_ver == 2.1.0", [{ version: "2.1.0" }], [{ version: "2.1.1" }]],
    ["version sem_ver ^2.1.0", [{ version: "2.9.0" }], [{ version: "3.0.0" }]],
    ["$flagd.timestamp > 1000", [{}], []],
  ])("%s", (condition, inside, outside) => {
    for (const context of inside) expect([context, holds(condition, context)]).toEqual([context, true]);
    for (const context of outside) expect([context, holds(condition, context)]).toEqual([context, false]);
  });

  test.each(["", "email", "email ==", "email like x", "version sem_ver 2.1.0", "version sem_ver => 2"])(
    "that cannot be read is refused with an example: %j",
    (condition) => {
      expect(() => conditionRule(condition)).toThrow("--if");
    },
  );
});
