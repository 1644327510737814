import { expect, test } from "bun:test";
import { newDatabase } from "../../support/database.ts";
import { IS_POSTGRES_HERE } from "../../support/postgres/postgres.ts";
import { fastDirectory, tempDirectory } from "../../support/temp.ts";
import { runPrograms } from "./program.ts";

const directory = tempDirectory(fastDirectory());
newDatabase(directory);

const SECONDS = Number(process.env["FORMFLAG_SIMULATE_SECONDS"] ?? 30);

test(
  "new random programs do the same in every way",
  async () => {
    const seed = Number(
      process.env["FORMFLAG_SIMULATE_SEED"] ?? crypto.getRandomValues(new Uint32Array(1))[0]!,
    );
    const until = Date.now() + SECONDS * 1000;
    const options = { seed, runs: 100_000, length: 60, withPostgres: IS_POSTGRES_HERE, directory, until };
    const count = await runPrograms(options);
    expect({ seed, count }).toMatchObject({ count: expect.any(Number) });
  },
  SECONDS * 2000 + 60_000,
);
