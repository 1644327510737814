import { AppError } from "../errors.ts";
import type { Context } from "../flagd/evaluate.ts";
import { depthOf } from "../json.ts";
import { RULE_LIMITS, formatBytes } from "../limits.ts";
import { openBody } from "./body.ts";

/** Why a request is not evaluated, as OFREP names it. */
export class ContextError extends Error {
  readonly errorCode: "PARSE_ERROR" | "INVALID_CONTEXT";

  constructor(errorCode: ContextError["errorCode"], message: string) {
    super(message);
    this.errorCode = errorCode;
  }
}

/** The context in the body of a request; none is an empty one. Throws `ContextError`, `invalid` for a broken body. */
export async function readContext(request: Request): Promise<Context> {
  const bytes = await openBody(request).readAll(RULE_LIMITS.context, () => {
    return new AppError("too_large", `a request has at most ${formatBytes(RULE_LIMITS.context)}`);
  });
  if (bytes.byteLength === 0) return {};
  let body: unknown;
  try {
    body = JSON.parse(utf8.decode(bytes));
  } catch {
    throw new ContextError("PARSE_ERROR", "the body is not valid JSON");
  }
  if (!isObject(body))
    throw new ContextError("INVALID_CONTEXT", 'the body is an object such as {"context":{}}');
  const { context = {} } = body;
  if (!isObject(context)) throw new ContextError("INVALID_CONTEXT", "the context is an object");
  checkContext(context);
  return context;
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Throws `ContextError` for a context that no flag is evaluated for. */
export function checkContext(context: Context): void {
  const { targetingKey } = context;
  if (targetingKey !== undefined && typeof targetingKey !== "string")
    throw new ContextError("INVALID_CONTEXT", "the targetingKey is a string");
  if (depthOf(context, RULE_LIMITS.contextDepth) > RULE_LIMITS.contextDepth)
    throw new ContextError("INVALID_CONTEXT", `a context has at most ${RULE_LIMITS.contextDepth} levels`);
  if (hasLongArray(context))
    throw new ContextError(
      "INVALID_CONTEXT",
      `an array in a context has at most ${RULE_LIMITS.elements} elements`,
    );
}

/** Rules go through arrays. */
function hasLongArray(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.length > RULE_LIMITS.elements || value.some(hasLongArray);
  return Object.values(value).some(hasLongArray);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
