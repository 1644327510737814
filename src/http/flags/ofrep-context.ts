import { formatBytes } from "../../base/bytes.ts";
import { AppError } from "../../base/errors.ts";
import { isObject } from "../../base/json.ts";
import { checkContext, ContextError } from "../../flags/rules/context.ts";
import type { Context } from "../../flags/flagd/evaluate.ts";
import { RULE_LIMITS } from "../../flags/limits.ts";
import { readJson } from "../body.ts";

/** The context in the body of a request. Throws `ContextError`, also for an empty body, `too_large` and `unsupported`. */
export function readContext(request: Request): Promise<Context> {
  return readJson(request, RULE_LIMITS.context, FAULTS, contextOf);
}

const FAULTS = {
  tooLarge: () => new AppError("too_large", `a request has at most ${formatBytes(RULE_LIMITS.context)}`),
  broken: (message: string) => new ContextError("PARSE_ERROR", message),
};

function contextOf(body: unknown): Context {
  if (body === undefined)
    throw new ContextError("PARSE_ERROR", 'the request has no body: send at least {"context":{}}');
  if (!isObject(body))
    throw new ContextError("INVALID_CONTEXT", 'the body is an object such as {"context":{}}');
  const { context = {} } = body;
  // The published client sends an empty object for no context; anything else beside it was meant as one.
  if (body["context"] === undefined && Object.keys(body).length > 0)
    throw new ContextError("INVALID_CONTEXT", 'the body has no context: send {"context":{…}}');
  if (!isObject(context)) throw new ContextError("INVALID_CONTEXT", "the context is an object");
  checkContext(context);
  return context;
}
