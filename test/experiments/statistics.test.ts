import { describe, expect, test } from "bun:test";
import {
  type Comparison,
  compare,
  decide,
  isBelowBaseline,
  isPastControl,
  rateOf,
  sampleRatio,
} from "../../src/experiments/statistics.ts";
import { firesAt, isDecided, isUneven, seeded, simulate, simulateBaseline } from "../support/statistics.ts";

const counts = (visitors: number, conversions: number) => ({ visitors, conversions });

describe("a variant against the control", () => {
  test("has the interval of a normal mixture", () => {
    // Computed apart: V = 0.00010848, r = 4, α = 0.05.
    const { difference, interval, verdict } = compare(counts(2000, 200), counts(2000, 260), 1);
    const half = (interval![1] - interval![0]) / 2;
    const variance = (pair: number, of: number) => {
      const rate = (pair + 1) / (of + 2);
      return (rate * (1 - rate)) / of;
    };
    const v = variance(200, 2000) + variance(260, 2000);
    expect(difference).toBeCloseTo(0.03, 12);
    expect(half).toBeCloseTo(Math.sqrt(v * 1.25 * (Math.log(5) + 2 * Math.log(20))), 12);
    expect(verdict).toBe("undecided");
  });

  test("is better or worse once the interval leaves 0", () => {
    expect(compare(counts(5000, 500), counts(5000, 700), 1).verdict).toBe("better");
    expect(compare(counts(5000, 700), counts(5000, 500), 1).verdict).toBe("worse");
  });

  test("has a wider interval among more variants", () => {
    const width = ({ interval }: Comparison) => interval![1] - interval![0];
    const [a, b] = [counts(1000, 100), counts(1000, 120)];
    expect(width(compare(a, b, 3))).toBeGreaterThan(width(compare(a, b, 1)));
  });

  test("is within -1 and 1", () => {
    const { interval } = compare(counts(100, 10), counts(100, 90), 19);
    expect(interval![1]).toBe(1);
  });

  test.each([
    ["99 visitors of one", counts(99, 50), counts(500, 250)],
    ["9 conversions expected of the smaller", counts(100, 9), counts(1000, 90)],
    ["9 visitors without a conversion expected of the smaller", counts(100, 91), counts(1000, 910)],
    ["no visitors", counts(0, 0), counts(100, 50)],
  ])("is undecided with too few: %s", (_, a, b) => {
    expect(compare(a, b, 1)).toMatchObject({ interval: null, verdict: "too-few" });
    expect(isPastControl({ direction: "rises", percent: 0 }, a, b, 1)).toBeFalse();
  });

  test("has a rate only with visitors", () => {
    expect(rateOf(counts(0, 0))).toBeNull();
    expect(rateOf(counts(4, 1))).toBe(0.25);
  });
});

describe("the sample ratio", () => {
  test("has no evidence without visitors", () => {
    expect(sampleRatio([1, 1], [0, 0])).toMatchObject({ expected: [0, 0], alarm: false });
    expect(sampleRatio([1, 1], [0, 0]).evidence).toBeCloseTo(0, 12);
  });

  test("is exact for one visitor and for small counts", () => {
    expect(sampleRatio([1, 1], [1, 0]).evidence).toBeCloseTo(0, 9);
    // Two of one variant: (50/100)(51/101) against 1/4.
    expect(sampleRatio([1, 1], [2, 0]).evidence).toBeCloseTo(Math.log10((0.5 * (51 / 101)) / 0.25), 9);
  });

  test("alarms for a split that is off, and not for the planned one", () => {
    expect(sampleRatio([1, 1], [1200, 800])).toMatchObject({ expected: [1000, 1000], alarm: true });
    expect(sampleRatio([3, 2], [1200, 800]).alarm).toBeFalse();
  });
});

