import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { type Environment, compile } from "../../src/evaluator/evaluator.ts";
import { type Outcome, byLibrary } from "./library.ts";
import { contexts, plainContexts, plainRules, rules } from "./random-rules.ts";

/** Rules that are tried: more with `FORMFLAG_RULES=1000000`, and others with `FORMFLAG_RULES_SEED`. */
const RUNS = Number(process.env["FORMFLAG_RULES"] ?? 10_000);
const SEED = Number(process.env["FORMFLAG_RULES_SEED"] ?? Date.now() % 2 ** 31);

const VARIANTS = {
  on: "on",
  off: "off",
  a: "a",
  b: "b",
  5: "five",
  true: "true",
  false: "false",
  null: "null",
};

const SEGMENTS: Record<string, object> = {
  other: { "!": [{ $ref: "plan" }] },
  plan: { "==": [{ var: "user.plan" }, "a"] },
};

/**
 * A rule for the library. References are replaced as by flagd, in the order of the file. Sums and products of a list get a
 * further operand: the library has a short cut for those of two, which takes a value that is no list as a list of it.
 */
function forLibrary(rule: object): object {
  let text = JSON.stringify(rule);
  for (const [name, segment] of Object.entries(SEGMENTS))
    text = text.replaceAll(`{"$ref":"${name}"}`, JSON.stringify(segment));
  return JSON.parse(text, (key, value: unknown) => {
    const sum =
      key === "reduce" && Array.isArray(value) ? (value[1] as Record<string, unknown> | null) : null;
    for (const [name, first] of Object.entries({ "+": 0, "*": 1 }))
      if (Array.isArray(sum?.[name])) sum[name].push(first);
    return value;
  }) as object;
}

const flagOf = (targeting: object) => ({
  state: "ENABLED" as const,
  variants: VARIANTS,
  defaultVariant: "off",
  targeting: targeting as Record<string, unknown>,
});

function byEvaluator(targeting: object, context: Record<string, unknown>): Outcome {
  const environment: Environment = { flags: { flag: flagOf(targeting) }, $evaluators: SEGMENTS };
  const { reason, value, variant, errorCode } = compile(environment).evaluate("flag", context);
  return errorCode === undefined ? { reason, value, variant } : { errorCode };
}

/** Fails for two results that differ. */
function requireSame(targeting: object, context: Record<string, unknown>, areApplied: boolean): void {
  const ours = byEvaluator(targeting, context);
  const theirs = byLibrary(flagOf(forLibrary(targeting)), context, areApplied);
  if (!Bun.deepEquals(ours, theirs)) expect(ours).toEqual(theirs);
}

describe("random rules and contexts have the results of flagd's library", () => {
  test("as it is, where values have the types that rules expect", () => {
    // The library hashes units of UTF-16, which are other bytes than those of UTF-8 for these.
    const isAscii = (value: unknown) => /^[\0-\x7f]*$/.test(JSON.stringify(value));
    fc.assert(
      fc.property(plainRules, plainContexts.filter(isAscii), (rule, context) =>
        requireSame(rule, context, false),
      ),
      { numRuns: RUNS / 4, seed: SEED },
    );
  }, 3_600_000);

  test("with its differences, where values have any types, in any place", () => {
    fc.assert(
      fc.property(rules, fc.boolean(), contexts, (rule, isCondition, context) =>
        requireSame(isCondition ? { if: [rule, "on", "off"] } : rule, context, true),
      ),
      { numRuns: RUNS, seed: SEED },
    );
  }, 3_600_000);
});
