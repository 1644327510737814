import type { Caller } from "../../access/caller.ts";
import { requireScope } from "../../access/rights.ts";
import { AppError } from "../../base/errors.ts";
import { yieldToEventLoop } from "../../base/event-loop.ts";
import { requireContext } from "../rules/context.ts";
import { findFlagSlugFault, PAYLOAD_SUFFIX } from "../limits.ts";
import { requireSoundRules } from "../fit.ts";
import { applyPatch, type FlagPatch, type FlagPlace, type FlagRecord, noSuchFlag } from "../flag.ts";
import { type Context, type Evaluation, subjectOf } from "../flagd/evaluate.ts";
import { createDecide, createPayload, evaluateFlag } from "../flagd/evaluate-flag.ts";
import type { Segments } from "../flagd/nested-segments.ts";
import { RULE_LIMITS } from "../limits.ts";
import { requireSoundContent } from "../previews/preview-content.ts";
import { rulesBySegment } from "../segment.ts";
import { createMemberLists } from "./member-lists.ts";
import type { FlagsApp } from "../store.ts";

/** Result of an evaluation; a flag that does not exist has an error too. */
type Outcome = Evaluation | { errorCode: "FLAG_NOT_FOUND"; errorDetails: string };

/** Results of evaluating a flag for a context, before and after a change. */
export type Trial = { context: Context; now: Outcome; after: Outcome };

/**
 * Evaluates a flag, or its payload by `<flag>.payload`, for a context. Throws `not_found` for the flag,
 * `invalid` or `too_large` for the context, `forbidden`.
 */
export async function evaluateStored(
  app: FlagsApp,
  caller: Caller,
  place: FlagPlace,
  context: Context,
): Promise<Evaluation> {
  requireScope(caller, "flags:read", place);
  requireContext(context);
  const { slug, isPayload } = keyOf(place.flag);
  const record = await app.store.flags.find({ ...place, flag: slug });
  if (!record || (isPayload && record.payload === null)) throw noSuchFlag(place.flag);
  return evaluatorOf(record, isPayload, await filledSegments(app, place), app.now())(context);
}

/**
 * Evaluates a flag, or `<flag>.payload`, before and after a patch that is not stored, for each of at most 20 contexts.
 * The flag need not exist. Throws `invalid` for a patch that `setFlag` refuses, and like `evaluateStored`.
 */
export async function tryChange(
  app: FlagsApp,
  caller: Caller,
  place: FlagPlace,
  patch: FlagPatch,
  contexts: readonly Context[],
): Promise<Trial[]> {
  requireScope(caller, "flags:read", place);
  if (contexts.length < 1 || contexts.length > RULE_LIMITS.triedContexts)
    throw new AppError("invalid", `a change is tried for 1 to ${RULE_LIMITS.triedContexts} contexts`);
  for (const context of contexts) requireContext(context);
  const { slug, isPayload } = keyOf(place.flag);
  const fault = findFlagSlugFault(slug);
  if (fault !== undefined) throw new AppError("invalid", fault);
  await requireSoundContent(patch.previewContent);
  const at = app.now();
  const before = await app.store.flags.find({ ...place, flag: slug });
  const segments = await filledSegments(app, place);
  await requireSoundRules(before, patch, async () => segments);
  const { record } = applyPatch(slug, before, patch, at);
  const missing = { errorCode: "FLAG_NOT_FOUND", errorDetails: noSuchFlag(place.flag).message } as const;
  const outcomeOf = (each: FlagRecord | undefined): ((context: Context) => Outcome) =>
    !each || (isPayload && each.payload === null)
      ? () => missing
      : evaluatorOf(each, isPayload, segments, at);
  const [now, after] = [outcomeOf(before), outcomeOf(record)];
  const trials: Trial[] = [];
  for (const context of contexts) {
    trials.push({ context, now: now(context), after: after(context) });
    await yieldToEventLoop();
  }
  return trials;
}

/** The rules of an environment's segments, with the members of those that forms fill. Throws `not_found`. */
async function filledSegments(
  { store }: FlagsApp,
  { project, environment }: FlagPlace,
): Promise<Segments & ReadonlyMap<string, unknown>> {
  const selection = await store.flags.selectIn(project, environment);
  const records = await selection.segments();
  const members = records.some(({ source }) => source !== undefined) ? createMemberLists() : null;
  await members?.load(selection);
  return Object.assign(rulesBySegment(records), { members });
}

function keyOf(key: string): { slug: string; isPayload: boolean } {
  const isPayload = key.endsWith(PAYLOAD_SUFFIX);
  return { slug: isPayload ? key.slice(0, -PAYLOAD_SUFFIX.length) : key, isPayload };
}

function evaluatorOf(
  record: FlagRecord,
  isPayload: boolean,
  segments: Segments,
  now: number,
): (context: Context) => Evaluation {
  const { decide } = createDecide(record.slug, record.rules ?? "", segments);
  if (isPayload) {
    const evaluate = createPayload(record, decide);
    return (context) => evaluate(subjectOf(context), now);
  }
  return (context) => evaluateFlag(record, decide, subjectOf(context), now);
}
