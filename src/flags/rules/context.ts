import { formatBytes } from "../../base/bytes.ts";
import { AppError } from "../../base/errors.ts";
import { childrenOf } from "../../base/json.ts";
import type { Context } from "../flagd/evaluate.ts";
import { RULE_LIMITS } from "../limits.ts";

/** A fault of the context of an evaluation, with OFREP's error code. */
export class ContextError extends Error {
  readonly errorCode: "PARSE_ERROR" | "INVALID_CONTEXT";

  constructor(errorCode: ContextError["errorCode"], message: string) {
    super(message);
    this.errorCode = errorCode;
  }
}

/** Throws `ContextError` for a context beyond the limits or with an invalid `targetingKey`; null is none, as some clients send. */
export function checkContext(context: Context): void {
  const targetingKey = context["targetingKey"] ?? "";
  if (typeof targetingKey !== "string")
    throw new ContextError("INVALID_CONTEXT", "the targetingKey is a string");
  if (Buffer.byteLength(targetingKey) > RULE_LIMITS.targetingKey) {
    const message = `the targetingKey has at most ${formatBytes(RULE_LIMITS.targetingKey)}`;
    throw new ContextError("INVALID_CONTEXT", message);
  }
  checkValue(context, RULE_LIMITS.contextDepth);
}

/** Throws `invalid` or `too_large` for a context beyond the limits. */
export function requireContext(context: Context): void {
  try {
    checkContext(context);
  } catch (error) {
    throw error instanceof ContextError ? new AppError("invalid", error.message) : error;
  }
  if (Buffer.byteLength(JSON.stringify(context)) > RULE_LIMITS.context)
    throw new AppError("too_large", `a context has at most ${formatBytes(RULE_LIMITS.context)} of JSON`);
}

/** Limits depth and arrays, since rules may go through all of both. */
function checkValue(value: unknown, levels: number): void {
  if (typeof value !== "object" || value === null) return;
  if (levels === 0)
    throw new ContextError("INVALID_CONTEXT", `a context has at most ${RULE_LIMITS.contextDepth} levels`);
  if (Array.isArray(value) && value.length > RULE_LIMITS.elements) {
    const message = `an array in a context has at most ${RULE_LIMITS.elements} elements`;
    throw new ContextError("INVALID_CONTEXT", message);
  }
  for (const child of childrenOf(value)) checkValue(child, levels - 1);
}
