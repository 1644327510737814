import { expect, test } from "bun:test";
import { newDatabase } from "../../support/database.ts";
import { fastDirectory, tempDirectory } from "../../support/temp.ts";
import { simulate } from "./simulation.ts";

const directory = tempDirectory(fastDirectory());
newDatabase(directory);

/** With kills, all faults, receivers alone, and one server. */
test.each([1, 2, 3, 4])(
  "nothing is violated with seed %i",
  async (seed) => {
    const { violations } = await simulate({
      seed,
      directory,
      minutes: 0.15,
      keepsLog: false,
    });
    expect(violations).toEqual([]);
  },
  300_000,
);

test("a seed does the same each time", async () => {
  const options = { seed: 7, directory, minutes: 0.05 };
  const [first, second] = [await simulate(options), await simulate(options)];
  expect(second.log).toEqual(first.log);
}, 300_000);
