import { formatBytes } from "../../base/bytes.ts";
import { isoTime } from "../../base/clock.ts";
import { AppError } from "../../base/errors.ts";
import { depthOf, isObject } from "../../base/json.ts";
import { FEEDBACK_LIMITS } from "../limits.ts";

/** From the worst to the best: the store keeps the index. */
export const MOODS = ["VERY_SAD", "SAD", "NEUTRAL", "HAPPY", "VERY_HAPPY"] as const;

type Mood = (typeof MOODS)[number];

/** Feedback of a visitor on a preview. */
export type Feedback = {
  mood: Mood;
  /** 1 to 5. */
  rating: number;
  description: string | null;
  /** JSON text of an object. */
  metadata: string | null;
};

/** A feedback as it is stored; `createdAt` is in milliseconds since 1970. */
export type FeedbackRecord = Feedback & { id: string; environment: string; flag: string; createdAt: number };

/** A stored feedback as the admin API shows it. */
export function viewFeedback(record: FeedbackRecord) {
  const { id, flag, environment, mood, rating, description, metadata, createdAt } = record;
  const parsed = metadata === null ? null : (JSON.parse(metadata) as Record<string, unknown>);
  const at = isoTime(createdAt);
  return { id, flag, environment, mood, rating, description, metadata: parsed, createdAt: at };
}

/**
 * The feedback that a request body holds, and the slug of the flag that it is about. Members that are not known are
 * ignored. Throws `invalid` with the field and what is wrong with it.
 */
export function parseFeedback(body: unknown): { flag: string; feedback: Feedback } {
  if (!isObject(body)) throw invalid("the body is a JSON object with flagKey, mood and rating");
  const { flagKey, mood, rating, description = null, metadata = null } = body;
  if (typeof flagKey !== "string" || flagKey === "")
    throw invalid("flagKey is the slug of a flag, as a text");
  const known = MOODS.find((each) => each === mood);
  if (known === undefined) throw invalid(`mood is one of ${MOODS.join(", ")}`);
  if (typeof rating !== "number" || !Number.isInteger(rating) || rating < 1 || rating > 5)
    throw invalid("rating is an integer from 1 to 5");
  const feedback = {
    mood: known,
    rating,
    description: parseDescription(description),
    metadata: parseMetadata(metadata),
  };
  return { flag: flagKey, feedback };
}

/** Null also for an empty text. */
function parseDescription(value: unknown): string | null {
  if (value === null) return null;
  if (typeof value !== "string") throw invalid("description is a text");
  if (value.length > FEEDBACK_LIMITS.description)
    throw invalid(`description has at most ${FEEDBACK_LIMITS.description} characters`);
  return value === "" ? null : value;
}

function parseMetadata(value: unknown): string | null {
  if (value === null) return null;
  if (!isObject(value)) throw invalid("metadata is an object");
  if (depthOf(value, FEEDBACK_LIMITS.metadataDepth) > FEEDBACK_LIMITS.metadataDepth)
    throw invalid(`metadata has at most ${FEEDBACK_LIMITS.metadataDepth} levels`);
  const text = JSON.stringify(value);
  if (Buffer.byteLength(text) > FEEDBACK_LIMITS.metadata)
    throw invalid(`metadata has at most ${formatBytes(FEEDBACK_LIMITS.metadata)} of JSON`);
  return text;
}

function invalid(message: string): AppError {
  return new AppError("invalid", message);
}

/** How often each rating and mood was given. */
export type Ratings = {
  count: number;
  /** The mean of the ratings, to two decimals; null without any. */
  mean: number | null;
  /** By rating, 1 to 5. */
  ratings: Record<string, number>;
  moods: Record<Mood, number>;
};

/** How often a rating and a mood came together. */
export type RatingCount = { rating: number; mood: Mood; count: number };

/** Adds up counts. */
export function sumRatings(counts: RatingCount[]): Ratings {
  const ratings: Record<string, number> = { 1: 0, 2: 0, 3: 0, 4: 0, 5: 0 };
  const moods = Object.fromEntries(MOODS.map((mood) => [mood, 0])) as Record<Mood, number>;
  let [total, sum] = [0, 0];
  for (const { rating, mood, count } of counts) {
    ratings[rating]! += count;
    moods[mood] += count;
    total += count;
    sum += rating * count;
  }
  return { count: total, mean: total === 0 ? null : Math.round((sum / total) * 100) / 100, ratings, moods };
}