describe("a decision", () => {
  const better = (low: number): Comparison => ({ difference: 0.1, interval: [low, 1], verdict: "better" });
  const other = (verdict: "too-few" | "undecided" | "worse"): Comparison => ({
    difference: 0,
    interval: null,
    verdict,
  });
  const standing = { alarm: false, days: 7, minDays: 7 };

  test.each<[string, (Comparison | null)[], object, number | null, string | null]>([
    ["the better variant wins", [null, better(0.1)], {}, 1, null],
    ["of two, that with the higher lower bound", [better(0.1), null, better(0.2)], {}, 2, null],
    ["not before the shortest time", [null, better(0.1)], { days: 6 }, null, "min-days"],
    ["not with an alarm", [null, better(0.1)], { alarm: true, days: 0 }, null, "ratio"],
    ["too few wait", [null, other("too-few"), other("undecided")], { days: 0 }, null, "too-few"],
    ["the undecided wait", [null, other("undecided")], { days: 0 }, null, "undecided"],
    ["a worse one waits for nothing", [null, other("worse")], {}, null, null],
  ])("%s", (_, comparisons, of, winner, waiting) => {
    expect(decide({ comparisons, ...standing, ...of })).toEqual({
      winner,
      waiting: waiting as never,
    });
  });
});

describe("a guard", () => {
  test("against the control fires once a rate has risen by more than its limit", () => {
    const limit = { direction: "rises", percent: 0 } as const;
    expect(isPastControl(limit, counts(5000, 50), counts(5000, 150), 1)).toBeTrue();
    expect(isPastControl({ ...limit, percent: 400 }, counts(5000, 50), counts(5000, 150), 1)).toBeFalse();
    expect(isPastControl(limit, counts(5000, 150), counts(5000, 50), 1)).toBeFalse();
  });

  test("against the control fires once a rate has fallen by more than its limit", () => {
    const limit = { direction: "falls", percent: 20 } as const;
    expect(isPastControl(limit, counts(5000, 500), counts(5000, 200), 1)).toBeTrue();
    expect(isPastControl(limit, counts(5000, 500), counts(5000, 420), 1)).toBeFalse();
  });

  test("against earlier weeks fires once too little has come", () => {
    const hours = Array.from({ length: 10 }, () => [10, 11, 9, 10]);
    expect(isBelowBaseline(40, { since: 30, hours }, 1)).toBeTrue();
    expect(isBelowBaseline(40, { since: 95, hours }, 1)).toBeFalse();
    expect(isBelowBaseline(40, { since: 0, hours: [] }, 1)).toBeFalse();
  });

  test("against earlier weeks waits longer where these differ much", () => {
    const hours = Array.from({ length: 10 }, () => [0, 20, 0, 20]);
    expect(isBelowBaseline(40, { since: 30, hours }, 1)).toBeFalse();
  });
});

describe("a look at every visitor", () => {
  test("finds no difference where there is none in at least 95 % of runs, and finds one soon", () => {
    const alike = { rates: [0.1, 0.1] as [number, number], share: 50, visitors: 3000 };
    expect(simulate(alike, 100, isDecided, seeded(3)).found).toBeLessThanOrEqual(0.05);
    const uneven = { rates: [0.5, 0.5] as [number, number], share: 1, visitors: 12_000 };
    expect(simulate(uneven, 30, isDecided, seeded(4)).found).toBeLessThanOrEqual(0.05);
    const apart = { rates: [0.1, 0.2] as [number, number], share: 50, visitors: 3000 };
    expect(simulate(apart, 50, isDecided, seeded(5)).found).toBeGreaterThan(0.95);
  });

  test("finds a split that is off, and errors that guards limit", () => {
    const run = { rates: [0.01, 0.05] as [number, number], share: 42, visitors: 6000 };
    expect(simulate(run, 30, isUneven([1, 1]), seeded(6)).found).toBeGreaterThan(0.95);
    const rises = firesAt({ direction: "rises", percent: 0 });
    expect(simulate(run, 30, rises, seeded(7)).found).toBeGreaterThan(0.95);
    const silent = { mean: 5, dispersion: 1, hours: 100, left: 0.3 };
    expect(simulateBaseline(silent, { percent: 40, guards: 1 }, 20, seeded(8))).toBe(1);
  });
});
