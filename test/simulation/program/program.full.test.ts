import { expect, test } from "bun:test";
import { newDatabase } from "../../support/database.ts";
import { IS_POSTGRES_HERE } from "../../support/postgres/postgres.ts";
import { fastDirectory, tempDirectory } from "../../support/temp.ts";
import { runPrograms } from "./program.ts";

const directory = tempDirectory(fastDirectory());
newDatabase(directory);

const GIVEN = process.env["FORMFLAG_SIMULATE_SECONDS"];
/** Set by `--prove`, where it only counts that a program fails, and PostgreSQL has tests of its own. */
const IS_PROOF = process.env["FORMFLAG_SIMULATE_PROOF"] !== undefined;
const SEED = process.env["FORMFLAG_SIMULATE_SEED"];

test.skipIf(IS_PROOF)(
  "longer random programs do the same in every way",
  async () => {
    const options = { seed: 29, runs: 5, length: 60, withPostgres: IS_POSTGRES_HERE, directory };
    expect(await runPrograms(options)).toBeGreaterThan(30);
  },
  300_000,
);

/** Only for `npm run simulate`: what the full suite does must not depend on luck. */
test.skipIf(GIVEN === undefined && SEED === undefined)(
  "new random programs do the same in every way",
  async () => {
    const seconds = Number(GIVEN ?? 30);
    const seed = Number(SEED ?? crypto.getRandomValues(new Uint32Array(1))[0]!);
    const until = Date.now() + seconds * 1000;
    const withPostgres = IS_POSTGRES_HERE && !IS_PROOF;
    const options = {
      seed,
      runs: 100_000,
      length: IS_PROOF ? 200 : 60,
      withPostgres,
      directory,
      until,
      endsOnFailure: IS_PROOF,
    };
    const count = await runPrograms(options);
    expect({ seed, count }).toMatchObject({ count: expect.any(Number) });
  },
  Number(GIVEN ?? 30) * 2000 + 300_000,
);
