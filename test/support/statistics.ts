import {
  type Counts,
  compare,
  isBelowBaseline,
  isPastControl,
  type Limit,
  sampleRatio,
} from "../../src/experiments/statistics.ts";

/** Random numbers from 0 to 1 from a seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A run of visitors who come one after another; `share` is the part that sees the variant, in percent. */
export type Run = { rates: [control: number, variant: number]; share: number; visitors: number };

/** The share of runs in which a look finds something, and the median of visitors until then, null if fewer than half do. */
export type Outcome = { found: number; median: number | null };

/** Repeats a run, with a look at each visitor from the hundredth on. */
export function simulate(
  { rates, share, visitors }: Run,
  runs: number,
  look: (control: Counts, variant: Counts) => boolean,
  random = seeded(1),
): Outcome {
  const found: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    const [control, variant] = [
      { visitors: 0, conversions: 0 },
      { visitors: 0, conversions: 0 },
    ];
    for (let at = 1; at <= visitors; at += 1) {
      const isVariant = random() * 100 < share;
      const arm = isVariant ? variant : control;
      arm.visitors += 1;
      if (random() < rates[isVariant ? 1 : 0]) arm.conversions += 1;
      if (at < 100 || !look(control, variant)) continue;
      found.push(at);
      break;
    }
  }
  found.sort((a, b) => a - b);
  return { found: found.length / runs, median: found[Math.floor(runs / 2)] ?? null };
}

/** Whether a look finds that the variant differs from the control. */
export function isDecided(control: Counts, variant: Counts): boolean {
  const { verdict } = compare(control, variant, 1);
  return verdict === "better" || verdict === "worse";
}

/** Whether a look finds that a guard has fired. */
export function firesAt(limit: Limit, tests = 1) {
  return (control: Counts, variant: Counts) => isPastControl(limit, control, variant, tests);
}

/** Whether a look finds that visitors are not split as planned. */
export function isUneven(weights: [control: number, variant: number]) {
  return (control: Counts, variant: Counts) =>
    sampleRatio(weights, [control.visitors, variant.visitors]).alarm;
}

/** Visitors of a test of fixed size with 80 % power at 5 %, both variants together. */
export function fixedSample(a: number, b: number): number {
  const mean = (a + b) / 2;
  const root = 1.959964 * Math.sqrt(2 * mean * (1 - mean)) + 0.841621 * Math.sqrt(a * (1 - a) + b * (1 - b));
  return 2 * (root / (a - b)) ** 2;
}

/** Hours of counts, of which each has a mean and a variance that is a multiple of it. */
export type Arrivals = { mean: number; dispersion: number; hours: number; left: number };

/** The share of runs in which a guard against earlier weeks fires at the end of any hour; `left` is what is left of before. */
export function simulateBaseline(
  { mean, dispersion, hours, left }: Arrivals,
  { percent, guards }: { percent: number; guards: number },
  runs: number,
  random = seeded(1),
): number {
  let fired = 0;
  for (let run = 0; run < runs; run += 1) {
    let since = 0;
    const before: number[][] = [];
    for (let hour = 0; hour < hours; hour += 1) {
      since += countOf(mean * left, dispersion, random);
      before.push(Array.from({ length: 4 }, () => countOf(mean, dispersion, random)));
      if (!isBelowBaseline(percent, { since, hours: before }, guards)) continue;
      fired += 1;
      break;
    }
  }
  return fired / runs;
}

/** A count that is Poisson, or a Poisson of a gamma for a larger dispersion. */
function countOf(mean: number, dispersion: number, random: () => number): number {
  if (dispersion === 1) return poisson(mean, random);
  const scale = dispersion - 1;
  return poisson(gamma(mean / scale, random) * scale, random);
}

function poisson(mean: number, random: () => number): number {
  let [count, passed] = [0, -Math.log(1 - random())];
  for (; passed < mean; passed -= Math.log(1 - random())) count += 1;
  return count;
}

/** Marsaglia and Tsang (2000). */
function gamma(shape: number, random: () => number): number {
  if (shape < 1) return gamma(shape + 1, random) * random() ** (1 / shape);
  const d = shape - 1 / 3;
  for (;;) {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    const cube = (1 + normal / Math.sqrt(9 * d)) ** 3;
    if (cube > 0 && Math.log(1 - random()) < normal ** 2 / 2 + d - d * cube + d * Math.log(cube))
      return d * cube;
  }
}
