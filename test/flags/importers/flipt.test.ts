import { describe, expect, test } from "bun:test";
import type { Context } from "../../../src/flags/flagd/evaluate.ts";
import { imported, refusalOf } from "../../support/imported.ts";

type Json = Record<string, unknown>;

const constraint = (type: string, operator: string, value?: unknown, property = "it") => ({
  type: `${type}_COMPARISON_TYPE`,
  property,
  operator,
  value,
});
const segment = (key: string, ...constraints: Json[]) => ({ key, match_type: "ALL_MATCH_TYPE", constraints });
const serving = (key: string, rollout = 100) => ({ distributions: [{ variant: key, rollout }] });

describe("a constraint of Flipt", () => {
  test.each<[constraint: Json, inside: Context[], outside: Context[]]>([
    [constraint("STRING", "eq", "5"), [{ it: "5" }, { it: 5 }], [{ it: "6" }, {}]],
    [constraint("STRING", "neq", "a"), [{ it: "b" }], [{ it: "a" }, {}, { it: "" }]],
    [constraint("STRING", "prefix", "a"), [{ it: "ab" }], [{ it: "ba" }, {}]],
    [constraint("STRING", "suffix", "a"), [{ it: "ba" }], [{ it: "ab" }, {}]],
    [constraint("STRING", "notcontains", "a"), [{ it: "b" }], [{ it: "ba" }, {}]],
    [constraint("STRING", "isoneof", '["a","b"]'), [{ it: "b" }], [{ it: "c" }, {}]],
    [constraint("STRING", "isnotoneof", '["a"]'), [{ it: "b" }], [{ it: "a" }, {}]],
    // As YAML has them.
    [constraint("STRING", "isoneof", ["a", 5]), [{ it: "a" }, { it: "5" }], [{ it: "c" }, {}]],
    [constraint("STRING", "isnotoneof", ["a"]), [{ it: "b" }], [{ it: "a" }, {}]],
    [constraint("NUMBER", "isoneof", [1, 2]), [{ it: 2 }], [{ it: 3 }]],
    [constraint("ENTITY_ID", "isoneof", ["ann"]), [{ targetingKey: "ann" }], [{}]],
    [constraint("STRING", "empty"), [{}, { it: " " }], [{ it: "a" }]],
    [constraint("STRING", "notempty"), [{ it: "a" }], [{}, { it: "" }]],
    [constraint("NUMBER", "gte", "18"), [{ it: 18 }, { it: "19" }], [{ it: 17 }, {}, { it: "x" }]],
    [constraint("NUMBER", "neq", "5"), [{ it: 4 }], [{ it: "5.0" }, {}, { it: "x" }]],
    [constraint("NUMBER", "isoneof", "[1,2]"), [{ it: 2 }], [{ it: 3 }]],
    [constraint("BOOLEAN", "true"), [{ it: true }, { it: "true" }], [{ it: false }, {}]],
    [
      constraint("DATETIME", "lte", "2026-01-01T00:00:00Z"),
      [{ it: "2026-01-01T01:00:00+01:00" }],
      [{ it: "2026-01-02T00:00:00Z" }, {}],
    ],
    [constraint("ENTITY_ID", "eq", "ann"), [{ targetingKey: "ann" }], [{ it: "ann" }]],
  ])("%j", async (one, inside, outside) => {
    const flag = {
      key: "f",
      enabled: true,
      variants: [{ key: "x" }, { key: "y", default: true }],
      rules: [{ segment: "s", ...serving("x") }],
    };
    const { read } = await imported("flipt", { flags: [flag], segments: [segment("s", one)] });
    for (const context of inside) expect([context, read("f", context)]).toEqual([context, "x"]);
    for (const context of outside) expect([context, read("f", context)]).toEqual([context, "y"]);
  });
});

describe("documents of several namespaces of Flipt", () => {
  const document = (namespace: unknown, ...keys: string[]) => ({
    namespace,
    flags: keys.map((key) => ({ key, type: "BOOLEAN_FLAG_TYPE", enabled: true })),
  });
  const file = [document("default", "a"), document({ key: "shop" }, "b"), document("shop", "c")];

  test("are imported of the one that is asked for, or that has the name of the environment", async () => {
    const keysOf = async (choice: object) =>
      Object.keys((await imported("flipt", file, choice)).document.flags);
    expect(await keysOf({ from: "shop" })).toEqual(["b", "c"]);
    expect(await keysOf({ into: "default" })).toEqual(["a"]);
    expect(await refusalOf("flipt", file)).toContain("default, shop");
    expect(await refusalOf("flipt", file, { from: "gone" })).toContain("default, shop");
  });

  test("have their places in the report", async () => {
    const off = { key: "f", enabled: false, variants: [{ key: "x", default: true }] };
    const { notes } = await imported("flipt", [document("a"), { namespace: "b", flags: [off] }], {
      from: "b",
    });
    expect(notes).toMatchObject([{ flag: "f", path: "/1/flags/0" }]);
  });
});

