import { describe, expect, test } from "bun:test";
import type { Context } from "../../../src/flags/flagd/evaluate.ts";
import { imported, refusalOf } from "../../support/imported.ts";

type Json = Record<string, unknown>;

const feature = (more: Json) => ({ name: "search", enabled: true, strategies: [], ...more });
const fileOf = (...features: Json[]) => ({ version: 2, features });
const withConstraint = (constraint: Json) =>
  fileOf(feature({ strategies: [{ name: "default", constraints: [constraint] }] }));

describe("a constraint of Unleash", () => {
  const on = (operator: string, more: Json) => ({ contextName: "it", operator, ...more });

  test.each<[constraint: Json, inside: unknown[], outside: unknown[]]>([
    [on("IN", { values: ["a", " 5 "] }), ["a", "5", 5], ["b", null, "a,b", ["a"]]],
    [on("NOT_IN", { values: ["a"] }), ["b", null, 5], ["a"]],
    [on("IN", { values: ["true"] }), [true, "true"], [false]],
    [on("STR_STARTS_WITH", { values: ["ab", "c"] }), ["abc", "c"], ["xab", 5, null]],
    [on("STR_ENDS_WITH", { values: ["B"], caseInsensitive: true }), ["ab", "AB"], ["ba"]],
    [on("STR_CONTAINS", { values: ["a.c"], caseInsensitive: true }), ["xA.Cx"], ["abc"]],
    [on("STR_CONTAINS", { values: ["b"], inverted: true }), ["a", null, 5], ["abc"]],
    [on("NUM_GT", { value: "5" }), ["6", 6, " 5.5 "], ["5", "six", null, "", [6], true]],
    [on("NUM_EQ", { value: "5" }), ["5.0", 5], ["5a", null]],
    [on("NUM_LTE", { value: "5", inverted: true }), ["6", "x", null], [5]],
    [on("SEMVER_GT", { value: "1.2.3" }), ["1.3.0", "2.0.0-beta"], ["v2.0.0", "2", "1.2.3", null, 2]],
    [on("SEMVER_EQ", { value: "1.2.3" }), ["1.2.3", "1.2.3+5"], ["1.2.3-rc.1"]],
    [on("REGEX", { value: "^a+$" }), ["aa"], ["b", 5]],
    [on("REGEX", { value: "(?=a)", inverted: true }), ["a"], []],
    [
      on("IN_CIDR", { values: ["10.0.0.0/8", "::1"] }),
      ["10.1.1.1", "::1"],
      ["11.0.0.1", "::ffff:10.1.1.1", 5],
    ],
  ])("%j", async (constraint, inside, outside) => {
    const { read } = await imported("unleash", withConstraint(constraint));
    for (const it of inside) expect([it, read("search", { it })]).toEqual([it, true]);
    for (const it of outside) expect([it, read("search", { it })]).toEqual([it, false]);
  });

  test("compares the time of the context, or else now", async () => {
    const constraint = { contextName: "currentTime", operator: "DATE_AFTER", value: "2026-01-01T00:00:00Z" };
    const { read } = await imported("unleash", withConstraint(constraint));
    expect(read("search", { currentTime: "2025-12-31T23:59:00Z" })).toBe(false);
    expect(read("search", { currentTime: "2026-01-01T01:01:00+01:00" })).toBe(true);
    expect(read("search")).toBe(true);
  });

  test("with an operator that is not known is skipped", async () => {
    const { skipped, document } = await imported("unleash", withConstraint(on("LIKE", { values: ["a"] })));
    expect(document.flags).toEqual({});
    expect(skipped).toMatchObject([{ flag: "search", message: expect.stringContaining("operator LIKE") }]);
  });
});

