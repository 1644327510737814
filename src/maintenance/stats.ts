import type { Caller } from "../access/caller.ts";
import { hasScope, hasScopeSomewhere, requireScope } from "../access/rights.ts";
import { isoTime } from "../base/clock.ts";
import { type Day, HOUR_MS, hourOf, lastDays } from "../base/days.ts";
import { createTurns, yieldToEventLoop } from "../base/event-loop.ts";
import type { FormName } from "../forms/form-name.ts";
import { type FormSelection, selectKeys, selectProjects } from "../forms/lookup.ts";
import type { FormCounts } from "../forms/store.ts";
import { keyOf } from "../projects/environments.ts";
import type { CommitMinute } from "./commit-latency.ts";
import { MAX_STATS_DELIVERIES } from "./limits.ts";
import type { StatsApp } from "./store.ts";

/** Days of submissions and hours of reads if none are named. */
export const DEFAULT_STATS_DAYS = 30;
export const DEFAULT_STATS_HOURS = 24;

/** Submissions to a form that were stored on a day in the inbox and in the spam folder. */
export type DaySubmissions = { day: string; project: string; form: string; inbox: number; spam: number };

/** Reads of an environment in the hour that begins at `hour`, in ISO 8601: of one flag each, and of all flags. */
export type HourReads = { hour: string; project: string; environment: string; one: number; all: number };

export type FormStats = {
  /** By slug and project. */
  forms: Omit<FormCounts, "formKey">[];
  /** By day and form; days without submissions are left out. */
  submissions: DaySubmissions[];
  /** Sums of as many days before those, by form, if they are asked for. */
  before?: Pick<DaySubmissions, "project" | "form" | "inbox">[];
  /** No more than `MAX_STATS_DELIVERIES` are counted. */
  deliveries: { queued: number; failed: number };
};

/** Undefined is what the caller may not read. */
export type Stats = Partial<FormStats> & { reads?: HourReads[]; commits?: readonly CommitMinute[] };

type StatsQuery = {
  /** Number of days, including today. */
  days: number;
  /** Whether as many days before them are summed up. */
  compares?: boolean;
  /** Whether spam is counted; default: yes. */
  spam?: boolean;
  /** Limits what is returned of forms to one. */
  form?: FormName | null;
  /** Limits what is returned to one project. */
  project?: string | null;
  /** How many hours of reads, the current one included. */
  hours?: number;
  /** The time zone at whose midnight a day begins. */
  timeZone?: string;
  /** The latencies that {@link createCommitLatency} has recorded, in a server. */
  commits?: readonly CommitMinute[];
};

/**
 * Statistics that a caller may read: of forms with the scope `forms:read`, of flags with `flags:read` in the caller's
 * projects and environments, and of commits with `read`. Throws `forbidden` for a caller that may read none of them,
 * `not_found` for the form, `invalid` for the time zone.
 */
export async function readStats(
  app: StatsApp,
  caller: Caller,
  {
    days,
    compares = false,
    spam = true,
    form = null,
    project = null,
    hours = DEFAULT_STATS_HOURS,
    timeZone = "UTC",
    commits = [],
  }: StatsQuery,
): Promise<Stats> {
  const ofForms = hasScopeSomewhere(caller, "forms:read");
  const ofFlags = hasScopeSomewhere(caller, "flags:read");
  if (!ofForms && !ofFlags) requireScope(caller, "read");
  const range = { days: lastDays(app.now(), days, timeZone), compares, spam };
  const [stats, reads] = await Promise.all([
    ofForms && readFormStats(app, caller, { form, project }, range),
    ofFlags && readReads(app, caller, project, hours),
  ]);
  return { ...stats, ...(reads && { reads }), ...(hasScope(caller, "read") && { commits }) };
}

