import { expect, test } from "bun:test";
import { startFakeS3 } from "../../support/s3/s3.ts";
import { tempDirectory } from "../../support/temp.ts";
import { simulateArchives } from "./simulate-archives.ts";

/** Given by `npm run simulate`; else the same seeds each time. */
const SECONDS = process.env["FORMFLAG_SIMULATE_SECONDS"];
const FIRST = Number(process.env["FORMFLAG_SIMULATE_SEED"] ?? 1000);
const SEEDS = 20;

const fake = startFakeS3();
const directory = tempDirectory();

test(
  "backups in a bucket that hangs, lies or dies are complete or not there, and none is lost",
  async () => {
    const until = performance.now() + Number(SECONDS ?? 600) * 1000;
    for (let seed = FIRST; performance.now() < until; seed += 1) {
      if (SECONDS === undefined && seed === FIRST + SEEDS) break;
      const violations = await simulateArchives(seed, fake, directory);
      expect(violations.map((each) => `seed ${seed} ${each}`)).toEqual([]);
    }
  },
  Number(SECONDS ?? 600) * 2000 + 60_000,
);
