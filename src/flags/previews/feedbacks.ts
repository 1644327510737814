import type { Caller } from "../../access/caller.ts";
import { requireScope } from "../../access/rights.ts";
import { AppError } from "../../base/errors.ts";
import { yieldToEventLoop } from "../../base/event-loop.ts";
import { firstIdOf } from "../../base/ids.ts";
import { sha256 } from "../../base/sum.ts";
import { type Feedback, type RatingCount, type Ratings, sumRatings } from "./feedback.ts";
import { FEEDBACK_LIMITS } from "../limits.ts";
import type { FeedbackPlace, FlagsApp } from "../store.ts";

/** Rows counted or deleted in one step, between which other work takes its turn. */
const STEP = 1000;

/** The environment of two keys, a flag in it, and who sends feedback: one IPv4 address or IPv6 network. */
type Origin = { projectKey: string; environmentKey: string; flag: string; network: string };

/** The part of the app that takes feedback in. */
type FeedbackApp = FlagsApp & { nextId: () => string };

/**
 * Stores a feedback. A repeat, which comes from the same sender with the same content within a minute, is not stored, and
 * gets the id of the first. Throws `not_found` if the flag has been deleted.
 */
export async function takeFeedback(
  app: FeedbackApp,
  { network, ...place }: Origin,
  feedback: Feedback,
): Promise<{ id: string; isRepeat: boolean }> {
  const now = app.now();
  const id = app.nextId();
  const hash = sha256(JSON.stringify([place.environmentKey, place.flag, network, feedback]));
  const recent = { hash, expiresAt: now + FEEDBACK_LIMITS.repeatSeconds * 1000 };
  const stored = await app.store.feedback.insert({ id, ...place, ...feedback, createdAt: now }, recent);
  if (stored === null) throw noPreview(place.flag);
  return { id: stored, isRepeat: stored !== id };
}

/** The error for feedback about a flag that is not a preview, or does not exist. */
export function noPreview(flag: string): AppError {
  return new AppError("not_found", `Flag with slug ${flag} is not a preview`);
}

/** The smallest id of feedback that came at `since` or later, in milliseconds since 1970; null for any. */
export function firstIdSince(since: number | null): string | null {
  return since === null ? null : firstIdOf(since);
}

/** Counts the feedback about a flag since a time in milliseconds since 1970. Throws `not_found`. */
export async function countRatings(
  { store }: FlagsApp,
  place: FeedbackPlace,
  since: number | null,
): Promise<Ratings> {
  const counts: RatingCount[] = [];
  let after = firstIdSince(since);
  for (;;) {
    const step = await store.feedback.count(place, after, STEP);
    counts.push(...step.counts);
    if (step.next === null) return sumRatings(counts);
    after = step.next;
    await yieldToEventLoop();
  }
}

/** Deletes one feedback of a project. Throws `not_found`, `forbidden`. */
export async function deleteFeedback(
  app: FlagsApp,
  caller: Caller,
  { project, id }: { project: string; id: string },
): Promise<void> {
  requireScope(caller, "flags:write", { project });
  if (!(await app.store.feedback.delete(project, id)))
    throw new AppError("not_found", `feedback "${id}" does not exist in project "${project}"`);
}

/** Deletes all feedback about a flag, and returns how many there were. Throws `not_found`, `forbidden`. */
export async function deleteFeedbackOf(app: FlagsApp, caller: Caller, place: FeedbackPlace): Promise<number> {
  const { project, environment } = place;
  requireScope(caller, "flags:write", environment === null ? { project } : { project, environment });
  let deleted = 0;
  for (;;) {
    const count = await app.store.feedback.deleteSome(place, STEP);
    deleted += count;
    if (count < STEP) return deleted;
    await yieldToEventLoop();
  }
}
