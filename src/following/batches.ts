import type { App } from "../app.ts";
import { DAY_MS, hourOf } from "../base/days.ts";
import { AppError } from "../base/errors.ts";
import { isObject } from "../base/json.ts";
import type { EventBatch } from "../experiments/events.ts";
import type { User } from "../experiments/measuring.ts";
import { TALLY_KINDS, type Tally } from "../flags/reads/tally.ts";
import type { FlagRead } from "../flags/store.ts";

/**
 * A count of a server that follows another one, a line of a batch as JSON. Each is counted once, by its id or because
 * repeats change nothing. The visitor of an event is a `targetingKey`.
 */
export type Counted =
  | { id: string; tallies: Tally[] }
  | { reads: FlagRead[] }
  | { users: User[] }
  | { id: string; events: EventBatch; idempotencyKey: string | null };

/** How long an id is kept, in milliseconds. */
const ID_LIFETIME = DAY_MS;
/** Reads of a line, of which there is one a minute: the sum of all is still a number. */
const MOST_READS = 1e9;
/** Lines that are stored at a time. */
const AT_ONCE = 100;

/**
 * Counts the lines of a batch, each once, as far as they belong to environments with these keys; a time that is yet to come is the present.
 * Durable when it fulfils. Throws `invalid`, `unavailable`.
 */
export async function takeCounted(app: App, text: string, keys: ReadonlySet<string>): Promise<void> {
  const lines = text.split("\n").filter((line) => line !== "");
  const counted = lines.map((line) => parse(line));
  let group: Promise<void>[] = [];
  let busy = new Set<string>();
  for (const each of counted) {
    const visitors = visitorsOf(each);
    if (group.length >= AT_ONCE || visitors.some((visitor) => busy.has(visitor))) {
      await Promise.all(group);
      [group, busy] = [[], new Set()];
    }
    group.push(take(app, each, keys));
    for (const visitor of visitors) busy.add(visitor);
  }
  await Promise.all(group);
}

/** The visitors of a line: what they did counts in its order, a conversion behind its exposure. */
function visitorsOf(counted: Counted): string[] {
  if ("users" in counted) return counted.users.map(({ targetingKey }) => targetingKey);
  return "events" in counted ? counted.events.occurrences.map(({ visitor }) => visitor) : [];
}

async function take(app: App, counted: Counted, keys: ReadonlySet<string>): Promise<void> {
  const now = app.now();
  const isIn = ({ environmentKey }: { environmentKey: string }) => keys.has(environmentKey);
  if ("tallies" in counted) {
    const own = counted.tallies.filter(({ what }) => keys.has(what.split("/", 1)[0]!));
    const tallies = own.map((each) => ({ ...each, hour: Math.min(each.hour, hourOf(now)) }));
    const key = { id: counted.id, at: now, expiresAt: now + ID_LIFETIME };
    if (tallies.length > 0) await app.store.tallies.add(tallies, key);
  } else if ("reads" in counted) {
    const reads = counted.reads.filter(isIn).map((each) => ({ ...each, at: Math.min(each.at, now) }));
    if (reads.length > 0) await app.store.flags.markRead(reads);
  } else if ("users" in counted) {
    const users = counted.users.filter(isIn);
    if (users.length > 0) await app.measuring.count(users);
  } else if (isIn(counted.events)) await takeEvents(app, counted, now);
}

async function takeEvents(
  { measuring }: App,
  { id, events, idempotencyKey }: Extract<Counted, { events: EventBatch }>,
  now: number,
): Promise<void> {
  const { pseudonymOf } = await measuring.assignments();
  const occurrences = events.occurrences.map((each) => ({
    ...each,
    visitor: each.visitor === "" ? "" : pseudonymOf(events.environmentKey, each.visitor),
  }));
  const batch = { ...events, occurrences, at: Math.min(events.at, now) };
  try {
    await measuring.take(batch, idempotencyKey ?? id);
  } catch (error) {
    // Its sender used the key for other content elsewhere: those events were counted.
    if (!(error instanceof AppError && error.code === "unprocessable")) throw error;
  }
}

/** Throws `invalid` for a line that no server sends. */
function parse(line: string): Counted {
  try {
    const value: unknown = JSON.parse(line);
    if (isObject(value) && isCounted(value)) return value as Counted;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new AppError("invalid", `a line of the batch is none that a server sends: ${line.slice(0, 100)}`);
}

function isCounted(value: Record<string, unknown>): boolean {
  const { id, tallies, reads, users, events, idempotencyKey } = value;
  const isList = (list: unknown, isSound: (each: Record<string, unknown>) => boolean) =>
    Array.isArray(list) && list.every((each) => isObject(each) && isSound(each));
  const areTexts = (...texts: unknown[]) => texts.every((text) => typeof text === "string");
  const areCounts = (...counts: unknown[]) =>
    counts.every((count) => Number.isSafeInteger(count) && Number(count) >= 0);
  if (tallies !== undefined)
    return (
      areTexts(id) &&
      isList(
        tallies,
        ({ kind, hour, what, variant, count }) =>
          TALLY_KINDS.some((each) => each === kind) &&
          areTexts(what, variant) &&
          areCounts(hour, count) &&
          Number(count) <= MOST_READS,
      )
    );
  if (reads !== undefined)
    return isList(
      reads,
      ({ environmentKey, slug, at }) =>
        areTexts(environmentKey) && (slug === null || areTexts(slug)) && areCounts(at),
    );
  if (users !== undefined)
    return isList(users, ({ environmentKey, flag, variant, targetingKey }) =>
      areTexts(environmentKey, flag, variant, targetingKey),
    );
  if (!isObject(events) || !areTexts(id) || !(idempotencyKey === null || areTexts(idempotencyKey)))
    return false;
  const { environmentKey, occurrences, at, isOfPage } = events;
  const isSound = ({ visitor, exposure, variant, event }: Record<string, unknown>) =>
    areTexts(visitor) && (event === undefined ? areTexts(exposure, variant) : areTexts(event));
  return (
    areTexts(environmentKey) && areCounts(at) && typeof isOfPage === "boolean" && isList(occurrences, isSound)
  );
}
