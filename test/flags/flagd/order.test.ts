import { expect, test } from "bun:test";
import { FlagdCore } from "@openfeature/flagd-core";
import * as fc from "fast-check";
import { exportFlags } from "../../../src/flags/flagd/definition.ts";
import { planImport } from "../../../src/flags/flagd/import.ts";
import type { SegmentRecord } from "../../../src/flags/segment.ts";

/** Names of which some stand first in every JSON object. */
const NAMES = ["b", "10", "a", "2", "c_d", "1", "e-f", "0x", "Z", "33"];

/** Segments of which each refers to some that are further on in a random order, in another random order. */
const segments = fc
  .record({
    chain: fc.shuffledSubarray(NAMES, { minLength: 2 }),
    uses: fc.array(fc.array(fc.nat(9), { maxLength: 3 }), { minLength: 10, maxLength: 10 }),
    places: fc.array(fc.nat(), { minLength: 10, maxLength: 10 }),
  })
  .map(({ chain, uses, places }) =>
    chain
      .map((name, index) => {
        const later = uses[index]!.map((step) => chain[index + 1 + step]).filter(Boolean);
        const rule = later.length === 0 ? { var: `is.${name}` } : { and: later.map(($ref) => ({ $ref })) };
        return [name, { "!": [rule] }] as const;
      })
      .toSorted(([a], [b]) => places[chain.indexOf(a)]! - places[chain.indexOf(b)]!),
  );

/** What a segment is, by its references alone. */
function valueOf(name: string, rules: Map<string, unknown>, is: Record<string, boolean>): boolean {
  const {
    "!": [rule],
  } = rules.get(name) as { "!": [{ var?: string; and?: { $ref: string }[] }] };
  const parts = rule.and?.map(({ $ref }) => valueOf($ref, rules, is));
  return !(parts ? parts.every(Boolean) : is[name]);
}

const logger = { error() {}, warn() {}, info() {}, debug() {} };

test("flagd finds every segment of an export, whichever refer to which and in which order they were made", async () => {
  await fc.assert(
    fc.asyncProperty(
      segments,
      fc.array(fc.boolean(), { minLength: 10, maxLength: 10 }),
      async (made, bits) => {
        const is = Object.fromEntries(NAMES.map((name, index) => [name, bits[index]!]));
        const rules = new Map<string, unknown>(made);
        const records = [...rules].map(
          ([name, rule]) => ({ name, rule: JSON.stringify(rule) }) as SegmentRecord,
        );
        const file = await exportFlags([], records, "{}");
        for (const name of rules.keys())
          file.flags[`is-${name}`] = {
            state: "ENABLED",
            variants: { on: true, off: false },
            defaultVariant: "off",
            targeting: { if: [{ $ref: name }, "on", "off"] },
          };
        const core = new FlagdCore(undefined, logger);
        core.setConfigurations(JSON.stringify(file));
        for (const name of rules.keys())
          expect(core.resolveBooleanEvaluation(`is-${name}`, false, { is }, logger)).toMatchObject({
            value: valueOf(name, rules, is),
            reason: "TARGETING_MATCH",
          });
        expect((await planImport(JSON.parse(JSON.stringify(file)), new Map())).warnings).toEqual([]);
      },
    ),
    { numRuns: 100 },
  );
});
