import { formatBytes } from "../../base/bytes.ts";
import { AppError } from "../../base/errors.ts";
import { isObject, childrenOf } from "../../base/json.ts";
import type { Context } from "../../flags/flagd/evaluate.ts";
import { RULE_LIMITS } from "../../flags/limits.ts";
import { readJson } from "../body.ts";

/** A fault of a request's context, with OFREP's error code. */
export class ContextError extends Error {
  readonly errorCode: "PARSE_ERROR" | "INVALID_CONTEXT";

  constructor(errorCode: ContextError["errorCode"], message: string) {
    super(message);
    this.errorCode = errorCode;
  }
}

/** The context in the body of a request. Throws `ContextError`, also for an empty body, and `too_large`. */
export function readContext(request: Request): Promise<Context> {
  return readJson(request, RULE_LIMITS.context, {
    tooLarge: () => new AppError("too_large", `a request has at most ${formatBytes(RULE_LIMITS.context)}`),
    broken: () => new ContextError("PARSE_ERROR", "the body is not valid JSON"),
  }).then(contextOf);
}

function contextOf(body: unknown): Context {
  if (body === undefined)
    throw new ContextError("PARSE_ERROR", 'the request has no body: send at least {"context":{}}');
  if (!isObject(body))
    throw new ContextError("INVALID_CONTEXT", 'the body is an object such as {"context":{}}');
  const { context = {} } = body;
  if (!isObject(context)) throw new ContextError("INVALID_CONTEXT", "the context is an object");
  checkContext(context);
  return context;
}

/** Throws `ContextError` for a context beyond the limits or with an invalid `targetingKey`. */
export function checkContext(context: Context): void {
  const { targetingKey } = context;
  if (targetingKey !== undefined && typeof targetingKey !== "string")
    throw new ContextError("INVALID_CONTEXT", "the targetingKey is a string");
  if (targetingKey !== undefined && Buffer.byteLength(targetingKey) > RULE_LIMITS.targetingKey) {
    const message = `the targetingKey has at most ${formatBytes(RULE_LIMITS.targetingKey)}`;
    throw new ContextError("INVALID_CONTEXT", message);
  }
  checkValue(context, RULE_LIMITS.contextDepth);
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
