import { expect, test } from "bun:test";
import { IS_POSTGRES_HERE, freshDatabase } from "../../support/postgres/postgres.ts";
import { type Chance, createChance } from "../chance.ts";
import { OPERATIONS } from "./operations.ts";
import { type OperationName, openExplorer } from "./statements.ts";

const NAMES = Object.keys(OPERATIONS) as OperationName[];
const PAIRS = NAMES.flatMap((one, index) => NAMES.slice(index).map((other): OperationName[] => [one, other]));

/** One of so many pairs is tried, in so many orders: all in 200 with `npm run simulate`. */
const [EVERY, ORDERS] = process.env["FORMFLAG_SIMULATE_STATEMENTS"] === "all" ? [1, 200] : [50, 6];
const TRIPLES = EVERY === 1 ? 1000 : 5;
const SEED = Number(process.env["FORMFLAG_SIMULATE_SEED"] ?? 1);
/** Set by `npm run simulate`: for how long they are tried, in an order of the seed. */
const SECONDS = Number(process.env["FORMFLAG_SIMULATE_SECONDS"] ?? Infinity);

function shuffle(values: unknown[], chance: Chance): void {
  for (let left = values.length; left > 1; left -= 1) {
    const other = chance.int(left);
    [values[left - 1], values[other]] = [values[other], values[left - 1]];
  }
}

test.skipIf(!IS_POSTGRES_HERE)(
  "pairs and triples of operations leave what an order of whole operations leaves",
  async () => {
    const chance = createChance(SEED);
    const triples = Array.from({ length: TRIPLES }, () => [1, 2, 3].map(() => chance.pick(NAMES)));
    const tried = [...PAIRS.filter((_, index) => index % EVERY === SEED % EVERY), ...triples];
    const explorer = await openExplorer(await freshDatabase());
    const faults: string[] = [];
    let count = 0;
    if (SECONDS < Infinity) shuffle(tried, chance);
    const until = performance.now() + SECONDS * 1000;
    let done = 0;
    for (const names of tried) {
      if (performance.now() >= until) break;
      done += 1;
      const { orders, fault } = await explorer.explore(names, names.length === 2 ? ORDERS : 20, SEED);
      count += orders;
      if (fault !== null) faults.push(`seed ${SEED}: ${fault}`);
    }
    await explorer.close();
    process.stderr.write(`${done} pairs and triples of operations in ${count} orders\n`);
    expect(faults).toEqual([]);
  },
  24 * 3_600_000,
);
