import type { Caller } from "../../access/caller.ts";
import { hasScope } from "../../access/rights.ts";
import { isoTime } from "../../base/clock.ts";
import { hourOf } from "../../base/days.ts";
import { createTurns } from "../../base/event-loop.ts";
import { keepLast } from "../../base/keep.ts";
import { getProject } from "../../projects/projects.ts";
import type { FlagsApp } from "../store.ts";
import type { TallyKind } from "./tally.ts";

/** Hours in which reads are counted, the current one included. */
const READ_HOURS = 24;

/** Readers of a flag in an environment; `token` is null for those with the keys of the environment. */
type ReadBy = { token: string | null; reads: number };

/** Reads of a flag in an environment in the last 24 hours, by the hour, oldest first; `by` names the readers, the most frequent first. */
type EnvironmentReads = {
  environment: string;
  reads: number;
  hours: number[];
  by: ReadBy[];
  readAt: string | null;
};

/** The same of a flag in all environments; `lastIn` is the environment of its last read. */
export type FlagReads = {
  flag: string;
  reads: number;
  hours: number[];
  readAt: string | null;
  lastIn: string | null;
  environments: EnvironmentReads[];
};

type Selection = { project: string; environment?: string | undefined; flag?: string | undefined };

/**
 * The readers of the flags of a project in the last 24 hours, by flag, in the environments that the caller sees; flags that were
 * never read are left out. Counts are at most a minute late. Throws `not_found` for the project.
 */
export async function readsOfFlags(
  app: FlagsApp,
  caller: Caller,
  { project, environment: only, flag }: Selection,
): Promise<FlagReads[]> {
  const flags = new Map<string, EnvironmentReads[]>();
  const take = createTurns();
  for (const { slug: environment, key } of (await getProject(app, project)).environments) {
    const isShown = only === undefined || only === environment;
    if (!isShown || !hasScope(caller, "flags:read", { project, environment })) continue;
    const [times, served, clients] = await Promise.all([
      app.store.flags.reads(project, environment),
      hoursOf(app, key, "served"),
      hoursOf(app, key, "clients"),
    ]);
    const ofAll = clients.get("");
    for (const slug of flag === undefined ? times.keys() : [flag]) {
      const at = times.get(slug);
      if (at === undefined) continue;
      const hours = served.get(slug)?.get("") ?? [...NONE];
      const reads = sumOf(hours);
      const found = { environment, reads, hours, readAt: isoTime(at) };
      const by = readersOf(reads, clients.get(slug), ofAll);
      flags.set(slug, [...(flags.get(slug) ?? []), { ...found, by }]);
      await take();
    }
  }
  return [...flags].map(inAll).toSorted((a, b) => (a.flag < b.flag ? -1 : 1));
}

const NONE: readonly number[] = Array.from({ length: READ_HOURS }, () => 0);

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

/** The readers with tokens, and all others, who have the keys. */
function readersOf(reads: number, ...tallies: (Hours | undefined)[]): ReadBy[] {
  const tokens = new Map<string, number>();
  for (const tally of tallies)
    for (const [token, hours] of tally ?? []) {
      const count = sumOf(hours);
      if (count > 0) tokens.set(token, (tokens.get(token) ?? 0) + count);
    }
  const rest = reads - sumOf([...tokens.values()]);
  return [
    ...[...tokens].map(([token, count]): ReadBy => ({ token, reads: count })),
    ...(rest > 0 ? [{ token: null, reads: rest }] : []),
  ].toSorted((a, b) => b.reads - a.reads);
}

function inAll([flag, environments]: [string, EnvironmentReads[]]): FlagReads {
  const last = environments.reduce((a, b) => (b.readAt! > a.readAt! ? b : a));
  return {
    flag,
    reads: sumOf(environments.map(({ reads }) => reads)),
    hours: NONE.map((_, hour) => sumOf(environments.map(({ hours }) => hours[hour]!))),
    readAt: last.readAt,
    lastIn: last.environment,
    environments,
  };
}

/** Counts by the hour of tokens; of all variants together under the empty name. */
type Hours = Map<string, number[]>;
type Kept = { end: number; flags: Map<string, Hours> };

/** Hours that are read again: reads of an hour are stored up to a minute after it. */
const OPEN_HOURS = 2;
/** Environments whose counts are in memory. */
const ENVIRONMENTS = 50;

const keptOf = new WeakMap<
  FlagsApp["store"],
  ReturnType<typeof keepLast<{ reading: Promise<Kept> | null }>>
>();

/**
 * Reads an hour at a time, between which others take their turn, and keeps what has passed: an hour holds a row of each flag.
 */
async function hoursOf(app: FlagsApp, key: string, kind: TallyKind): Promise<Kept["flags"]> {
  const keep = keptOf.get(app.store) ?? keepLast<{ reading: Promise<Kept> | null }>(2 * ENVIRONMENTS);
  keptOf.set(app.store, keep);
  const entry = keep(`${kind} ${key}`, () => ({ reading: null }));
  const before = entry.reading;
  const reading = readHours(app, key, kind, before);
  entry.reading = reading;
  reading.catch(() => (entry.reading = null));
  return (await reading).flags;
}

async function readHours(
  { store, now }: FlagsApp,
  key: string,
  kind: TallyKind,
  before: Promise<Kept> | null,
): Promise<Kept> {
  const kept = await before?.catch(() => null);
  const end = hourOf(now()) + 1;
  const isLater = kept != null && end >= kept.end && end - kept.end < READ_HOURS - OPEN_HOURS;
  const from = isLater ? kept.end - OPEN_HOURS : end - READ_HOURS;
  const flags: Kept["flags"] = new Map();
  // A copy: others may be reading what was kept.
  for (const [flag, hours] of isLater ? kept.flags : []) {
    const known = [...hours].flatMap(([name, counts]): [string, number[]][] => {
      const passed = counts.slice(end - kept!.end, READ_HOURS - OPEN_HOURS);
      return sumOf(passed) === 0 ? [] : [[name, [...passed, ...NONE].slice(0, READ_HOURS)]];
    });
    if (known.length > 0) flags.set(flag, new Map(known));
  }
  const take = createTurns();
  for (let hour = from; hour < end; hour += OPEN_HOURS) {
    const span = { kind, from: hour, to: Math.min(hour + OPEN_HOURS, end), prefix: `${key}/` };
    for (const tally of await store.tallies.read(span)) {
      const slug = tally.what.slice(key.length + 1);
      const hours = flags.get(slug) ?? new Map<string, number[]>();
      flags.set(slug, hours);
      // The values that readers got are of no interest here.
      const name = kind === "clients" ? tally.variant : "";
      const counts = hours.get(name) ?? [...NONE];
      hours.set(name, counts);
      counts[tally.hour - (end - READ_HOURS)]! += tally.count;
    }
    await take();
  }
  return { end, flags };
}
