import { HOUR_MS, hourOf, WEEK_MS } from "../../base/days.ts";
import type { FormsApp } from "../../forms/store.ts";
import { BASELINE_WEEKS, type Baseline } from "../statistics.ts";

type SubmissionCounts = {
  store: { submissions: Pick<FormsApp["store"]["submissions"], "stored" | "storedBetween"> };
};

/**
 * Counts submissions to a form between two times, and in the same hours of the weeks before. For whole hours,
 * submissions that were deleted since are included; for the parts of hours at both ends they are not.
 */
export async function readBaseline(
  { store: { submissions } }: SubmissionCounts,
  formKey: string,
  from: number,
  to: number,
): Promise<Baseline> {
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
  return { since, hours: counts.map(([, ...before]) => before) };
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
