/**
 * The statistics of experiments and guards: pure functions of counts.
 *
 * - Intervals that hold at every look: normal mixtures (Robbins, "Statistical methods related to the law of the iterated
 *   logarithm", 1970), as in the mSPRT (Johari, Koomen, Pekelis, Walsh, "Peeking at A/B tests", 2017) and in asymptotic
 *   confidence sequences (Waudby-Smith, Arbour, Sinha, Kennedy, Ramdas, 2024).
 * - Sample ratio: a Bayes factor of Dirichlet and multinomial (Lindon, Malek, "Anytime-valid inference for multinomial count
 *   data", 2022).
 * - A guard against earlier weeks: a likelihood ratio of two Poisson rates given their sum, which ends above 1/α with
 *   probability at most α however often it is read (Ville, 1939), divided by the dispersion of the counts.
 */

/** The level at which all intervals of an experiment hold together, at every look. */
export const LEVEL = 0.95;
const ALPHA = 1 - LEVEL;
/** The level at which the guards of a ramp or an experiment raise false alarms, all together. */
const GUARD_ALPHA = 0.01;
/** The visitors of both variants for which intervals are tightest. */
const TUNED_FOR = 1000;
/** Both variants need that many visitors, and the smaller that many conversions and visitors without one, as expected. */
const LEAST_VISITORS = 100;
const LEAST_CONVERSIONS = 10;
/** The weight of the prior of the sample ratio, in visitors. */
const PRIOR_VISITORS = 100;
/** The evidence, a power of ten, from which visitors are not split as planned. */
const ALARM = 3;
/** Weeks with which a guard compares. */
export const BASELINE_WEEKS = 4;

/** The counts of a variant. */
export type Counts = { visitors: number; conversions: number };

type Verdict = "too-few" | "better" | "worse" | "undecided";

/** A variant against the control: rates from 0 to 1, their difference, and its interval, null while there are too few. */
export type Comparison = {
  difference: number | null;
  interval: [low: number, high: number] | null;
  verdict: Verdict;
};

/** The conversions of a visitor; null without visitors. */
export function rateOf({ visitors, conversions }: Counts): number | null {
  return visitors === 0 ? null : conversions / visitors;
}

/** Compares a variant with the control; `comparisons` is the number of variants besides the control. */
export function compare(control: Counts, variant: Counts, comparisons: number): Comparison {
  const [a, b] = [rateOf(control), rateOf(variant)];
  if (a === null || b === null) return { difference: null, interval: null, verdict: "too-few" };
  const difference = b - a;
  if (areTooFew(control, variant)) return { difference, interval: null, verdict: "too-few" };
  const half = halfWidth(control, variant, 1, ALPHA / comparisons);
  const interval: [number, number] = [Math.max(-1, difference - half), Math.min(1, difference + half)];
  const verdict = difference > half ? "better" : difference < -half ? "worse" : "undecided";
  return { difference, interval, verdict };
}

/** Whether the rates of two variants are not near enough to normal. */
function areTooFew(a: Counts, b: Counts): boolean {
  const least = Math.min(a.visitors, b.visitors);
  if (least < LEAST_VISITORS) return true;
  const rate = (a.conversions + b.conversions) / (a.visitors + b.visitors);
  return least * rate < LEAST_CONVERSIONS || least * (1 - rate) < LEAST_CONVERSIONS;
}

/** Half the width of the interval of the rate of `b` less `factor` times that of `a`, at the level 1 − `alpha`. */
function halfWidth(a: Counts, b: Counts, factor: number, alpha: number): number {
  const variance = varianceOf(b) + factor * factor * varianceOf(a);
  // The ratio is of effective visitors: with all visitors, intervals of uneven splits would be too narrow.
  const ratio = (4 * a.visitors * b.visitors) / (a.visitors + b.visitors) / TUNED_FOR;
  return Math.sqrt(variance * (1 + 1 / ratio) * (Math.log1p(ratio) - 2 * Math.log(alpha)));
}

/** The variance of a rate, never 0: as if two more visitors had come, of whom one converts. */
function varianceOf({ visitors, conversions }: Counts): number {
  const rate = (conversions + 1) / (visitors + 2);
  return (rate * (1 - rate)) / visitors;
}

/** Whether visitors are split as planned: expected ones by variant, and evidence against it as a power of ten. */
type SampleRatio = { expected: number[]; evidence: number; alarm: boolean };

