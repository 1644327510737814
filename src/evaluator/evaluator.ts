import type { Operations } from "./code.ts";
import { type Evaluate, type Evaluation, type Flag, compileFlag } from "./flag.ts";
import { createRules } from "./rule.ts";

export type { Evaluation } from "./flag.ts";

/** The flags of an environment, as formflag serves them at `/flagd/v1/<project>/<environment>.json`: a flagd file. */
export type Environment = {
  flags: Record<string, Flag & { state: "ENABLED" | "DISABLED" }>;
  $evaluators?: Record<string, unknown>;
  metadata?: Record<string, unknown>;
};

/** Flags that are ready to be evaluated. */
export type Evaluator = {
  /** Evaluates a flag for a context: its `targetingKey`, and the other values that rules read. */
  evaluate: (key: string, context?: Readonly<Record<string, unknown>>) => Evaluation;
  /** The keys of the flags, in the order of the file. */
  keys: readonly string[];
};

/** Compiles every rule of an environment once; `operations` are the ones of its rules that flagd does not have. */
export function compile(environment: Environment, operations: Operations = {}): Evaluator {
  const { flags, $evaluators = {}, metadata = {} } = environment;
  const compileRule = createRules(new Map(Object.entries($evaluators)), { operations });
  const evaluates = new Map<string, Evaluate>();
  const keys = Object.keys(flags);
  for (const key of keys) {
    const { state, ...flag } = flags[key]!;
    const own = { ...metadata, ...flag.metadata };
    const disabled: Evaluation = { reason: "DISABLED", metadata: own };
    evaluates.set(
      key,
      state === "DISABLED" ? () => disabled : compileFlag(key, { ...flag, metadata: own }, compileRule),
    );
  }
  const unbounded = { steps: Infinity };
  let seconds = 0;
  const flagd = {
    flagKey: "",
    get timestamp() {
      return (seconds ||= Math.floor(Date.now() / 1000));
    },
  };
  return {
    keys,
    evaluate(key, context = {}) {
      const evaluate = evaluates.get(key);
      if (!evaluate)
        return {
          reason: "ERROR",
          errorCode: "FLAG_NOT_FOUND",
          errorMessage: `flag '${key}' not found`,
          metadata,
        };
      flagd.flagKey = key;
      seconds = 0;
      return evaluate(context, flagd, unbounded);
    },
  };
}
