import { expect, test } from "bun:test";
import { newDatabase } from "../../support/database.ts";
import { IS_POSTGRES_HERE } from "../../support/postgres/postgres.ts";
import { fastDirectory, tempDirectory } from "../../support/temp.ts";
import { runPrograms } from "./program.ts";

const directory = tempDirectory(fastDirectory());
newDatabase(directory);

test("random programs do the same in every way: operations, HTTP, commands and PostgreSQL", async () => {
  const options = { seed: 28, runs: 3, length: 30, withPostgres: IS_POSTGRES_HERE, directory };
  expect(await runPrograms(options)).toBeGreaterThan(36);
}, 300_000);
