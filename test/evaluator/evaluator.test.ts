import { describe, expect, test } from "bun:test";
import { type Environment, compile } from "../../src/evaluator/evaluator.ts";

const variants = { on: true, off: false };

const ENVIRONMENT: Environment = {
  flags: {
    fixed: { state: "ENABLED", variants, defaultVariant: "on" },
    unserved: { state: "ENABLED", variants },
    disabled: { state: "DISABLED", variants, defaultVariant: "on", metadata: { owner: "ann" } },
    staff: {
      state: "ENABLED",
      variants,
      defaultVariant: "off",
      targeting: { if: [{ $ref: "staff" }, "on"] },
      metadata: { scope: "own", owner: "ann" },
    },
    broken: { state: "ENABLED", variants, targeting: { unknown: [] } },
    stray: { state: "ENABLED", variants, targeting: { if: [true, "other"] } },
  },
  $evaluators: { staff: { ends_with: [{ var: "email" }, "@example.com"] } },
  metadata: { scope: "shop/production" },
};

describe("an environment", () => {
  const { evaluate, keys } = compile(ENVIRONMENT);
  const metadata = { scope: "shop/production" };

  test("has the keys of its flags, in their order", () => {
    expect(keys).toEqual(["fixed", "unserved", "disabled", "staff", "broken", "stray"]);
  });

  test("evaluates flags with the metadata of each and of the file, where that of the flag goes first", () => {
    expect(evaluate("fixed")).toEqual({ reason: "STATIC", value: true, variant: "on", metadata });
    expect(evaluate("unserved", {})).toEqual({ reason: "DEFAULT", metadata });
    expect(evaluate("disabled", {})).toEqual({
      reason: "DISABLED",
      metadata: { ...metadata, owner: "ann" },
    });
    const own = { scope: "own", owner: "ann" };
    expect(evaluate("staff", { email: "ann@example.com" })).toEqual({
      reason: "TARGETING_MATCH",
      value: true,
      variant: "on",
      metadata: own,
    });
    expect(evaluate("staff", { email: "ann@example.org" })).toEqual({
      reason: "DEFAULT",
      value: false,
      variant: "off",
      metadata: own,
    });
  });

  test("names what is wrong, and never throws", () => {
    expect(evaluate("gone", {})).toEqual({
      reason: "ERROR",
      errorCode: "FLAG_NOT_FOUND",
      errorMessage: "flag 'gone' not found",
      metadata,
    });
    expect(evaluate("broken", {})).toMatchObject({ reason: "ERROR", errorCode: "PARSE_ERROR", metadata });
    expect(evaluate("stray", {})).toMatchObject({ reason: "ERROR", errorCode: "GENERAL", metadata });
    for (const name of ["constructor", "__proto__", "toString"])
      expect(evaluate(name, {})).toMatchObject({ errorCode: "FLAG_NOT_FOUND" });
  });
});
