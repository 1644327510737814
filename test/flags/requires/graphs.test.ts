import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { FlagdCore } from "@openfeature/flagd-core";
import type { FlagRecord } from "../../../src/flags/flag.ts";
import { type Compiled, compileRules } from "../../../src/flags/flagd/compiled.ts";
import { exportFlags } from "../../../src/flags/flagd/definition.ts";
import { type Context, subjectOf } from "../../../src/flags/flagd/evaluate.ts";
import { planImport } from "../../../src/flags/flagd/import.ts";
import { sourceFile } from "../../../src/flags/flagd/source.ts";
import { PAYLOAD_SUFFIX } from "../../../src/flags/limits.ts";
import { createPayload } from "../../../src/flags/flagd/evaluate-flag.ts";
import type { SharedNeeds } from "../../../src/flags/requires/places.ts";
import { createPrerequisites } from "../../../src/flags/requires/prerequisites.ts";
import { type Requirement, requirementsText } from "../../../src/flags/requires/requirement.ts";
import { type FlagRules, rulesText } from "../../../src/flags/rules/rules.ts";
import { readFlags } from "../../../src/provider/flags.ts";
import { flagRecord } from "../../support/records/records.ts";

/** Graphs that are tried: more with `FORMFLAG_GRAPHS=100000`. */
const RUNS = Number(process.env["FORMFLAG_GRAPHS"] ?? 200);

const SEGMENTS = [
  {
    name: "half",
    rule: {
      "==": [
        {
          fractional: [
            ["yes", 1],
            ["no", 1],
          ],
        },
        "yes",
      ],
    },
  },
  { name: "pro", rule: { "==": [{ var: "plan" }, "pro"] } },
].map(({ name, rule }) => ({ name, rule: JSON.stringify(rule), createdAt: 0, updatedAt: 0, revision: 1 }));

const condition = fc.constantFrom<object>(
  { $ref: "pro" },
  { $ref: "half" },
  { "==": [{ var: "plan" }, "free"] },
  { starts_with: [{ var: "$flagd.flagKey" }, "flag-1"] },
  { ">": [{ var: "age" }, 18] },
);

const COLOURS = { red: "#f00", blue: "#00f", 1: "#111" };
const BOOLEANS = { on: true, off: false };

function ruleOver(names: string[]): fc.Arbitrary<Record<string, unknown>> {
  const name = fc.constantFrom<unknown>(...names, null);
  const share = fc.tuple(fc.nat(3), fc.nat(3)).map(([a, b]) => ({
    fractional: [
      [names[0], a],
      [names[1], b],
    ],
  }));
  return fc.oneof(
    share,
    fc
      .tuple(condition, name, fc.oneof(name, share))
      .map(([when, then, otherwise]) => ({ if: [when, then, otherwise] })),
    fc.constant({ var: "favourite" }),
  );
}

const rules: fc.Arbitrary<FlagRules> = fc
  .constantFrom<Record<string, unknown>>(COLOURS, BOOLEANS)
  .chain((variants) => {
    const names = Object.keys(variants);
    return fc.record(
      {
        variants: fc.constant(variants),
        defaultVariant: fc.constantFrom(...names),
        targeting: ruleOver(names),
      },
      { requiredKeys: ["variants"] },
    );
  });

const wanted = fc.option(
  fc.uniqueArray(fc.constantFrom("on", "off", "red", "blue", "1"), { minLength: 1, maxLength: 3 }),
  { nil: undefined },
);

/** Flags of which each needs some of those before it. */
const graphs = fc
  .array(
    fc.record({
      enabled: fc.constantFrom(true, true, true, false),
      rules: fc.option(rules, { nil: null }),
      hasPayload: fc.boolean(),
      needs: fc.uniqueArray(fc.record({ at: fc.nat(7), variants: wanted }), {
        maxLength: 3,
        selector: ({ at }) => at,
      }),
    }),
    { minLength: 2, maxLength: 8 },
  )
  .map((flags) =>
    flags.map(({ needs, rules, hasPayload, enabled }, index): FlagRecord => {
      const requires = needs
        .filter(({ at }) => at < index)
        .map(({ at, variants }): Requirement => ({ flag: `flag-${at}`, ...(variants && { variants }) }));
      const isPlain = rules === null || rules.variants === BOOLEANS;
      return flagRecord(`flag-${index}`, {
        enabled,
        rules: rules && rulesText(rules),
        payload: isPlain && hasPayload ? '{"n":1}' : null,
        requires: requirementsText(requires),
      });
    }),
  );

const contexts: fc.Arbitrary<Context> = fc.record(
  {
    targetingKey: fc.constantFrom("ann", "ben", "cleo", "dan"),
    plan: fc.constantFrom("pro", "free"),
    age: fc.nat(40),
    favourite: fc.constantFrom("red", "on", 1, "off", null),
  },
  { requiredKeys: [] },
);

