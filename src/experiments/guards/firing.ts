import { type FiredGuard, parseGuard } from "../../flags/ramps/guard.ts";
import type { GuardAction } from "../../flags/ramps/ramp-card.ts";
import type { ExperimentCounts } from "../experiment.ts";
import { formOf } from "../metrics.ts";
import { BASELINE_WEEKS, type Baseline, type Counts, isBelowBaseline, isPastControl } from "../statistics.ts";
import type { ExperimentsApp } from "../store.ts";
import { HOUR_MS, WEEK_MS, hourOf } from "../../base/days.ts";
import type { FormsApp } from "../../forms/store.ts";

/** The guards of an experiment or a ramp, with the counts that they compare. */
export type Guarded = {
  project: string;
  guards: readonly string[];
  onGuard: GuardAction;
  control: string;
  /** The variants besides the control. */
  others: readonly string[];
  /** How often the counts begin. */
  steps: number;
  /** Since when it counts, in milliseconds since 1970. */
  since: number;
  counts: ExperimentCounts;
};

/** The first guard that fires, of any variant; null for none. */
export async function findFired(app: ExperimentsApp, guarded: Guarded): Promise<FiredGuard | null> {
  for (const guard of guarded.guards) {
    const compared = parseGuard(guard).isOfBaseline
      ? await findBelow(app, guarded, guard)
      : findPast(guarded, guard);
    if (compared) return { guard, action: guarded.onGuard, ...compared };
  }
  return null;
}

function findPast({ counts, control, guards, others, steps }: Guarded, guard: string) {
  const { metric, ...limit } = parseGuard(guard);
  const countsOf = (name: string) => countsIn(counts, name, metric);
  const against = countsOf(control);
  const variant = others
    .map(countsOf)
    .find((own) => isPastControl(limit, against, own, guards.length * others.length * steps));
  return variant && { variant, control: against };
}

/** The visitors of a variant, and how many of them convert by a metric. */
export function countsIn({ variants }: ExperimentCounts, variant: string, metric: string): Counts {
  const { visitors = 0, conversions = {} } = variants[variant] ?? {};
  return { visitors, conversions: conversions[metric] ?? 0 };
}

async function findBelow(app: ExperimentsApp, { project, guards, steps, since }: Guarded, guard: string) {
  const { metric, percent } = parseGuard(guard);
  const form = await formOf(app, project, metric);
  if (!form) return undefined;
  const baseline = await readBaseline(app, form.key, since, app.now());
  if (!isBelowBaseline(percent, baseline, guards.length * steps)) return undefined;
  const before = baseline.hours.flat().reduce((sum, count) => sum + count, 0);
  return { variant: null, control: null, baseline: { since: baseline.since, before } } as const;
}

type SubmissionCounts = {
  store: { submissions: Pick<FormsApp["store"]["submissions"], "stored" | "storedBetween"> };
};

/**
 * Counts submissions to a form between two times, in all and in each hour, and in the same hours of the weeks before. For whole hours,
 * submissions that were deleted since are included; for the parts of hours at both ends they are not.
 */
export async function readBaseline(
  { store: { submissions } }: SubmissionCounts,
  formKey: string,
  from: number,
  to: number,
): Promise<Baseline & { now: number[] }> {
  const spans = hoursOf(from, to);
  const weeks = Array.from({ length: BASELINE_WEEKS + 1 }, (_, week) => week * WEEK_MS);
  const counts = spans.map(() => weeks.map(() => 0));
  const cells = spans.flatMap((span, at) =>
    weeks.map((back, week) => ({ at, week, from: span.from - back, to: span.to - back })),
  );
  const [whole, parts] = [cells.filter((each) => isHour(each)), cells.filter((each) => !isHour(each))];
  const hours = whole.map(({ from }) => ({ from: hourOf(from), to: hourOf(from) + 1 }));
  const stored = hours.length === 0 ? [] : await submissions.stored(formKey, hours);
  for (const [index, { at, week }] of whole.entries()) counts[at]![week] = stored[index]!.inbox;
  const between = await submissions.storedBetween(formKey, parts);
  for (const [index, { at, week }] of parts.entries()) counts[at]![week] = between[index]!;
  let since = 0;
  for (const [now] of counts) since += now!;
  return { since, now: counts.map(([now]) => now!), hours: counts.map(([, ...before]) => before) };
}

/** The hours of the clock in a span of time, of which the first and the last may be cut. */
function hoursOf(from: number, to: number): { from: number; to: number }[] {
  const spans: { from: number; to: number }[] = [];
  for (let start = from; start < to;) {
    const end = Math.min(to, (hourOf(start) + 1) * HOUR_MS);
    spans.push({ from: start, to: end });
    start = end;
  }
  return spans;
}

function isHour({ from, to }: { from: number; to: number }): boolean {
  return to - from === HOUR_MS;
}
