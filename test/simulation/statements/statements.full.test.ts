import { expect, test } from "bun:test";
import { IS_POSTGRES_HERE, freshDatabase } from "../../support/postgres/postgres.ts";
import { createChance } from "../chance.ts";
import { OPERATIONS, type OperationName } from "./operations.ts";
import { describeTried, tryOrders } from "./pairs.ts";
import { openExplorer } from "./statements.ts";

const NAMES = Object.keys(OPERATIONS) as OperationName[];
const GIVEN = process.env["FORMFLAG_SIMULATE_ORDERS"];
const SEED = Number(process.env["FORMFLAG_SIMULATE_SEED"] ?? 1);
/** Part 2 of 4 is `2/4`. */
const [PART, PARTS] = (process.env["FORMFLAG_SIMULATE_PART"] ?? "1/1").split("/").map(Number) as [
  number,
  number,
];
const ONLY = (process.env["FORMFLAG_SIMULATE_ONLY"] ?? "").split(",").filter(Boolean);

test.skipIf(!IS_POSTGRES_HERE)(
  "pairs and triples of operations leave what an order of whole operations leaves",
  async () => {
    const explorer = await openExplorer(await freshDatabase());
    // One pair in so many, unless it is asked for all.
    const tried = await tryOrders(explorer, {
      seed: SEED,
      orders: GIVEN === undefined ? 6 : Number(GIVEN),
      part: GIVEN === undefined ? { number: 1, of: 240 } : { number: PART, of: PARTS },
      only: ONLY,
      triples: GIVEN === undefined ? 5 : Math.ceil(1000 / PARTS),
      seconds: Number(process.env["FORMFLAG_SIMULATE_SECONDS"] ?? Infinity),
      progress: (line) => void process.stderr.write(`${line}\n`),
    });
    await explorer.close();
    process.stderr.write(`${describeTried(tried)}\n`);
    expect(tried.faults).toEqual([]);
  },
  48 * 3_600_000,
);

test.skipIf(!IS_POSTGRES_HERE)(
  "operations do something, and touch no table that is not in their footprint",
  async () => {
    const explorer = await openExplorer(await freshDatabase());
    const wrong: string[] = [];
    for (const name of NAMES) {
      const { missing, answer } = await explorer.footprintOf(name);
      if (missing.length > 0) wrong.push(`${name}: ${missing.join()}`);
      if (/^(?:a bug|conflict|not_found|unavailable|invalid)/.test(answer)) wrong.push(`${name}: ${answer}`);
    }
    await explorer.close();
    expect(wrong).toEqual([]);
  },
  300_000,
);

test.skipIf(!IS_POSTGRES_HERE)(
  "orders that are left out show nothing that others do not",
  async () => {
    const explorer = await openExplorer(await freshDatabase());
    const chance = createChance(SEED);
    const pairs: OperationName[][] = [
      ["insert the last", "insert the last"],
      ["claim", "claim"],
      ["delete", "mark as spam"],
      ...Array.from({ length: 2 }, () => [chance.pick(NAMES), chance.pick(NAMES)]),
    ];
    for (const pair of pairs) {
      const kept = await explorer.explore(pair, 200, SEED);
      const all = await explorer.explore(pair, 60, SEED, false);
      const lost = [...all.outcomes].filter((outcome) => !kept.outcomes.has(outcome));
      expect([pair, kept.isOver ? lost : []]).toEqual([pair, []]);
    }
    await explorer.close();
  },
  600_000,
);