/** Compares visitors by variant with the weights of the split. */
export function sampleRatio(weights: readonly number[], visitors: readonly number[]): SampleRatio {
  const weight = sum(weights);
  const total = sum(visitors);
  const shares = weights.map((each) => each / weight);
  let evidence = logGamma(PRIOR_VISITORS) - logGamma(PRIOR_VISITORS + total);
  for (const [index, share] of shares.entries()) {
    const [prior, seen] = [PRIOR_VISITORS * share, visitors[index]!];
    evidence += logGamma(prior + seen) - logGamma(prior) - seen * Math.log(share);
  }
  evidence /= Math.LN10;
  return { expected: shares.map((share) => share * total), evidence, alarm: evidence >= ALARM };
}

type Waiting = "ratio" | "too-few" | "undecided" | "min-days";

/** The state of an experiment that decides: the comparisons of the first metric, null for the control. */
type Standing = {
  comparisons: readonly (Comparison | null)[];
  alarm: boolean;
  days: number;
  minDays: number;
};

/**
 * Returns the index of the winner, which is the better variant with the highest lower bound, or the reason to wait.
 * Both are null if every variant is worse than the control.
 */
export function decide({ comparisons, alarm, days, minDays }: Standing): {
  winner: number | null;
  waiting: Waiting | null;
} {
  const wait = (waiting: Waiting | null) => ({ winner: null, waiting });
  if (alarm) return wait("ratio");
  let winner: number | null = null;
  for (const [index, each] of comparisons.entries()) {
    if (each?.verdict !== "better") continue;
    if (winner === null || each.interval![0] > comparisons[winner]!.interval![0]) winner = index;
  }
  const isAny = (verdict: Verdict) => comparisons.some((each) => each?.verdict === verdict);
  if (winner === null && isAny("too-few")) return wait("too-few");
  if (winner === null && isAny("undecided")) return wait("undecided");
  if (days < minDays) return wait("min-days");
  return { winner, waiting: null };
}

/** A limit of a metric: that it rises, or falls, by more than some percent. */
export type Limit = { direction: "rises" | "falls"; percent: number };

/** Whether the rate of a variant has left its limit against the control; `tests` is how many guards are read, of all steps. */
export function isPastControl(
  { direction, percent }: Limit,
  control: Counts,
  variant: Counts,
  tests: number,
): boolean {
  if (areTooFew(control, variant)) return false;
  const factor = direction === "rises" ? 1 + percent / 100 : 1 - percent / 100;
  const excess = variant.conversions / variant.visitors - factor * (control.conversions / control.visitors);
  const distance = direction === "rises" ? excess : -excess;
  return distance > halfWidth(control, variant, factor, GUARD_ALPHA / tests);
}

/** Counts since the start, and for hours before: for each hour, one count for each of the four weeks. */
export type Baseline = { since: number; hours: readonly (readonly number[])[] };

/** Whether something happens less often than in the weeks before, by more than some percent; of `guards` in all. */
export function isBelowBaseline(percent: number, { since, hours }: Baseline, guards: number): boolean {
  const loss = percent / 100;
  const both = BASELINE_WEEKS + 1;
  const before = sum(hours.map(sum));
  const ratio =
    since * Math.log((both * (1 - loss)) / (both - loss)) + before * Math.log(both / (both - loss));
  return ratio / dispersionOf(hours) >= Math.log(guards / GUARD_ALPHA);
}

/** The variance of counts by their mean, at least 1, which it is where things happen independently of each other. */
function dispersionOf(hours: Baseline["hours"]): number {
  const ratios = hours.flatMap((counts) => {
    const mean = sum(counts) / counts.length;
    if (mean === 0) return [];
    return [sum(counts.map((count) => (count - mean) ** 2)) / ((counts.length - 1) * mean)];
  });
  return Math.max(1, ratios.length === 0 ? 1 : sum(ratios) / ratios.length);
}

function sum(numbers: readonly number[]): number {
  let total = 0;
  for (const each of numbers) total += each;
  return total;
}

/** The logarithm of the gamma function of a number above 0: Stirling's series, behind steps to where it is exact. */
function logGamma(number: number): number {
  let [x, below] = [number, 0];
  for (; x < 10; x += 1) below += Math.log(x);
  const square = 1 / (x * x);
  const series =
    (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square * (1 / 1680 - square / 1188)))) / x;
  return (x - 0.5) * Math.log(x) - x + Math.log(2 * Math.PI) / 2 + series - below;
}
