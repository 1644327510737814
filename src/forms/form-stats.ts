import type * as z from "zod/mini";
import type { Caller } from "../access/caller.ts";
import { type Day, HOUR_MS, hourOf, lastDays } from "../base/days.ts";
import { isObject } from "../base/json.ts";
import type { formStatsSchema } from "./form-stats-schema.ts";
import { type Titled, titlerOf } from "./inbox/title.ts";
import { findForm } from "./lookup.ts";
import { spamKind } from "./spam/spam-reason.ts";
import { FORM_STATS } from "./limits.ts";
import type { FirstAnswer, FormsApp } from "./store.ts";
import type { RawSubmission, Submission } from "./submission.ts";
import type { FormName } from "./form-name.ts";

export type FormStats = z.infer<typeof formStatsSchema>;

/**
 * The numbers of a form: exact counts of days, and what its newest submissions show, of which no more are read than
 * `FORM_STATS` says. Throws `not_found`, `forbidden`, `invalid` for the time zone.
 */
export async function statsOfForm(
  app: FormsApp,
  caller: Caller,
  name: FormName,
  { days: count, timeZone = "UTC" }: { days: number; timeZone?: string },
): Promise<FormStats> {
  const form = await findForm(app, caller, "forms:read", name);
  const { key, schema } = form;
  const { submissions } = app.store;
  const days = lastDays(app.now(), count, timeZone);
  const start = days[0]!.from;
  const spans = [...days, { from: start - count * 24, to: start }];
  const newest = { since: start * HOUR_MS, limit: FORM_STATS.sample };
  const [stored, reasons, answers, { submissions: sample }] = await Promise.all([
    submissions.stored(key, spans),
    submissions.spamReasons(key, newest),
    submissions.firstAnswers(key, newest),
    submissions.scan(key, {
      states: ["inbox", "archived"],
      unread: false,
      since: null,
      until: null,
      upTo: null,
      terms: null,
      before: null,
      limit: FORM_STATS.sample,
      bytes: FORM_STATS.bytes,
    }),
  ]);
  const before = stored.at(-1)!;
  const sums = stored.slice(0, -1);
  const countsOf = (folder: "inbox" | "spam") => {
    const byDay = sums.map((each) => each[folder]);
    return { total: byDay.reduce((sum, each) => sum + each, 0), before: before[folder], byDay };
  };
  const [last] = sample;
  return {
    days: days.map(({ day }) => day),
    submissions: countsOf("inbox"),
    spam: { ...countsOf("spam"), reasons: kindsOf(reasons) },
    answers: answersOf(answers, days),
    last: last ? lastOf(form, last) : null,
    sample: sample.length,
    fields: fieldsOf(schema, sample),
    pages: mostFrequent(sample.flatMap((each) => pageOf(each) ?? [])).map(([page, count]) => ({
      page,
      count,
    })),
  };
}

function lastOf(form: Titled, { id, createdAt, data, files, meta }: RawSubmission): FormStats["last"] {
  const { title } = titlerOf(form)({ data: JSON.parse(data) as Submission["data"], files, createdAt });
  return { id, createdAt, title, from: pageOf({ meta }) };
}

/** Reasons of spam by their kind, most frequent first: which word it was, and what a check said, is left out. */
function kindsOf(reasons: readonly string[]) {
  const kinds = reasons.map(spamKind);
  return mostFrequent(kinds).map(([reason, count]) => ({ reason, count }));
}

/** How many were answered, after which time at the median, and the same by day. */
export function answersOf(
  answers: readonly FirstAnswer[],
  days: readonly Pick<Day, "from" | "to">[],
): FormStats["answers"] {
  const byDay = days.map((): number[] => []);
  const all: number[] = [];
  for (const { createdAt, at } of answers) {
    if (at === null) continue;
    const seconds = Math.max(0, Math.round((at - createdAt) / 1000));
    all.push(seconds);
    const day = days.findIndex(({ from, to }) => hourOf(createdAt) >= from && hourOf(createdAt) < to);
    byDay[day]?.push(seconds);
  }
  return { answered: all.length, of: answers.length, median: medianOf(all), byDay: byDay.map(medianOf) };
}

/** The lower one of the two in the middle; null of none. */
function medianOf(values: readonly number[]): number | null {
  return values.toSorted((a, b) => a - b)[(values.length - 1) >> 1] ?? null;
}

/** The page that a submission was sent from, such as `larch.example/contact`; null if that is not known. */
function pageOf({ meta }: Pick<RawSubmission, "meta">): string | null {
  const url = URL.parse(meta?.referrer ?? "");
  return url === null || url.host === "" ? null : url.host + url.pathname.replace(/\/$/, "");
}

function fieldsOf(schema: object | null, sample: readonly RawSubmission[]): FormStats["fields"] {
  const { properties } = (schema ?? {}) as { properties?: unknown };
  const named = isObject(properties) ? Object.keys(properties) : [];
  const filled = new Map(named.map((field) => [field, 0]));
  for (const each of sample) {
    const files = each.files.map(({ field }) => field);
    const data = Object.entries(JSON.parse(each.data) as Submission["data"]);
    const texts = data.flatMap(([field, value]) => (isFilled(value) ? field : []));
    for (const field of new Set([...texts, ...files])) filled.set(field, (filled.get(field) ?? 0) + 1);
  }
  return [...filled].slice(0, FORM_STATS.fields).map(([field, count]) => ({ field, filled: count }));
}

function isFilled(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isFilled);
  if (isObject(value)) return Object.values(value).some(isFilled);
  return typeof value === "string" ? value.trim() !== "" : value !== null;
}

/** How often each text occurs, the most frequent ones first. */
function mostFrequent(texts: readonly string[]): [text: string, count: number][] {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).slice(0, FORM_STATS.most);
}
