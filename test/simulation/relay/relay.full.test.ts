import { expect, test } from "bun:test";
import { fastDirectory, tempDirectory } from "../../support/temp.ts";
import { simulateRelay } from "./simulate-relay.ts";

const directory = tempDirectory(fastDirectory());

/** Given by `npm run simulate`; else the same seeds each time. */
const SECONDS = process.env["FORMFLAG_SIMULATE_SECONDS"];
const FIRST = Number(process.env["FORMFLAG_SIMULATE_SEED"] ?? 1000);
const SEEDS = 300;

test(
  "nothing is violated at a relay",
  async () => {
    const until = performance.now() + Number(SECONDS ?? 600) * 1000;
    for (let seed = FIRST; performance.now() < until; seed += 1) {
      if (SECONDS === undefined && seed === FIRST + SEEDS) break;
      const { violations } = await simulateRelay(seed, directory, { keepsLog: false });
      expect(violations.map((each) => `seed ${seed} ${each}`)).toEqual([]);
    }
  },
  Number(SECONDS ?? 600) * 2000 + 60_000,
);
