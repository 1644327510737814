import { FeatureFlag } from "@openfeature/flagd-core";
import type { FlagRules } from "../rules.ts";
import { type Engine, boundedText, excess, excessOfRequest, guardEngine } from "./guard.ts";
import { type Segments, putIn } from "./segments.ts";

/** What a flag is for a context: https://openfeature.dev/specification/types#resolution-details */
export type Evaluation =
  | { reason: "STATIC" | "TARGETING_MATCH" | "DEFAULT" | "DISABLED"; value?: unknown; variant?: string }
  | { errorCode: "PARSE_ERROR" | "GENERAL"; errorDetails: string };

/** `targetingKey` and whatever else rules look at. */
export type Context = Record<string, unknown>;

/** Characters of an error: the library quotes what a rule yields. */
const MAX_DETAILS = 500;

/** flagd's own words for what it met on the way, which nobody reads here. */
export const SILENT = { error() {}, warn() {}, info() {}, debug() {} };

/** Interpreted: compiling would run text that somebody wrote as code, takes twice as long, and is not faster. */
const OPTIONS = { disableDynamicCodeGeneration: true };

/** Makes a function that evaluates an enabled flag. Compiling takes some 0.4 ms, evaluating a few microseconds. */
export function compileFlag(
  key: string,
  rules: FlagRules,
  segments: Segments,
): (context: Context) => Evaluation {
  const { variants, defaultVariant, targeting } = rules;
  if (!targeting || Object.keys(targeting).length === 0) {
    const fixed = serve(variants, defaultVariant);
    return () => fixed;
  }
  let flag: FeatureFlag;
  try {
    const whole = putIn(segments, targeting);
    flag = new FeatureFlag(
      key,
      { state: "ENABLED", variants, defaultVariant, targeting: whole } as never,
      SILENT,
      OPTIONS,
    );
  } catch (error) {
    const failure = {
      errorCode: "PARSE_ERROR",
      errorDetails: `the rule of the flag ${key} cannot be used: ${String(error)}`,
    };
    return () => failure as Evaluation;
  }
  const inner = targetingOf(flag);
  const run = inner?._engine && guardEngine(inner._engine);
  if (inner) {
    const yields = inner.evaluate.bind(inner);
    // The library makes a text of it, and says that in its error.
    inner.evaluate = (...args) => boundedText(yields(...args));
  }
  return (context) => {
    // At once: an evaluation that fails costs more than one that does not.
    const errorDetails = run && excessOfRequest();
    if (errorDetails !== undefined) return { errorCode: "GENERAL", errorDetails };
    const evaluate = () => flag.evaluate(context as never, SILENT);
    let result: ReturnType<typeof evaluate>;
    try {
      result = run ? run(evaluate) : evaluate();
    } catch (error) {
      // The library calls toString of what a rule yields, which may be an object that the context made up.
      return {
        errorCode: "GENERAL",
        errorDetails: `the rule of the flag ${key} yields no name of a variant: ${String(error)}`,
      };
    }
    if (result.reason === "ERROR") {
      const { errorCode, errorMessage } = result as {
        errorCode: "PARSE_ERROR" | "GENERAL";
        errorMessage: string;
      };
      return { errorCode, errorDetails: (run && excess()) ?? errorMessage.slice(0, MAX_DETAILS) };
    }
    const { reason, value, variant } = result;
    return {
      reason: reason as "STATIC",
      ...(value === undefined ? {} : { value }),
      ...(variant === undefined ? {} : { variant }),
    };
  };
}

/** A flag without a rule serves its default, and without that nothing. */
function serve(variants: FlagRules["variants"], name: string | null | undefined): Evaluation {
  if (!name) return { reason: "DEFAULT" };
  return { reason: "STATIC", value: variants[name], variant: name };
}

type Targeting = { _engine?: Engine; evaluate: (...args: unknown[]) => unknown };

/** A flag's rule with its interpreter, which the library keeps to itself; none where the rule cannot be parsed. */
function targetingOf(flag: FeatureFlag): Targeting | undefined {
  return (flag as unknown as { _targeting?: Targeting })._targeting;
}
