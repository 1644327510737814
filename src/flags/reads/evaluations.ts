import type { Caller } from "../../access/caller.ts";
import { requireScope } from "../../access/rights.ts";
import { AppError } from "../../base/errors.ts";
import { yieldToEventLoop } from "../../base/event-loop.ts";
import { requireContext } from "../rules/context.ts";
import { findFlagSlugFault, PAYLOAD_SUFFIX } from "../limits.ts";
import { requireSoundRules } from "../fit.ts";
import {
  applyPatch,
  type FlagPatch,
  type FlagPlace,
  type FlagRecord,
  type FlagValues,
  noSuchFlag,
} from "../flag.ts";
import { type Context, type Evaluation, subjectOf } from "../flagd/evaluate.ts";
import { createDecide, createPayload } from "../flagd/evaluate-flag.ts";
import type { Segments } from "../flagd/nested-segments.ts";
import { RULE_LIMITS } from "../limits.ts";
import { requireSoundContent } from "../previews/preview-content.ts";
import { putFlag } from "../plan.ts";
import { requireNeedsAfter } from "../requires/after.ts";
import { createPrerequisites } from "../requires/prerequisites.ts";
import { rulesBySegment } from "../segment.ts";
import { createMemberLists } from "./member-lists.ts";
import type { FlagsApp } from "../store.ts";

/** Result of an evaluation; a flag that does not exist has an error too. */
type Outcome = Shown | { errorCode: "FLAG_NOT_FOUND"; errorDetails: string };

/** A result as people read it: the flag that it needs and that is not as it has to be is the reason, and named in the metadata. */
type Shown =
  | Exclude<Evaluation, { reason: string }>
  | { reason: string; value?: unknown; variant?: string | undefined; metadata?: { prerequisite: string } };

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
): Promise<Shown> {
  requireScope(caller, "flags:read", place);
  requireContext(context);
  const { slug, isPayload } = keyOf(place.flag);
  const record = await app.store.flags.find({ ...place, flag: slug });
  if (!record || (isPayload && record.payload === null)) throw noSuchFlag(place.flag);
  return (await evaluatorOf(app, place, record, await filledSegments(app, place), app.now()))(context);
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
  await requireNeedsAfter(app.store, [putFlag({ ...place, flag: slug }, before, record)]);
  const missing = { errorCode: "FLAG_NOT_FOUND", errorDetails: noSuchFlag(place.flag).message } as const;
  const outcomeOf = async (each: FlagRecord | undefined): Promise<(context: Context) => Outcome> =>
    !each || (isPayload && each.payload === null)
      ? () => missing
      : evaluatorOf(app, place, each, segments, at);
  const [now, after] = [await outcomeOf(before), await outcomeOf(record)];
  const trials: Trial[] = [];
  for (const context of contexts) {
    trials.push({ context, now: now(context), after: after(context) });
    await yieldToEventLoop();
  }
  return trials;
}

/** The rules of an environment's segments, with the members of segments that forms fill. Throws `not_found`. */
export async function filledSegments(
  { store }: FlagsApp,
  { project, environment }: Pick<FlagPlace, "project" | "environment">,
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

/** The evaluation of each of some flags, which may need one another. */
export function evaluatesOf(records: readonly FlagValues[], segments: Segments) {
  const rules = new Map(records.map((each) => [each.slug, each.rules]));
  const decideOf = (slug: string) => createDecide(slug, rules.get(slug) ?? "", segments).decide;
  return createPrerequisites(records, decideOf).evaluates;
}

async function evaluatorOf(
  { store }: FlagsApp,
  place: FlagPlace,
  record: FlagRecord,
  segments: Segments,
  now: number,
): Promise<(context: Context) => Shown> {
  const { project, environment, flag } = place;
  // Most flags need no other one.
  const others =
    record.requires === "" ? [] : await (await store.flags.selectIn(project, environment)).flags();
  const records = [record, ...others.filter(({ slug }) => slug !== record.slug)];
  const own = evaluatesOf(records, segments)(record);
  const evaluate = keyOf(flag).isPayload ? createPayload(record, own) : own;
  return (context) => shownOf(evaluate(subjectOf(context), now));
}

function shownOf(result: Evaluation): Shown {
  if ("errorCode" in result || result.prerequisite === undefined) return result;
  const { prerequisite, ...rest } = result;
  return { ...rest, reason: "PREREQUISITE_FAILED", metadata: { prerequisite } };
}
