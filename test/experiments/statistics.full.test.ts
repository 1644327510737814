import { describe, expect, test } from "bun:test";
import {
  firesAt,
  fixedSample,
  isDecided,
  isUneven,
  seeded,
  simulate,
  simulateBaseline,
} from "../support/statistics.ts";

describe("two variants that are alike, with a look at every visitor", () => {
  test.each([
    [0.2, 50, 50_000, 200],
    [1, 50, 20_000, 400],
    [5, 50, 12_000, 500],
    [10, 50, 12_000, 500],
    [50, 50, 12_000, 500],
    [50, 10, 12_000, 500],
    [10, 10, 12_000, 500],
    [2, 10, 30_000, 240],
    [10, 1, 30_000, 240],
    [50, 1, 20_000, 400],
    [50, 99, 20_000, 400],
  ])(
    "of whom %p %% convert, %p %% see the variant: at most 5 %% of runs find a difference",
    (rate, share, visitors, runs) => {
      const rates: [number, number] = [rate / 100, rate / 100];
      expect(
        simulate({ rates, share, visitors }, runs, isDecided, seeded(rate * 100 + share)).found,
      ).toBeLessThanOrEqual(0.05);
    },
    60_000,
  );
});

test("10 against 12 %: half of the runs decide before the fixed sample, nearly all within three of them", () => {
  const fixed = fixedSample(0.1, 0.12);
  const { found, median } = simulate(
    { rates: [0.1, 0.12], share: 50, visitors: Math.ceil(3 * fixed) },
    250,
    isDecided,
  );
  expect(median! / fixed).toBeWithin(0.8, 1.06);
  expect(found).toBeGreaterThan(0.96);
}, 60_000);

test("visitors who are split 55 to 45 raise an alarm after about 1,600, and few runs of an even split ever do", () => {
  const one: [number, number] = [1, 1];
  const uneven = simulate({ rates: [0.1, 0.1], share: 45, visitors: 6000 }, 100, isUneven(one));
  expect(uneven.median!).toBeWithin(1200, 2000);
  const even = simulate({ rates: [0.1, 0.1], share: 50, visitors: 3000 }, 200, isUneven(one));
  expect(even.found).toBeLessThanOrEqual(0.01);
}, 60_000);

test("a guard against the control fires falsely in at most 0.3 % of runs, and finds three times the errors", () => {
  const rises = firesAt({ direction: "rises", percent: 0 });
  const alike = simulate({ rates: [0.05, 0.05], share: 50, visitors: 8000 }, 400, rises);
  expect(alike.found).toBeLessThanOrEqual(0.005);
  const worse = simulate({ rates: [0.01, 0.03], share: 50, visitors: 12_000 }, 150, rises);
  expect(worse.median!).toBeWithin(2200, 3200);
}, 60_000);

test("a guard against earlier weeks fires falsely in few runs, also where counts scatter more than by chance", () => {
  const guard = { percent: 40, guards: 1 };
  expect(simulateBaseline({ mean: 5, dispersion: 1, hours: 150, left: 1 }, guard, 300)).toBeLessThanOrEqual(
    0.015,
  );
  expect(simulateBaseline({ mean: 5, dispersion: 4, hours: 150, left: 1 }, guard, 300)).toBeLessThanOrEqual(
    0.03,
  );
  expect(simulateBaseline({ mean: 5, dispersion: 1, hours: 100, left: 0.5 }, guard, 50)).toBeGreaterThan(
    0.95,
  );
}, 60_000);
