import { clock } from "../../base/clock.ts";
import { conditionsBy } from "../../evaluator/conditions.ts";
import { type Evaluation as Evaluated, compileFlag as compile } from "../../evaluator/flag.ts";
import { type CompileRule, createRules } from "../../evaluator/rule.ts";
import { membersIn } from "../members.ts";
import type { FlagRules } from "../rules/rules.ts";
import { currentBudget, excessOfRequest } from "./budget.ts";
import type { Segments } from "./nested-segments.ts";
import { PATTERNS_TOO_LARGE, PATTERN_LIMITS, type Pattern, patternOf } from "./operands.ts";

/**
 * The result of evaluating a flag for a context: https://openfeature.dev/specification/types#resolution-details. A value that
 * is missing may be undefined, which JSON leaves out.
 */
export type Evaluation =
  | {
      reason: "STATIC" | "TARGETING_MATCH" | "DEFAULT" | "DISABLED";
      value?: unknown;
      variant?: string | undefined;
      /** The first flag that it needs and that is not as it has to be, so that it is as while it is off. */
      prerequisite?: string;
    }
  | { errorCode: "PARSE_ERROR" | "GENERAL"; errorDetails: string };

/** The `targetingKey` and the other values that rules read. */
export type Context = Record<string, unknown>;

/** A context with what flagd adds to it; evaluating a flag sets `flagKey`. */
export type Subject = Context & { $flagd: { flagKey: string; timestamp: number } };

/** The data that rules read, created once for all flags that are evaluated for a context. */
export function subjectOf(context: Context): Subject {
  return { ...context, $flagd: { flagKey: "", timestamp: Math.floor(clock.now() / 1000) } };
}

/** Instructions left to the patterns of the rule that is compiled. */
let instructions = 0;

function boundedPattern(text: string): Pattern | string {
  const pattern = patternOf(text);
  if (typeof pattern !== "string" && (instructions -= pattern.size) < 0)
    throw new RangeError(PATTERNS_TOO_LARGE);
  return pattern;
}

const OPERATIONS = conditionsBy(boundedPattern);

/** Compilers by the segments that they know: a segment is compiled once for all rules that refer to it. */
const compilers = new WeakMap<Segments, CompileRule>();

/**
 * Returns a function that evaluates an enabled flag. The same result is the same object, unless it is an error.
 */
export function compileFlag(
  key: string,
  { variants, defaultVariant, targeting }: FlagRules,
  segments: Segments,
): (subject: Subject) => Evaluation {
  let compileRule = compilers.get(segments);
  if (!compileRule) {
    compileRule = createRules(segments, {
      operations: OPERATIONS,
      knownList: segments.members ? membersIn(segments.members) : undefined,
    });
    compilers.set(segments, compileRule);
  }
  instructions = PATTERN_LIMITS.ofRule;
  const evaluate = compile(key, { variants, defaultVariant, targeting }, compileRule);
  return (subject) => {
    // Checked first: an evaluation that fails costs more than one that succeeds.
    const past = excessOfRequest();
    if (past !== undefined) return { errorCode: "GENERAL", errorDetails: past };
    subject.$flagd.flagKey = key;
    const result = evaluate(subject, subject.$flagd, currentBudget());
    return result.reason === "ERROR" ? failed(result) : (result as Evaluation);
  };
}

function failed({ errorCode, errorMessage = "" }: Evaluated): Evaluation {
  return {
    errorCode: errorCode as "PARSE_ERROR" | "GENERAL",
    errorDetails: excessOfRequest() ?? errorMessage,
  };
}
