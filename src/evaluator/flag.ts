import { type Run, textOf } from "./code.ts";
import type { CompileRule } from "./rule.ts";
import { MAX_STEPS, grant, lengthOf, remaining } from "./steps.ts";
import { type Flagd, begin } from "./subject.ts";

/** A flag of a flagd file: https://flagd.dev/reference/flag-definitions/ */
export type Flag = {
  variants: Record<string, unknown>;
  defaultVariant?: string | null | undefined;
  /** A rule in JSON logic that yields the name of a variant, or null for the default. */
  targeting?: Record<string, unknown> | undefined;
  metadata?: Record<string, unknown> | undefined;
};

/**
 * The result of evaluating a flag for a context: https://openfeature.dev/specification/types#resolution-details. A flag without
 * a value has the default of its reader.
 */
export type Evaluation = {
  reason: "STATIC" | "TARGETING_MATCH" | "DEFAULT" | "DISABLED" | "ERROR";
  value?: unknown;
  variant?: string;
  errorCode?: "FLAG_NOT_FOUND" | "PARSE_ERROR" | "GENERAL";
  errorMessage?: string;
  /** That of the flag, and of its file. */
  metadata?: Record<string, unknown>;
};

/** Operations that are left to evaluations which share them; fewer than none once they exceed it. */
export type Budget = { steps: number };

export type Evaluate = (context: object, flagd: Flagd, budget: Budget) => Evaluation;

/** Most characters of an error: it quotes the result of a rule, which may be long. */
const MAX_MESSAGE = 500;

/** Returns a function that evaluates an enabled flag. The same result is the same object, unless it is an error. */
export function compileFlag(key: string, flag: Flag, compileRule: CompileRule): Evaluate {
  const { variants, targeting } = flag;
  const metadata = flag.metadata && { metadata: flag.metadata };
  const fail = (errorMessage: string, errorCode: "PARSE_ERROR" | "GENERAL" = "GENERAL"): Evaluation => ({
    reason: "ERROR",
    errorCode,
    errorMessage: errorMessage.slice(0, MAX_MESSAGE),
    ...metadata,
  });
  const noVariant = (variant: string) => fail(`Variant '${variant}' not found in flag with key '${key}'`);
  const results = new Map<string, Evaluation>();
  for (const variant of Object.keys(variants))
    results.set(variant, { reason: "TARGETING_MATCH", value: variants[variant], variant, ...metadata });
  const serve = (reason: "STATIC" | "DEFAULT"): Evaluation => {
    const variant = flag.defaultVariant;
    if (!variant) return { reason: "DEFAULT", ...metadata };
    const result = results.get(variant);
    return result ? { ...result, reason } : noVariant(variant);
  };
  if (!targeting || Object.keys(targeting).length === 0) {
    const fixed = serve("STATIC");
    return () => fixed;
  }
  let run: Run;
  try {
    run = compileRule(targeting);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const failure = fail(`the rule of the flag ${key} cannot be used: ${why}`, "PARSE_ERROR");
    return () => failure;
  }
  const fallback = serve("DEFAULT");
  return (context, flagd, budget) => {
    let result: unknown;
    const granted = Math.min(MAX_STEPS, budget.steps);
    grant(granted);
    begin(context, flagd);
    try {
      result = run(context, null);
      lengthOf(result);
      // An object from the context may have no text.
      if (result !== null && result !== undefined) result = textOf(result);
    } catch {
      return fail(
        remaining() < 0
          ? `its rule takes more than ${MAX_STEPS} operations`
          : `Error evaluating targeting rule for flag '${key}'`,
      );
    } finally {
      budget.steps -= granted - remaining();
    }
    if (typeof result !== "string") return fallback;
    return results.get(result) ?? noVariant(result);
  };
}
