import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { findFault } from "../../src/flags/flagd/check.ts";
import { onData } from "../support/commands.ts";
import { startServer } from "../support/executable.ts";
import { tempDirectory } from "../support/temp.ts";
import { type Place, type Result, WAYS } from "../support/ways.ts";
import { contexts as anyContexts, rules as anyRules } from "./random-rules.ts";

const seed = Number(process.env["FORMFLAG_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
const sample = <T>(arbitrary: fc.Arbitrary<T>, count: number) =>
  fc.sample(arbitrary, { seed, numRuns: count });

const one = (...names: string[]) => fc.constantFrom(...names);
/** Conditions as people write them. */
const condition: fc.Arbitrary<object> = fc.letrec<{ all: object }>((tie) => ({
  all: fc.oneof(
    { maxDepth: 3 },
    {
      weight: 4,
      arbitrary: fc
        .record({ name: one("==", "!=", "===", "!=="), value: one("AT", "DE", "pro") })
        .map(({ name, value }) => ({ [name]: [{ var: "country" }, value] })),
    },
    {
      weight: 3,
      arbitrary: fc
        .tuple(one("country", "plan"), fc.subarray(["AT", "DE", "pro", "team"]))
        .map(([name, list]) => ({ in: [{ var: name }, list] })),
    },
    {
      weight: 3,
      arbitrary: fc
        .tuple(one("starts_with", "ends_with"), one("user-1", "@example.com", "é"))
        .map(([name, part]) => ({ [name]: [{ var: "email" }, part] })),
    },
    {
      weight: 3,
      arbitrary: fc
        .tuple(one("<", "<=", ">", ">="), fc.nat(40))
        .map(([name, limit]) => ({ [name]: [{ var: "age" }, limit] })),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(one("=", "!=", "<", "<=", ">", ">=", "^", "~"), one("1.2.3", "2.0.0", "2.0.0-rc.1"))
        .map(([name, version]) => ({ sem_ver: [{ var: "version" }, name, version] })),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(one("some", "all", "none"), one("a", "b"))
        .map(([name, role]) => ({ [name]: [{ var: "roles" }, { "==": [{ var: "" }, role] }] })),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        { $ref: "staff" },
        { $ref: "early" },
        { "==": [{ var: "$flagd.flagKey" }, "usual-1"] },
      ),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(one("and", "or"), fc.array(tie("all"), { minLength: 1, maxLength: 4 }))
        .map(([name, list]) => ({ [name]: list })),
    },
    { weight: 1, arbitrary: tie("all").map((each) => ({ "!": [each] })) },
  ),
})).all;
const shares = fc
  .tuple(fc.nat(100), fc.option(one("country", "email"), { nil: undefined }), fc.boolean())
  .map(([share, by, isText]) => {
    const on = {
      fractional: [
        ["a", share],
        ["b", 100 - share],
      ],
    };
    const key = isText
      ? { cat: [{ var: "$flagd.flagKey" }, { var: by ?? "country" }] }
      : { var: by ?? "country" };
    return by === undefined ? on : { fractional: [key, ...on.fractional] };
  });
const usualRule = fc
  .tuple(condition, fc.oneof(one("a", "b"), shares), fc.constantFrom<unknown>("a", "b", null))
  .map(([when, then, otherwise]) => ({ if: [when, then, otherwise] }));
/** Conditions that flagd does not have. */
const ownRule = fc
  .constantFrom(
    { matches: [{ var: "email" }, "^user-1\\d*@"] },
    { in_cidr: [{ var: "ip" }, ["10.0.0.0/8", "2001:db8::/32"]] },
    { before: [{ var: "since" }, "2026-01-01T00:00:00Z"] },
    { after: [{ var: "since" }, { var: "until" }] },
  )
  .map((when) => ({ if: [when, "a", "b"] }));

const SEGMENTS = {
  staff: { or: [{ ends_with: [{ var: "email" }, "@example.com"] }, { in: [{ var: "plan" }, ["team"]] }] },
  early: {
    and: [
      { $ref: "staff" },
      {
        fractional: [
          ["a", 50],
          ["", 50],
        ],
      },
    ],
  },
  plan: { "==": [{ var: "user.plan" }, "pro"] },
  other: { var: "a" },
};
const VALUES = [
  { a: true, b: false },
  { a: "A", b: "B" },
  { a: 1.5, b: -2 },
  { a: { x: [1, null] }, b: {} },
];

/** A file with flags of every kind; those called `any-…` and `own-…` have rules that flagd's library differs in. */
function environment() {
  const segments = new Map<string, unknown>(Object.entries(SEGMENTS));
  const flag = fc
    .tuple(fc.constantFrom(...VALUES), fc.constantFrom("a", "b", null), fc.nat(9))
    .map(([variants, defaultVariant, chance]) => ({
      state: chance === 0 ? "DISABLED" : "ENABLED",
      variants: variants as Record<string, unknown>,
      ...(defaultVariant !== null && { defaultVariant }),
    }));
  const named = (prefix: string, rules: fc.Arbitrary<object>, count: number) =>
    sample(fc.tuple(flag, rules), count * 4)
      .map(([each, targeting]) => ({ ...each, targeting: targeting as Record<string, unknown> }))
      .filter(({ variants, targeting }) => findFault({ variants, targeting }, segments) === undefined)
      .slice(0, count)
      .map((each, index) => [`${prefix}-${index}`, each] as const);
  return {
    $evaluators: SEGMENTS,
    flags: Object.fromEntries([
      ...sample(flag, 8).map((each, index) => [`static-${index}`, each] as const),
      ...named("usual", usualRule, 60),
      ...named("own", ownRule, 8),
      ...named("any", anyRules, 60),
    ]),
  };
}

const usualContexts = fc.record(
  {
    targetingKey: fc.integer({ min: 0, max: 5000 }).map((each) => `user-${each}`),
    country: one("AT", "DE", "US", "Österreich"),
    plan: one("free", "pro", "team"),
    email: fc.integer({ min: 0, max: 200 }).map((each) => `user-${each}@example.${each % 2 ? "com" : "é"}`),
    age: fc.integer({ min: 0, max: 60 }),
    version: one("1.2.3", "1.9.0", "2.0.0", "2.0.0-rc.1", "2.1.7+build"),
    roles: fc.subarray(["a", "b", "c"]),
    ip: one("10.1.2.3", "8.8.8.8", "2001:db8::1", "none"),
    since: one("2025-06-01T00:00:00Z", "2026-06-01T00:00:00+02:00"),
    until: one("2026-01-01T00:00:00Z"),
  },
  { noNullPrototype: true },
);

const server = await startServer(["--flagd-listen", "127.0.0.1:0"], { addresses: 2 });
const cli = onData(server.data);
const where = ["-p", "shop", "-e", "live"];
await cli.json("projects", "create", "shop", "--environments", "live");
const file = join(tempDirectory(), "flags.json");
writeFileSync(file, JSON.stringify(environment()));
await cli.json("flags", "import", file, ...where);
const tokenFor = async (scope: string) =>
  (await cli.json<{ token: string }>("tokens", "create", scope.slice(6), "--scope", scope, ...where)).token;
const place: Place = {
  url: server.url,
  project: "shop",
  environment: "live",
  syncPort: Number(new URL(server.urls[1]!).port),
  evaluate: await tokenFor("flags:evaluate"),
  sync: await tokenFor("flags:sync"),
};

const asJson = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
const CONTEXTS = [
  ...sample(usualContexts, 60),
  // Attributes of any type, and attributes that are missing; a key of another type is refused over OFREP.
  ...sample(anyContexts, 60).map((each) => ({ ...asJson(each), targetingKey: "ann" })),
];
const ALL = { contexts: CONTEXTS, knows: () => true };
/** flagd's library deals out shares by UTF-16, other than flagd itself, which takes UTF-8, and lacks some operators. */
const KNOWN_TO_FLAGD = {
  contexts: CONTEXTS.filter((each) => "country" in each && /^[ -~]*$/.test(JSON.stringify(each))),
  knows: (key: string) => /^(static|usual)-/.test(key),
};
const [first, ...others] = WAYS;
const open = await first!.open(place);

/** The part of a result that an application acts upon. */
const essence = ({ value, variant, reason, errorCode }: Result) => ({
  value,
  // OFREP has an empty one where there is no value.
  variant: value === undefined ? undefined : variant,
  reason: errorCode ? "ERROR" : reason,
  errorCode,
});

describe(`a random environment of ${Object.keys(environment().flags).length} flags (FORMFLAG_SEED=${seed})`, () => {
  test("has flags with every reason", async () => {
    const reasons = new Set<string>();
    for (const context of CONTEXTS)
      for (const { reason } of Object.values(await open.evaluateAll(context))) reasons.add(reason!);
    expect([...reasons].toSorted()).toEqual(["DEFAULT", "DISABLED", "ERROR", "STATIC", "TARGETING_MATCH"]);
  });

  test.each(others.map((way) => [way.name, way] as const))(
    "is the same %s as in the process",
    async (_, way) => {
      const opened = await way.open(place);
      try {
        const { contexts, knows } = way.isFlagd ? KNOWN_TO_FLAGD : ALL;
        for (const context of contexts) {
          const wanted = await open.evaluateAll(context);
          const found = await opened.evaluateAll(context);
          const keys = Object.keys(wanted).filter(knows);
          expect(keys.length).toBeGreaterThan(60);
          const of = (results: Record<string, Result>, key: string) => ({
            key,
            context,
            ...essence(asJson(results[key]!)),
          });
          for (const key of keys) expect(of(found, key)).toEqual(of(wanted, key));
        }
      } finally {
        await opened.close?.();
      }
    },
  );
});
