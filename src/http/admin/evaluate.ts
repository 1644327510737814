import type { App } from "../../app.ts";
import { formatBytes } from "../../base/bytes.ts";
import { AppError } from "../../base/errors.ts";
import { PAYLOAD_SUFFIX } from "../../flags/faults.ts";
import { type FlagPlace, noSuchFlag } from "../../flags/flag.ts";
import type { Context, Evaluation } from "../../flags/flagd/evaluate.ts";
import { createDecide, evaluateFlag, evaluatePayload } from "../../flags/flagd/flag.ts";
import { RULE_LIMITS } from "../../flags/limits.ts";
import { rulesBySegment } from "../../flags/segment.ts";
import { ContextError, checkContext } from "../flags/ofrep-context.ts";

/**
 * Evaluates a flag, or the payload of a plain one, for a context. Throws `not_found` for the flag, `invalid` or
 * `too_large` for the context.
 */
export async function evaluateOne(app: App, place: FlagPlace, context: Context): Promise<Evaluation> {
  if (Buffer.byteLength(JSON.stringify(context)) > RULE_LIMITS.context)
    throw new AppError("too_large", `a context has at most ${formatBytes(RULE_LIMITS.context)} of JSON`);
  try {
    checkContext(context);
  } catch (error) {
    throw error instanceof ContextError ? new AppError("invalid", error.message) : error;
  }
  const { project, environment, flag: key } = place;
  const isPayload = key.endsWith(PAYLOAD_SUFFIX);
  const slug = isPayload ? key.slice(0, -PAYLOAD_SUFFIX.length) : key;
  const record = await app.store.flags.find({ ...place, flag: slug });
  if (!record || (isPayload && record.payload === null)) throw noSuchFlag(key);
  if (isPayload) return evaluatePayload(record, app.now());
  const selection = await app.store.flags.selectIn(project, environment);
  const decide = createDecide(slug, record.rules ?? "", rulesBySegment(await selection.segments()));
  return evaluateFlag(record, decide, context, app.now());
}
