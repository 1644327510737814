import { expect, test } from "bun:test";
import { newDatabase } from "../../support/database.ts";
import { fastDirectory, tempDirectory } from "../../support/temp.ts";
import { simulate } from "./simulation.ts";

const directory = tempDirectory(fastDirectory());
newDatabase(directory);

const GIVEN = process.env["FORMFLAG_SIMULATE_SECONDS"];
const SECONDS = Number(GIVEN ?? 60);
const FIRST = process.env["FORMFLAG_SIMULATE_SEED"];

/** Only for `npm run simulate`: what the full suite does must not depend on luck. */
test.skipIf(GIVEN === undefined && FIRST === undefined)(
  "nothing is violated with new seeds",
  async () => {
    const until = performance.now() + SECONDS * 1000;
    let seed = FIRST === undefined ? crypto.getRandomValues(new Uint32Array(1))[0]! >>> 1 : Number(FIRST);
    for (; performance.now() < until; seed += 1) {
      const { violations } = await simulate({ seed, directory, minutes: 1, keepsLog: false });
      expect({ seed, violations }).toEqual({ seed, violations: [] });
    }
  },
  SECONDS * 2000 + 300_000,
);
