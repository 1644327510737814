import type * as z from "zod/mini";
import type { Caller } from "../access/caller.ts";
import { hasScope, hasScopeSomewhere, requireScope, visibleProjects } from "../access/rights.ts";
import { type Day, HOUR_MS, lastDays } from "../base/days.ts";
import { createTurns } from "../base/event-loop.ts";
import { keepLast } from "../base/keep.ts";
import { answersOf } from "../forms/form-stats.ts";
import type { numbersSchema } from "./stats-schema.ts";
import type { StatsApp } from "./store.ts";

export type Numbers = z.infer<typeof numbersSchema>;

type Query = { days: number; timeZone?: string | undefined };
type Spans = { days: readonly Day[]; before: Pick<Day, "from" | "to"> };

/**
 * The numbers of the last days and of as many before: of submissions with the scope `forms:read`, of reads of flags with
 * `flags:read`. First answers are read from the newest submissions of each day, and kept for a minute. Throws `forbidden` for
 * a caller that may read neither, `invalid` for the time zone.
 */
export async function readNumbers(
  app: StatsApp,
  caller: Caller,
  { days: count, timeZone = "UTC" }: Query,
): Promise<Numbers> {
  const ofForms = hasScopeSomewhere(caller, "forms:read");
  const ofFlags = hasScopeSomewhere(caller, "flags:read");
  if (!ofForms && !ofFlags) requireScope(caller, "read");
  const days = lastDays(app.now(), count, timeZone);
  const start = days[0]!.from;
  // Today has not ended, so the days before end at the same hour.
  const spans = { days, before: { from: start - count * 24, to: days.at(-1)!.to - count * 24 } };
  const [submissions, answers, reads] = await Promise.all([
    ofForms ? countSubmissions(app, caller, spans) : null,
    ofForms ? keptAnswers(app, caller, spans, timeZone) : null,
    ofFlags ? countReads(app, caller, spans) : null,
  ]);
  return {
    days: days.map(({ day }) => day),
    submissions: submissions?.inbox ?? null,
    spam: submissions?.spam ?? null,
    answers,
    reads,
  };
}

function counted([before, ...byDay]: readonly number[]) {
  return { total: byDay.reduce((sum, each) => sum + each, 0), before: before!, byDay };
}

async function countSubmissions({ store }: StatsApp, caller: Caller, { days, before }: Spans) {
  const projects = visibleProjects(caller, "forms:read");
  const stored = await store.submissions.storedIn(projects, [before, ...days]);
  return {
    inbox: counted(stored.map(({ inbox }) => inbox)),
    spam: counted(stored.map(({ spam }) => spam)),
  };
}

/** Forms whose first answers are read, those with most submissions, and submissions of all of them on each day. */
const FORMS = 10;
const SAMPLE = 60;
/** Spans in which first answers are read: of more days, several are in each. */
const MOST_SPANS = 30;

async function readAnswers(
  { store: { submissions } }: StatsApp,
  projects: readonly string[] | null,
  { days, before }: Spans,
): Promise<NonNullable<Numbers["answers"]>> {
  const all = (await submissions.counts()).filter(({ project }) => projects?.includes(project) ?? true);
  const forms = all.toSorted((a, b) => b.inbox + b.archived - a.inbox - a.archived).slice(0, FORMS);
  const limit = Math.ceil(SAMPLE / Math.max(1, forms.length));
  const take = createTurns();
  const read = async (spans: readonly Pick<Day, "from" | "to">[]) => {
    const found = [];
    for (const { from, to } of spans)
      for (const { formKey } of forms) {
        found.push(
          ...(await submissions.firstAnswers(formKey, { since: from * HOUR_MS, until: to * HOUR_MS, limit })),
        );
        await take();
      }
    return answersOf(found, days);
  };
  const size = Math.ceil(days.length / MOST_SPANS);
  const grouped = Array.from({ length: Math.ceil(days.length / size) }, (_, at) => {
    const group = days.slice(at * size, (at + 1) * size);
    return { from: group[0]!.from, to: group.at(-1)!.to };
  });
  const [now, earlier] = [await read(grouped), await read([before])];
  return { ...now, before: earlier.median };
}

type Kept = { at: number; found: Promise<NonNullable<Numbers["answers"]>>; isRead: boolean };

/** Milliseconds after which first answers are read again, beside the answer of the kept ones. */
const FRESH_MS = 60_000;

const answersKept = new WeakMap<StatsApp["store"], ReturnType<typeof keepLast<{ last?: Kept }>>>();

async function keptAnswers(app: StatsApp, caller: Caller, spans: Spans, timeZone: string) {
  const keep = answersKept.get(app.store) ?? keepLast<{ last?: Kept }>(50);
  answersKept.set(app.store, keep);
  const projects = visibleProjects(caller, "forms:read");
  const { days } = spans;
  const entry = keep(JSON.stringify([projects, timeZone, days.length, days[0]!.from]), () => ({}));
  const { last } = entry;
  if (last && app.now() - last.at < FRESH_MS) return last.found;
  const found = readAnswers(app, projects, spans);
  const next: Kept = { at: app.now(), found, isRead: false };
  entry.last = last?.isRead ? { ...last, at: app.now() } : next;
  found.then(
    () => (entry.last = { ...next, isRead: true }),
    () => delete entry.last,
  );
  return entry.last.found;
}

type Sums = Map<string, number>;
const dayKept = new WeakMap<StatsApp["store"], ReturnType<typeof keepLast<{ sums?: Sums }>>>();
/** Days whose reads are kept, which do not change any more. */
const DAYS_KEPT = 400;

async function countReads(app: StatsApp, caller: Caller, { days, before }: Spans) {
  const keys = new Set<string>();
  for (const { slug: project, environments } of await app.store.projects.list())
    for (const { slug: environment, key } of environments)
      if (hasScope(caller, "flags:read", { project, environment })) keys.add(key);
  const keep = dayKept.get(app.store) ?? keepLast<{ sums?: Sums }>(DAYS_KEPT);
  dayKept.set(app.store, keep);
  const take = createTurns();
  const count = async ({ from, to }: Pick<Day, "from" | "to">) => {
    const entry = keep(`${from} ${to}`, () => ({}));
    const sums = entry.sums ?? new Map<string, number>();
    if (!entry.sums) {
      for (const { what, count } of await app.store.tallies.sum({ kind: "reads", from, to }))
        sums.set(what, (sums.get(what) ?? 0) + count);
      // Reads of an hour are stored a minute after it at the latest, and another hour is for a database that was away.
      if (app.now() >= (to + 2) * HOUR_MS) entry.sums = sums;
      await take();
    }
    return [...sums].reduce((sum, [key, count]) => sum + (keys.has(key) ? count : 0), 0);
  };
  const counts = [0];
  for (let from = before.from; from < before.to; from += 24)
    counts[0]! += await count({ from, to: Math.min(from + 24, before.to) });
  for (const day of days) counts.push(await count(day));
  return counted(counts);
}
