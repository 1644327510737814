import type { Budget } from "../../evaluator/flag.ts";
import { RULE_LIMITS } from "../limits.ts";

const UNBOUNDED: Budget = { steps: Infinity };

/** The budget of the current request. Evaluations are synchronous: one runs at a time. */
let current = UNBOUNDED;

export function requestBudget(): Budget {
  return { steps: RULE_LIMITS.requestSteps };
}

/**
 * Runs evaluations that share a budget of `RULE_LIMITS.requestSteps` operations. Evaluations beyond the budget fail.
 */
export function withinRequest<T>(evaluateAll: () => T, budget = requestBudget()): T {
  current = budget;
  try {
    return evaluateAll();
  } finally {
    current = UNBOUNDED;
  }
}

export function currentBudget(): Budget {
  return current;
}

/** The limit that the evaluations of this request exceed together; undefined within it. */
export function excessOfRequest(): string | undefined {
  if (current.steps >= 0) return undefined;
  return `the rules of this request take more than ${RULE_LIMITS.requestSteps} operations`;
}
