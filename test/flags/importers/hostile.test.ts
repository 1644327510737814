import { expect, test } from "bun:test";
import type { ForeignFormat } from "../../../src/flags/importers/importers.ts";
import { imported, refusalOf } from "../../support/imported.ts";

const range = (count: number) => Array.from({ length: count }, (_, at) => at);

/** Conditions that refer to each other, so that their whole grows by ten with each. */
const FAN = range(9).map((at) => ({ $or: range(10).map(() => ({ $savedGroup: { id: `g${at + 1}` } })) }));

test.each<[what: string, format: ForeignFormat, file: unknown]>([
  [
    "spaces between ids",
    "unleash",
    {
      features: [
        {
          name: "f",
          enabled: true,
          strategies: [{ name: "userWithId", parameters: { userIds: `a${" ".repeat(1e6)}b` } }],
        },
      ],
    },
  ],
  [
    "prerequisites that multiply",
    "launchdarkly",
    {
      flags: Object.fromEntries(
        range(10).map((at) => [
          at === 0 ? "f" : `f${at}`,
          {
            on: true,
            variations: ["a", "b"],
            offVariation: 1,
            fallthrough: { variation: 0 },
            rules: [{ clauses: [{ attribute: "a", op: "in", values: [at] }], variation: 1 }],
            prerequisites: range(10).map(() => ({ key: `f${at + 1}`, variation: 0 })),
          },
        ]),
      ),
    },
  ],
  [
    "groups that multiply",
    "growthbook",
    {
      features: { f: { defaultValue: true, rules: [{ force: false, condition: FAN[0] }] } },
      savedGroups: Object.fromEntries(
        FAN.map((condition, at) => [
          `g${at}`,
          { type: "condition", condition: at === 8 ? { a: 1 } : condition },
        ]),
      ),
    },
  ],
  [
    "features that multiply",
    "growthbook",
    {
      features: Object.fromEntries(
        range(10).map((at) => [
          at === 0 ? "f" : `f${at}`,
          {
            defaultValue: false,
            rules: [
              {
                parentConditions: range(10).map(() => ({ id: `f${at + 1}`, condition: { value: true } })),
                force: true,
              },
            ],
          },
        ]),
      ),
    },
  ],
  [
    "a long query",
    "goff",
    {
      f: {
        variations: { a: 1 },
        targeting: [{ query: `a pr${" and a pr".repeat(100_000)}`, variation: "a" }],
        defaultRule: { variation: "a" },
      },
    },
  ],
])("%s: the rule is short, or its flag is skipped", async (_, format, file) => {
  const { skipped, document } = await imported(format, file);
  expect(JSON.stringify(document).length).toBeLessThan(1e6);
  if (skipped.length > 0) expect(skipped).toContainEqual({ flag: "f", message: "its rule is too large" });
});

test("a file that is too large takes nothing from the next one", async () => {
  const { skipped } = await imported("growthbook", {
    features: { f: { defaultValue: true, rules: [{ force: false, condition: FAN[0] }] } },
    savedGroups: Object.fromEntries(FAN.map((condition, at) => [`g${at}`, { type: "condition", condition }])),
  });
  expect(skipped).toHaveLength(1);
  const constraint = { type: "STRING_COMPARISON_TYPE", property: "plan", operator: "eq", value: "pro" };
  const { document } = await imported("flipt", {
    flags: [],
    segments: [{ key: "paid", match_type: "ALL_MATCH_TYPE", constraints: [constraint] }],
  });
  expect(Object.keys(document.$evaluators ?? {})).toEqual(["paid"]);
});

test("names of prototypes are names as any other", async () => {
  const file = JSON.parse(
    '{"flags":{"__proto__":{"on":true,"variations":["__proto__"],"fallthrough":{"variation":0}},"constructor":{"on":true,"variations":["__proto__","a"],"fallthrough":{"variation":0}}}}',
  ) as object;
  const { read, skipped } = await imported("launchdarkly", file);
  expect([read("constructor"), skipped.map(({ flag }) => flag)]).toEqual(["__proto__", ["__proto__"]]);
});

test("a file has a limited number of flags", async () => {
  const features = range(10_001).map((at) => ({ name: `f${at}`, enabled: true, strategies: [] }));
  expect(await refusalOf("unleash", { features })).toBe("the file has more than 10000 flags");
});