async function readFormStats(
  app: StatsApp,
  caller: Caller,
  selection: FormSelection,
  { days, compares, spam }: { days: readonly Day[]; compares: boolean; spam: boolean },
): Promise<FormStats> {
  const { submissions, deliveries } = app.store;
  const keys = await selectKeys(app, caller, "forms:read", selection);
  const projects = await selectProjects(app, caller, "forms:read", selection.project);
  const [all, queued, failed] = await Promise.all([
    submissions.counts(),
    deliveries.countQueued(MAX_STATS_DELIVERIES, projects),
    deliveries.countFailed(MAX_STATS_DELIVERIES, projects),
  ]);
  const counts = all.filter(({ formKey }) => keys?.has(formKey) ?? true);
  const points = days.map((): DaySubmissions[] => []);
  const before: NonNullable<FormStats["before"]> = [];
  const start = days[0]!.from;
  const spans = compares ? [...days, { from: start - days.length * 24, to: start }] : days;
  const turn = createTurns();
  for (const { formKey, project, form } of counts) {
    for (const [index, sums] of (await submissions.stored(formKey, spans, spam)).entries()) {
      if (sums.inbox + sums.spam === 0) continue;
      if (index === days.length) before.push({ project, form, inbox: sums.inbox });
      else points[index]!.push({ day: days[index]!.day, project, form, ...sums });
    }
    await turn();
  }
  return {
    forms: counts.map(({ formKey: _key, ...each }) => each),
    submissions: points.flat(),
    ...(compares && { before }),
    deliveries: { queued, failed },
  };
}

async function readReads(
  app: StatsApp,
  caller: Caller,
  only: string | null,
  hours: number,
): Promise<HourReads[]> {
  const places = new Map<string, { project: string; environment: string }>();
  for (const { slug: project, environments } of await app.store.projects.list()) {
    if (only !== null && only !== project) continue;
    for (const { slug: environment, key } of environments) {
      if (hasScope(caller, "flags:read", { project, environment })) places.set(key, { project, environment });
    }
  }
  const points = new Map<string, HourReads>();
  const end = hourOf(app.now()) + 1;
  const turn = createTurns();
  for (let from = end - hours; from < end; from += 24) {
    const to = Math.min(from + 24, end);
    for (const { hour, what, variant, count } of await app.store.tallies.read({ kind: "reads", from, to })) {
      const place = places.get(what);
      if (!place) continue;
      const key = `${hour} ${what}`;
      const point = points.get(key) ?? { hour: isoTime(hour * HOUR_MS), ...place, one: 0, all: 0 };
      point[variant === "all" ? "all" : "one"] += count;
      points.set(key, point);
    }
    await turn();
  }
  return [...points.values()];
}

/** How often the flags of an environment were read in the last hour: each by itself, by slug, and all together. */
export type ReadRates = { flags: Map<string, number>; all: number };

/** Tallies that are read at once. */
const STEP = 1000;

/**
 * Estimates the reads of the last hour, from the current hour and a share of the one before. With `between`, only of
 * flags between two slugs. A read counts after a minute. Throws `not_found` for the project or the environment,
 * `forbidden`.
 */
export async function readRates(
  app: StatsApp,
  caller: Caller,
  place: { project: string; environment: string; key?: string | undefined },
  between?: { first: string; last: string },
): Promise<ReadRates> {
  requireScope(caller, "flags:read", place);
  const { tallies } = app.store;
  const key = await keyOf(app, place);
  const current = hourOf(app.now());
  const share = current + 1 - app.now() / HOUR_MS;
  const weightOf = (hour: number) => (hour === current ? 1 : share);
  const flags = new Map<string, number>();
  let all = 0;
  const both = { from: current - 1, to: current + 1 };
  const readAll = async () => {
    for (const { hour, variant, count } of await tallies.read({ kind: "reads", ...both, prefix: key }))
      if (variant === "all") all += count * weightOf(hour);
  };
  const readSpan = async (span: { from: number; to: number }) => {
    const prefix = `${key}/`;
    // The store reads what sorts behind a text, and the first slug itself is wanted.
    let after = between && `${prefix}${between.first.slice(0, -1)}`;
    const until = between && `${prefix}${between.last}`;
    for (let isLast = false; !isLast;) {
      const page = await tallies.read({ kind: "flagReads", ...span, prefix, until, after, limit: STEP });
      for (const { hour, what, count } of page) {
        const slug = what.slice(prefix.length);
        if (between && (slug < between.first || slug > between.last)) continue;
        flags.set(slug, (flags.get(slug) ?? 0) + count * weightOf(hour));
      }
      after = page.at(-1)?.what;
      isLast = page.length < STEP;
      if (!isLast) await yieldToEventLoop();
    }
  };
  // A flag by itself is found in one step.
  const isOne = between !== undefined && between.first === between.last;
  const spans = isOne ? [both] : [current, current - 1].map((from) => ({ from, to: from + 1 }));
  await Promise.all([readAll(), ...spans.map(readSpan)]);
  const rounded = [...flags].map(([slug, count]): [string, number] => [slug, Math.round(count)]);
  return { flags: new Map(rounded), all: Math.round(all) };
}
