import { createChance } from "../chance.ts";
import { type Footprint, areApart } from "./footprints.ts";
import { OPERATIONS, type OperationName } from "./operations.ts";
import type { Explorer } from "./statements.ts";

export type Trying = {
  seed: number;
  /** Of each pair, at most; a tenth as many of each triple. */
  orders: number;
  part: { number: number; of: number };
  /** Parts of the names of operations, of which each pair and each triple has one; none for all. */
  only: readonly string[];
  triples: number;
  /** After which no further pair is tried. */
  seconds: number;
  progress: (line: string) => void;
};

/** How many pairs were tried, in how many orders, and which of them showed a fault. */
export type Tried = {
  pairs: number;
  triples: number;
  /** Pairs that touch nothing in common. */
  apart: number;
  /** Pairs in every order that differs from the others. */
  whole: number;
  orders: number;
  left: number;
  faults: string[];
  isOver: boolean;
};

/** Pairs between two lines of progress. */
const STEP = 50;

/** Tries each pair of operations that touch something in common, in an order of the seed, and random triples of those. */
export async function tryOrders(explorer: Explorer, trying: Trying): Promise<Tried> {
  const { seed, orders, part, only, triples, seconds, progress } = trying;
  const chance = createChance(seed);
  const names = Object.keys(OPERATIONS) as OperationName[];
  const footprints = new Map<OperationName, Footprint>();
  for (const name of names) footprints.set(name, (await explorer.footprintOf(name)).footprint);
  const meet = (one: OperationName, other: OperationName) =>
    !areApart(footprints.get(one)!, footprints.get(other)!);

  const isWanted = (name: string) => only.length === 0 || only.some((each) => name.includes(each));
  const wanted = names.filter(isWanted);
  const pairs = names
    .flatMap((one, index) => names.slice(index).map((other) => [one, other] as const))
    .filter((pair) => pair.some(isWanted));
  const own = shuffled(pairs, chance.int).filter((_, index) => index % part.of === part.number - 1);
  const meeting = own.filter(([one, other]) => meet(one, other));
  const tried: Tried = {
    pairs: 0,
    triples: 0,
    apart: own.length - meeting.length,
    whole: 0,
    orders: 0,
    left: 0,
    faults: [],
    isOver: false,
  };
  const until = performance.now() + seconds * 1000;
  const explore = async (of: readonly OperationName[], most: number) => {
    const result = await explorer.explore(of, most, seed);
    tried.orders += result.orders;
    tried.left += result.left;
    if (result.isOver) tried.whole += 1;
    if (result.fault === null) return;
    tried.faults.push(`seed ${seed}: ${result.fault}`);
    progress(tried.faults.at(-1)!);
  };
  for (const pair of meeting) {
    if (performance.now() >= until) return tried;
    await explore(pair, orders);
    tried.pairs += 1;
    if (tried.pairs % STEP === 0) progress(`${tried.pairs} of ${meeting.length}: ${describeTried(tried)}`);
  }
  for (; tried.triples < triples; tried.triples += 1) {
    if (performance.now() >= until) return tried;
    const first = chance.pick(wanted);
    const others = names.filter((each) => meet(first, each));
    if (others.length === 0) continue;
    await explore([first, chance.pick(others), chance.pick(others)], Math.max(Math.ceil(orders / 10), 3));
    if (tried.triples % STEP === STEP - 1) progress(describeTried(tried));
  }
  return { ...tried, isOver: true };
}

export function describeTried({ pairs, triples, apart, whole, orders, left, faults }: Tried): string {
  return `${pairs} pairs and ${triples} triples in ${orders} orders (${whole} of them in every order that matters; ${left} orders were like another), ${apart} pairs touch nothing in common, ${faults.length} faults`;
}

function shuffled<T>(values: readonly T[], int: (below: number) => number): T[] {
  const left = [...values];
  const found: T[] = [];
  while (left.length > 0) found.push(left.splice(int(left.length), 1)[0]!);
  return found;
}
