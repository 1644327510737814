/** One line of the benchmark: how formflag compares to a limit, measured in turns (A B A B …). */
export type Figure = {
  part: string;
  name: string;
  /** As the goal is written, such as `≥ 0.90`; null for a comparison without a goal. */
  goal: string | null;
  /** The median over the rounds. */
  value: number;
  /** Smallest and largest round. */
  spread: [number, number];
  /** The unit of `value`. Default: a ratio. */
  unit?: string;
  /** Measurements that the figure is computed from. */
  detail?: string;
};

/** Receives each figure as soon as it is measured. */
export type Show = (figure: Figure) => void;

export type Rounds = { rounds: number; seconds: number };

/** Measures A and B in turns and returns the ratio A / B of each round. */
export async function inTurns(
  rounds: number,
  a: () => Promise<number>,
  b: () => Promise<number>,
): Promise<{ ratios: number[]; a: number; b: number; as: number[]; bs: number[] }> {
  const as: number[] = [];
  const bs: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    as.push(await a());
    bs.push(await b());
  }
  return { ratios: as.map((value, round) => value / bs[round]!), a: median(as), b: median(bs), as, bs };
}

/** Seconds of a call, over about so many seconds. */
export async function eachIn(seconds: number, call: (index: number) => unknown): Promise<number> {
  const start = performance.now();
  let calls = 0;
  for (let elapsed = 0; elapsed < seconds * 1000; elapsed = performance.now() - start) {
    for (let index = 0; index < 1024; index += 1) call(index);
    calls += 1024;
  }
  return (performance.now() - start) / 1000 / calls;
}

export function median(values: number[]): number {
  const sorted = values.toSorted((x, y) => x - y);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN;
}

export function spreadOf(values: number[]): [number, number] {
  return [Math.min(...values), Math.max(...values)];
}

/** Whether a figure reaches its goal; undefined if it has none. */
export function reaches({ value, goal }: Figure): boolean | undefined {
  if (goal === null) return undefined;
  const limit = Number(goal.slice(1).trim());
  return goal.startsWith("≥") ? value >= limit : value <= limit;
}

export function formatValue(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(2);
}