const NOW = 1000;
const SILENT = { error() {}, warn() {}, info() {}, debug() {} };

type Result = { value: unknown; variant: string | undefined };
type Served = Result & { reason: string; prerequisite: string | undefined };

/** What the server serves for each key. */
function byServer(records: FlagRecord[], context: Context, shared?: SharedNeeds): Map<string, Served> {
  const compiled = compileRules<Compiled>(records, SEGMENTS, undefined);
  const { evaluates } = createPrerequisites(records, (slug) => compiled.get(slug)?.decide, shared);
  const results = new Map<string, Served>();
  for (const record of records) {
    const evaluate = evaluates(record);
    const add = (key: string, result: ReturnType<typeof evaluate>) =>
      results.set(
        key,
        "errorCode" in result
          ? { value: undefined, variant: undefined, reason: "ERROR", prerequisite: undefined }
          : {
              value: result.value,
              variant: result.variant,
              reason: result.reason,
              prerequisite: result.prerequisite,
            },
      );
    const subject = subjectOf(context);
    add(record.slug, evaluate(subject, NOW));
    if (record.payload !== null)
      add(record.slug + PAYLOAD_SUFFIX, createPayload(record, evaluate)(subject, NOW));
  }
  return results;
}

function byLibrary(text: string, context: Context): Map<string, Result> {
  const core = new FlagdCore(undefined, SILENT);
  core.setConfigurations(text);
  const results = new Map<string, Result>();
  for (const [key, flag] of core.getFlags()) {
    const { value, variant } = flag.evaluate(context as never, SILENT) as Result;
    const isServed = flag.state === "ENABLED";
    results.set(key, { value: isServed ? value : undefined, variant: isServed ? variant : undefined });
  }
  return results;
}

const source = (records: FlagRecord[]) => ({ records, segments: SEGMENTS, metadata: "{}" });

test("random flags that need one another are served alike by this server, by flagd's library and in a process of an application", async () => {
  await fc.assert(
    fc.asyncProperty(graphs, contexts, async (records, context) => {
      const ours = byServer(records, context);
      const flagd = await sourceFile(source(records), "a/b", NOW, "flagd");
      for (const [key, theirs] of byLibrary(flagd.text, context)) {
        const { value, variant } = ours.get(key)!;
        expect<unknown[]>([key, theirs.value ?? undefined, theirs.variant]).toEqual([key, value, variant]);
      }
      const own = await sourceFile(source(records), "a/b", NOW, "formflag");
      expect(own.omitted).toBe(0);
      const flags = readFlags(own.text);
      for (const [key, { value, variant, reason, prerequisite }] of ours) {
        const theirs = flags.evaluate(key, context);
        const { prerequisite: named } = theirs.metadata;
        expect([key, theirs.value, theirs.variant, theirs.reason, named]).toEqual([
          key,
          value,
          variant,
          reason,
          prerequisite,
        ]);
      }
    }),
    { numRuns: RUNS },
  );
}, 60_000);

test("random flags after a change are as they are without what was known of those before it", () => {
  fc.assert(
    fc.property(graphs, graphs, contexts, fc.boolean(), (before, after, context, isReversed) => {
      const shared = { graph: undefined };
      for (const some of [before, after, before]) {
        const records = isReversed ? some.toReversed() : some;
        expect(byServer(records, context, shared)).toEqual(byServer(records, context));
      }
    }),
    { numRuns: RUNS },
  );
});

test("random flags that need one another come back from their export as they were, which flagd's library serves alike", async () => {
  await fc.assert(
    fc.asyncProperty(graphs, contexts, async (records, context) => {
      const file = await exportFlags(records, SEGMENTS, "{}", undefined, true);
      const ours = byServer(records, context);
      for (const [key, theirs] of byLibrary(JSON.stringify(file), context)) {
        if (key.endsWith(PAYLOAD_SUFFIX)) continue;
        const { value, variant } = ours.get(key)!;
        expect<unknown[]>([key, theirs.value ?? undefined, theirs.variant]).toEqual([key, value, variant]);
      }
      const { plan } = await planImport(JSON.parse(JSON.stringify(file)), new Map());
      // As they come back without what they need.
      const free = await exportFlags(
        records.map((record) => ({ ...record, requires: "" })),
        SEGMENTS,
        "{}",
        undefined,
        true,
      );
      const { plan: expected } = await planImport(JSON.parse(JSON.stringify(free)), new Map());
      const needs = new Map(records.map(({ slug, requires }) => [slug, requires]));
      expect(plan.flags).toEqual(
        expected.flags.map((flag) => {
          const requires = needs.get(flag.slug)!;
          return requires === "" ? flag : { ...flag, requires };
        }),
      );
      expect(plan.segments.map(({ name }) => name).toSorted()).toEqual(["half", "pro"]);
    }),
    { numRuns: Math.ceil(RUNS / 3) },
  );
}, 60_000);
