import { expect, test } from "bun:test";
import { fastDirectory, tempDirectory } from "../../support/temp.ts";
import { simulateRelay } from "./simulate-relay.ts";

const directory = tempDirectory(fastDirectory());

test("a relay takes nothing back, answers what was acknowledged and counts once with 15 seeds", async () => {
  let checks = 0;
  for (let seed = 1; seed <= 15; seed += 1) {
    const simulated = await simulateRelay(seed, directory, { keepsLog: false });
    expect([seed, simulated.violations]).toEqual([seed, []]);
    checks += simulated.checks;
  }
  expect(checks).toBeGreaterThan(50);
}, 120_000);

test("a seed of a relay does the same each time", async () => {
  const [first, second] = [await simulateRelay(5, directory), await simulateRelay(5, directory)];
  expect(second.log).toEqual(first.log);
}, 120_000);