describe("a feature of Unleash", () => {
  test.each<[strategy: Json, on: Context[], off: Context[]]>([
    [
      { name: "userWithId", parameters: { userIds: "ann, ben" } },
      [{ targetingKey: "ben" }],
      [{}, { targetingKey: "a" }],
    ],
    [
      { name: "remoteAddress", parameters: { IPs: "10.0.0.0/24, here" } },
      [{ remoteAddress: "10.0.0.7" }, { remoteAddress: "here" }],
      [{}],
    ],
    [
      { name: "gradualRolloutUserId", parameters: { percentage: "100", groupId: "x" } },
      [{ targetingKey: "a" }],
      [{}],
    ],
    [
      { name: "gradualRolloutSessionId", parameters: { percentage: "100" } },
      [{ sessionId: "a" }],
      [{ targetingKey: "a" }],
    ],
    [{ name: "gradualRolloutRandom", parameters: { percentage: "100" } }, [{}], []],
    [{ name: "flexibleRollout", parameters: { rollout: "100", stickiness: "default" } }, [{}], []],
    [
      { name: "flexibleRollout", parameters: { rollout: 0, stickiness: "default" } },
      [],
      [{ targetingKey: "a" }],
    ],
    [
      { name: "flexibleRollout", parameters: { rollout: "100", stickiness: "tenant" } },
      [{ tenant: "t" }, { tenant: 7 }],
      [{ targetingKey: "a" }],
    ],
  ])("with the strategy %j", async (strategy, on, off) => {
    const { read, notes } = await imported("unleash", fileOf(feature({ strategies: [strategy] })));
    for (const context of on) expect([context, read("search", context)]).toEqual([context, true]);
    for (const context of off) expect([context, read("search", context)]).toEqual([context, false]);
    expect(notes).toEqual([]);
  });

  test("keeps a share, beside another strategy, and notes it", async () => {
    const strategies = [
      { name: "flexibleRollout", parameters: { rollout: "30", stickiness: "userId", groupId: "search" } },
      { name: "userWithId", parameters: { userIds: "ann" } },
    ];
    const { read, notes } = await imported("unleash", fileOf(feature({ strategies })));
    const keys = Array.from({ length: 1000 }, (_, at) => `user-${at}`);
    const share = keys.filter((targetingKey) => read("search", { targetingKey }) === true).length;
    expect(share).toBeGreaterThan(250);
    expect(share).toBeLessThan(350);
    expect(read("search", { targetingKey: "ann" })).toBe(true);
    expect(notes).toMatchObject([{ flag: "search", path: "/features/0/strategies/0/parameters" }]);
    const alone = await imported("unleash", fileOf(feature({ strategies: strategies.slice(0, 1) })));
    expect(alone.document.flags["search"]!.targeting).toEqual({
      fractional: [
        ["on", 30],
        ["off", 70],
      ],
    });
  });

  test("without a strategy is a plain flag, also one that is off; one that is off with a rule is noted", async () => {
    const { document, notes } = await imported(
      "unleash",
      fileOf(
        feature({}),
        feature({ name: "off", enabled: false }),
        feature({
          name: "ruled",
          enabled: false,
          strategies: [{ name: "userWithId", parameters: { userIds: "a" } }],
        }),
      ),
    );
    expect(document.flags).toMatchObject({
      search: { state: "ENABLED", defaultVariant: "on" },
      off: { state: "ENABLED", defaultVariant: "off" },
      ruled: { state: "DISABLED", targeting: { if: [{ in: [{ var: "targetingKey" }, ["a"]] }, "on"] } },
    });
    expect(notes).toMatchObject([{ flag: "ruled", message: expect.stringContaining("it is off") }]);
  });

  test("has its variants in a flag beside it, with their payloads and overrides", async () => {
    const variants = [
      { name: "red", weight: 1, payload: { type: "string", value: "#f00" } },
      {
        name: "blue",
        weight: 0,
        payload: { type: "string", value: "#00f" },
        overrides: [{ contextName: "userId", values: ["ann"] }],
      },
    ];
    const strategies = [
      { name: "default", constraints: [{ contextName: "a", operator: "IN", values: ["1"] }] },
    ];
    const { read } = await imported("unleash", fileOf(feature({ variants, strategies })));
    expect(read("search.variant", { a: "1" })).toBe("#f00");
    expect(read("search.variant", { a: "1", targetingKey: "ann" })).toBe("#00f");
    expect(read("search.variant", { a: "2" })).toBeUndefined();
  });

  test("needs its parents, as they are for the same reader", async () => {
    const parent = feature({
      name: "parent",
      strategies: [{ name: "userWithId", parameters: { userIds: "ann" } }],
      variants: ["red", "blue"].map((name) => ({ name, weight: name === "red" ? 1000 : 0 })),
    });
    const child = (name: string, dependency: Json, more: Json = {}) =>
      feature({ name, dependencies: [{ feature: "parent", ...dependency }], ...more });
    const strategies = [{ name: "userWithId", parameters: { userIds: "ann,ben" } }];
    const { read, needs, notes } = await imported(
      "unleash",
      fileOf(
        parent,
        child("with", { enabled: true }),
        child("without", { enabled: false }),
        child("red", { variants: ["red"] }),
        child("blue", { variants: ["blue"] }, { variants: [{ name: "a", weight: 1 }] }),
        child("ruled", {}, { strategies }),
        child("off", {}, { enabled: false }),
        feature({ name: "grandchild", dependencies: [{ feature: "with" }] }),
        feature({ name: "orphan", dependencies: [{ feature: "gone" }] }),
      ),
    );
    const names = ["with", "without", "red", "blue", "ruled", "off", "grandchild", "orphan"];
    expect(names.map(needs)).toEqual([
      ["parent"],
      ["parent=off"],
      ["parent.variant=red"],
      ["parent.variant=blue"],
      ["parent"],
      ["parent"],
      [],
      [],
    ]);
    const readAs = (targetingKey: string) => names.map((name) => read(name, { targetingKey }));
    expect(readAs("ann")).toEqual([true, false, true, false, true, false, false, false]);
    expect(readAs("ben")).toEqual([false, true, false, false, undefined, false, false, false]);
    expect(needs("blue.variant")).toEqual(["parent.variant=blue"]);
    expect(notes.map(({ flag, path }) => [flag, path])).toEqual([["ruled", "/features/5/dependencies"]]);
  });

  test("needs the variants that its parent has, and is off where it has none of them", async () => {
    const parent = feature({ name: "parent", variants: [{ name: "red", weight: 1000 }] });
    const child = (name: string, ...variants: string[]) =>
      feature({ name, dependencies: [{ feature: "parent", variants }] });
    const { read, needs } = await imported(
      "unleash",
      fileOf(parent, child("some", "gone", "red"), child("none", "gone")),
    );
    expect(["some", "none"].map(needs)).toEqual([["parent.variant=red"], []]);
    expect(["some", "none"].map((name) => read(name, { targetingKey: "ann" }))).toEqual([true, false]);
  });

  test("that needs a parent to be off is noted where that one is turned off with a rule", async () => {
    const strategies = [{ name: "userWithId", parameters: { userIds: "ann" } }];
    const { needs, notes } = await imported(
      "unleash",
      fileOf(
        feature({ name: "parent", enabled: false, strategies }),
        feature({ dependencies: [{ feature: "parent", enabled: false }] }),
      ),
    );
    expect(needs("search")).toEqual(["parent=off"]);
    expect(notes).toContainEqual({
      flag: "search",
      path: "/features/1/dependencies",
      message: expect.stringContaining("it needs parent to be off"),
    });
  });

  test("that needs one which is not imported is skipped, and so is one that needs this", async () => {
    const unknown = feature({ name: "parent", strategies: [{ name: "ours" }] });
    const child = feature({ dependencies: [{ feature: "parent" }] });
    const { skipped } = await imported("unleash", fileOf(unknown, child));
    expect(skipped[1]).toEqual({ flag: "search", message: "it needs parent, which is not imported" });
  });

  test("without variants has the variant disabled for those that depend on it", async () => {
    const child = (name: string, parent: string, ...variants: string[]) =>
      feature({ name, dependencies: [{ feature: parent, variants }] });
    const stickiness = "sessionId";
    const halves = ["a", "b"].map((name) => ({ name, weight: 500, stickiness }));
    const parents = [
      feature({ name: "bare" }),
      feature({ name: "off", enabled: false }),
      feature({ name: "halved", strategies: [{ name: "default", variants: halves }] }),
      feature({ name: "one", variants: [{ name: "a", weight: 1000 }] }),
    ];
    const names = ["bare", "off", "halved", "one"];
    const { read } = await imported(
      "unleash",
      fileOf(
        ...parents,
        ...names.map((name) => child(`none-${name}`, name, "disabled")),
        ...names.map((name) => child(`any-${name}`, name, "a", "b")),
      ),
    );
    const session = { sessionId: "s1" };
    expect(names.map((name) => read(`none-${name}`))).toEqual([true, false, true, false]);
    expect(names.map((name) => read(`none-${name}`, session))).toEqual([true, false, false, false]);
    expect(names.map((name) => read(`any-${name}`, session))).toEqual([false, false, true, true]);
  });

  test("has the stickiness of its strategy for variants without one", async () => {
    const variants = ["a", "b"].map((name) => ({ name, weight: 500 }));
    const parameters = { rollout: "100", stickiness: "sessionId" };
    const strategies = [{ name: "flexibleRollout", parameters, variants }];
    const { read, notes } = await imported("unleash", fileOf(feature({ strategies })));
    const seen = Array.from({ length: 50 }, (_, at) => read("search.variant", { sessionId: `s${at}` }));
    expect(new Set(seen)).toEqual(new Set(["a", "b"]));
    expect(notes).toMatchObject([{ message: expect.stringContaining("variants by sessionId") }]);
  });

  test("is noted for what its segments need of the context", async () => {
    const constraints = [{ contextName: "appName", operator: "IN", values: ["web"] }];
    const { notes } = await imported("unleash", {
      ...fileOf(feature({ strategies: [{ name: "default", segments: [1] }] })),
      segments: [{ id: 1, name: "Web", constraints }],
    });
    const message = expect.stringContaining("the attribute appName has to be in the context");
    expect(notes).toEqual([{ flag: "search", path: "/features/0/strategies/0/segments", message }]);
  });

  test("keeps its description, and its tags are noted", async () => {
    const described = feature({ description: "Finds things", tags: [{ type: "team", value: "web" }] });
    const { document, notes } = await imported("unleash", fileOf(described));
    expect(document.flags["search"]!.description).toBe("Finds things");
    expect(notes).toMatchObject([{ path: "/features/0/tags", message: "tags are not imported: team:web" }]);
    const exported = await imported("unleash", {
      features: [{ name: "search", description: "x".repeat(2001) }],
      featureEnvironments: [{ featureName: "search", environment: "live", enabled: true }],
      featureTags: [{ featureName: "search", tagType: "simple", tagValue: "beta" }],
    });
    expect(exported.document.flags["search"]!.description).toHaveLength(2000);
    expect(exported.notes.map(({ path }) => path)).toEqual(["/features/0/description", "/featureTags"]);
  });

  test("refers to segments, and is off for one that is missing", async () => {
    const { read, document } = await imported("unleash", {
      ...fileOf(
        feature({ strategies: [{ name: "default", segments: [1] }] }),
        feature({ name: "missing", strategies: [{ name: "default", segments: [1, 2] }] }),
      ),
      segments: [
        {
          id: 1,
          name: "Our staff",
          constraints: [{ contextName: "role", operator: "IN", values: ["staff"] }],
        },
      ],
    });
    expect(Object.keys(document.$evaluators!)).toEqual(["Our-staff"]);
    expect([read("search", { role: "staff" }), read("search"), read("missing", { role: "staff" })]).toEqual([
      true,
      false,
      false,
    ]);
  });
});

describe("an export of Unleash", () => {
  const file = {
    features: [{ name: "search", type: "release" }],
    featureStrategies: [
      {
        id: "a",
        featureName: "search",
        environment: "live",
        name: "userWithId",
        parameters: { userIds: "ann" },
        constraints: [],
        segments: [7],
      },
      {
        id: "b",
        featureName: "search",
        environment: "test",
        name: "default",
        parameters: {},
        constraints: [],
      },
    ],
    featureEnvironments: [
      { featureName: "search", environment: "live", enabled: true },
      { featureName: "search", environment: "test", enabled: false },
    ],
    segments: [{ id: 7, name: "all", constraints: [] }],
  };

  test("is read in the environment that is asked for, or that of the same name", async () => {
    const live = await imported("unleash", file, { from: "live" });
    expect([live.read("search", { targetingKey: "ann" }), live.read("search")]).toEqual([true, false]);
    const named = await imported("unleash", file, { into: "test" });
    expect(named.read("search")).toBe(false);
  });

  test("names its environments to who asks for none of them", async () => {
    for (const choice of [{ from: "production" }, { into: "production" }])
      expect(await refusalOf("unleash", file, choice)).toContain("live, test");
  });
});
