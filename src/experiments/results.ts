import { shownTime } from "../base/clock.ts";
import { DAY_MS } from "../base/days.ts";
import { type Experiment, type ExperimentCounts, type ExperimentPlace } from "./experiment.ts";
import { findExperiment } from "./experiments.ts";
import { settled } from "./plan.ts";
import { type Comparison, type Counts, LEVEL, compare, decide, rateOf, sampleRatio } from "./statistics.ts";
import type { ExperimentsApp } from "./store.ts";

/** The words for the statistics of results. */
const METHOD =
  "differences from the control with 95 % intervals that hold at every look, of all variants together: normal mixture " +
  "(Robbins 1970; Johari et al. 2017; Waudby-Smith et al. 2024); sample ratio: Dirichlet-multinomial (Lindon, Malek 2022)";

export type Results = ReturnType<typeof resultsOf>;

/** The results of an experiment as of now. Throws `not_found`. */
export async function readResults(app: ExperimentsApp, place: ExperimentPlace): Promise<Results> {
  const found = await findExperiment(app, place);
  const experiment = settled(found);
  return resultsOf(experiment, await countsNow(app, place.project, found.experiment), app.now());
}

/** The counts of an experiment; undefined for a draft. */
export async function countsNow(
  { store }: Pick<ExperimentsApp, "store">,
  project: string,
  { environment, flag, status, counts }: Experiment,
): Promise<ExperimentCounts | undefined> {
  if (status === "draft" || status === "ended") return counts ?? undefined;
  return store.measurements.counts({ project, environment, flag });
}

/** The results of counts. */
export function resultsOf(experiment: Experiment, counts: ExperimentCounts | undefined, now: number) {
  const { name, status, startedAt, endedAt, minDays, metrics, split, control } = experiment;
  const names = Object.keys(split);
  const of = (variant: string, metric: string): Counts => {
    const counted = counts?.variants[variant];
    return { visitors: counted?.visitors ?? 0, conversions: counted?.conversions[metric] ?? 0 };
  };
  const measured = metrics.map((metric, index) => ({
    metric,
    primary: index === 0,
    variants: names.map((variant) => {
      const own = of(variant, metric);
      const against = variant === control ? null : compare(of(control, metric), own, names.length - 1);
      return { variant, control: variant === control, ...own, rate: rateOf(own), ...shownAgainst(against) };
    }),
  }));
  const seen = names.map((variant) => of(variant, metrics[0]!).visitors);
  const { expected, evidence, alarm } = sampleRatio(Object.values(split), seen);
  const byName = (values: readonly number[]) =>
    Object.fromEntries(names.map((variant, index) => [variant, values[index]!]));
  const days = startedAt === null ? 0 : Math.floor(((endedAt ?? now) - startedAt) / DAY_MS);
  const comparisons = measured[0]!.variants.map(({ control, difference, interval, verdict }) =>
    control ? null : ({ difference, interval, verdict } as Comparison),
  );
  const { winner, waiting } = decide({ comparisons, alarm, days, minDays });
  return {
    experiment: name,
    status,
    startedAt: shownTime(startedAt),
    endedAt: shownTime(endedAt),
    days,
    minDays,
    mixed: counts?.mixed ?? 0,
    full: counts?.full ?? false,
    ratio: { expected: byName(expected), seen: byName(seen), evidence, alarm },
    metrics: measured,
    winner: winner === null ? null : names[winner]!,
    waiting,
    level: LEVEL,
    method: METHOD,
  };
}

/** A comparison as results show it, null for the control. */
function shownAgainst(comparison: Comparison | null): {
  difference: number | null;
  interval: [number, number] | null;
  verdict: Comparison["verdict"] | null;
} {
  return comparison ?? { difference: null, interval: null, verdict: null };
}