describe("a flag of Flipt", () => {
  test("keeps its description and its metadata", async () => {
    const flag = { key: "f", type: "BOOLEAN_FLAG_TYPE", enabled: true, description: "Said" };
    const { document } = await imported("flipt", { flags: [{ ...flag, metadata: { team: "web" } }] });
    expect(document.flags["f"]).toMatchObject({ description: "Said", metadata: { team: "web" } });
  });

  test("notes beginnings and ends, around which spaces are cut off there", async () => {
    const flag = {
      key: "f",
      enabled: true,
      variants: [{ key: "x" }],
      rules: [{ segment: "s", ...serving("x") }],
    };
    const segments = [segment("s", constraint("STRING", "prefix", "a"), constraint("STRING", "suffix", "b"))];
    const { notes } = await imported("flipt", { flags: [flag], segments });
    expect(notes.map(({ message }) => message)).toEqual([
      "it is compared with the spaces around it, which are cut off there",
    ]);
  });

  test("serves no share beyond 100 %", async () => {
    const flag = {
      key: "f",
      enabled: true,
      variants: [{ key: "a" }, { key: "b" }, { key: "c" }],
      rules: [
        {
          segment: "all",
          distributions: [
            { variant: "a", rollout: 80 },
            { variant: "b", rollout: 80 },
            { variant: "c", rollout: 10 },
          ],
        },
      ],
    };
    const { document } = await imported("flipt", { flags: [flag], segments: [segment("all")] });
    expect(document.flags["f"]!.targeting).toEqual({
      fractional: [
        ["a", 8000],
        ["b", 2000],
      ],
    });
  });

  const pro = segment("pro", constraint("STRING", "eq", "pro", "plan"));
  const beta = segment("beta", constraint("BOOLEAN", "true", "", "beta"));

  test("has its variants by key, and their attachments in a flag beside it", async () => {
    const variants = [
      { key: "x", attachment: { size: 1 } },
      { key: "y", attachment: '{"size":2}' },
    ];
    const rule = { segment: { keys: ["pro", "beta"], operator: "AND_SEGMENT_OPERATOR" }, ...serving("y") };
    const { read } = await imported("flipt", {
      namespace: { key: "shop" },
      flags: [{ key: "f", enabled: true, variants, rules: [rule] }],
      segments: [pro, beta],
    });
    expect([read("f", { plan: "pro", beta: true }), read("f", { plan: "pro" })]).toEqual(["y", undefined]);
    expect(read("f.attachment", { plan: "pro", beta: true })).toEqual({ size: 2 });
  });

  test("that is on or off has its rollouts whether it is enabled or not", async () => {
    const rollouts = [
      { segment: { key: "pro", value: true } },
      { threshold: { percentage: 30, value: true } },
    ];
    const { read, notes } = await imported("flipt", {
      flags: [{ key: "f", type: "BOOLEAN_FLAG_TYPE", enabled: false, rollouts }],
      segments: [pro],
    });
    const keys = Array.from({ length: 1000 }, (_, at) => `user-${at}`);
    expect(
      Math.abs(keys.filter((targetingKey) => read("f", { targetingKey }) === true).length - 300),
    ).toBeLessThan(60);
    expect([read("f", { plan: "pro" }), read("f")]).toEqual([true, false]);
    expect(notes).toMatchObject([{ flag: "f", path: "/flags/0/rollouts/1/threshold" }]);
  });

  test("with what rules cannot say is skipped, and a namespace that is not there is refused", async () => {
    const flag = (key: string, rule: Json) => ({
      key,
      enabled: true,
      variants: [{ key: "x" }],
      rules: [rule],
    });
    const file = {
      flags: [
        flag("gone", { segment: "gone", ...serving("x") }),
        flag("odd", { segment: "odd", ...serving("x") }),
        flag("none", { segment: "pro", ...serving("z") }),
      ],
      segments: [pro, segment("odd", constraint("STRING", "sounds", "a"))],
    };
    const { skipped } = await imported("flipt", file);
    expect(skipped.map((each) => each.flag)).toEqual(["gone", "odd", "none"]);
    expect(await refusalOf("flipt", file, { from: "other" })).toContain("it has default");
  });
});
