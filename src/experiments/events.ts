import { DAY_MS } from "../base/days.ts";
import { AppError } from "../base/errors.ts";
import { isObject } from "../base/json.ts";
import { sha256 } from "../base/sum.ts";
import { findFlagSlugFault } from "../flags/limits.ts";
import type { Assignments } from "./assignment.ts";
import { EVENT_LIMITS } from "./limits.ts";
import type { Measure, Occurrence } from "./measure.ts";
import type { ExperimentsStore } from "./store.ts";

/** How long a repeat gets the first answer, in milliseconds. */
const KEY_LIFETIME = DAY_MS;

const EVENT_NAME = /^[A-Za-z0-9._-]{1,100}$/;
const NAME_FAULT = "the name of an event is 1 to 100 of A-Z, a-z, 0-9, dot, underscore and dash";

/** An entry of a batch that is refused: its index and what is wrong. */
export type EventFault = { index: number; message: string };

/** Reads the body of a page: `{"assignment","exposures","events"}`. Throws `invalid`, also for an assignment that is not valid there. */
export function readPageEvents(
  body: unknown,
  { read }: Assignments,
  environmentKey: string,
  now: number,
): Occurrence[] {
  if (!isObject(body))
    throw new AppError("invalid", 'the body is an object: {"assignment":"…","events":["signup"]}');
  requireKnown(body, ["assignment", "exposures", "events"]);
  const { assignment: text, exposures = [], events = [] } = body;
  if (text === undefined)
    throw new AppError(
      "invalid",
      "the assignment is missing: the header X-Formflag-Assignment of all flags, as the page got them, has it",
    );
  const assignment = typeof text === "string" ? read(text, now) : null;
  if (assignment === null || assignment.environmentKey !== environmentKey)
    throw new AppError(
      "invalid",
      "the assignment is not valid here, or is older than 7 days: evaluate flags again",
    );
  const [flags, names] = [textsIn(exposures, "exposures"), textsIn(events, "events")];
  if (flags.length + names.length > EVENT_LIMITS.ofPage)
    throw new AppError(
      "invalid",
      `a page sends at most ${EVENT_LIMITS.ofPage} exposures and events at a time`,
    );
  for (const name of names) if (!EVENT_NAME.test(name)) throw new AppError("invalid", NAME_FAULT);
  const variants = new Map(assignment.variants);
  // Without a pseudonym, an occurrence belongs to no visitor, and nothing counts it.
  const visitor = assignment.pseudonym ?? "";
  return [
    ...flags.map((exposure) => ({ visitor, exposure, variant: variants.get(exposure) ?? "" })),
    ...names.map((event) => ({ visitor, event })),
  ];
}

/**
 * Reads the body of a server: `{"events":[…]}`, each an exposure or an event of a `targetingKey`. Throws `invalid`; the faults of
 * entries are returned, and then nothing is to be counted.
 */
export function readServerEvents(
  body: unknown,
  { pseudonymOf }: Assignments,
  environmentKey: string,
): { occurrences: Occurrence[]; faults: EventFault[] } {
  if (!isObject(body) || !Array.isArray(body["events"]))
    throw new AppError(
      "invalid",
      'the body is an object: {"events":[{"event":"signup","targetingKey":"u1"}]}',
    );
  requireKnown(body, ["events"]);
  const events: unknown[] = body["events"];
  if (events.length < 1 || events.length > EVENT_LIMITS.ofServer)
    throw new AppError("invalid", `events are a list of 1 to ${EVENT_LIMITS.ofServer}`);
  const occurrences: Occurrence[] = [];
  const faults: EventFault[] = [];
  for (const [index, each] of events.entries()) {
    const message = faultOf(each);
    if (message !== null) faults.push({ index, message });
    else {
      const { targetingKey, ...rest } = each as Record<string, string>;
      occurrences.push({ visitor: pseudonymOf(environmentKey, targetingKey!), ...rest } as Occurrence);
    }
  }
  return { occurrences, faults };
}

/** The fault of an entry; null for none. */
function faultOf(entry: unknown): string | null {
  if (!isObject(entry)) return "an entry is an object";
  const other = Object.keys(entry).find((name) => !ENTRY.has(name));
  if (other !== undefined) return `an entry has no ${JSON.stringify(other.slice(0, 100))}`;
  const { event, exposure, variant, targetingKey } = entry;
  if (!isText(targetingKey)) return `targetingKey is a text of 1 to ${EVENT_LIMITS.text} characters`;
  if ((event === undefined) === (exposure === undefined)) return "an entry has an event or an exposure";
  if (exposure === undefined) {
    if (variant !== undefined) return "a variant goes with an exposure";
    return typeof event === "string" && EVENT_NAME.test(event) ? null : NAME_FAULT;
  }
  if (typeof exposure !== "string") return "an exposure is the slug of a flag";
  if (!isText(variant)) return `variant is a text of 1 to ${EVENT_LIMITS.text} characters`;
  return findFlagSlugFault(exposure) ?? null;
}

const ENTRY: ReadonlySet<string> = new Set(["event", "exposure", "variant", "targetingKey"]);

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= EVENT_LIMITS.text;
}

function textsIn(value: unknown, name: string): string[] {
  if (Array.isArray(value) && value.every((each) => typeof each === "string")) return value;
  throw new AppError("invalid", `${name} are a list of texts`);
}

function requireKnown(body: object, known: readonly string[]): void {
  const other = Object.keys(body).find((name) => !known.includes(name));
  if (other === undefined) return;
  throw new AppError(
    "invalid",
    `the body has no ${JSON.stringify(other.slice(0, 100))}: it has ${known.join(", ")}`,
  );
}

/** Occurrences in an environment, in order, at a time in milliseconds since 1970, of a page or of a server. */
export type EventBatch = {
  environmentKey: string;
  occurrences: readonly Occurrence[];
  at: number;
  isOfPage: boolean;
};

/** How many occurrences of a batch were accepted and ignored, and whether its key was known. */
export type EventsTaken = { accepted: number; ignored: number; isRepeat: boolean };

/**
 * Counts occurrences, once for each idempotency key in an environment; null means no key. Those of a page, which
 * anyone may send, leave no key if nothing counts them. `isRepeat` means that an earlier
 * batch with the key was counted. Durable when it fulfils.
 * Throws `unprocessable` for a key that was used for other content, `unavailable`.
 */
export async function takeEvents(
  store: Pick<ExperimentsStore, "measurements">,
  measure: Measure,
  { environmentKey, occurrences, at, isOfPage }: EventBatch,
  idempotencyKey: string | null,
): Promise<EventsTaken> {
  const key =
    idempotencyKey === null
      ? null
      : {
          hash: sha256(JSON.stringify(["events", environmentKey, idempotencyKey])),
          content: sha256(JSON.stringify(occurrences)),
          expiresAt: at + KEY_LIFETIME,
        };
  const { measured, accepted: now } = await measure(environmentKey, occurrences);
  // Nothing is to be written for events that nothing uses: their repeats count as little.
  const { accepted, isRepeat } =
    measured.length === 0 && (key === null || isOfPage)
      ? { accepted: 0, isRepeat: false }
      : await store.measurements.take({ measured, accepted: now, at, key });
  if (accepted === null) throw otherEvents();
  return { accepted, ignored: occurrences.length - accepted, isRepeat };
}

/** The error of a key that came with other content before. */
export function otherEvents(): AppError {
  return new AppError("unprocessable", "this idempotency key was used for other events");
}
