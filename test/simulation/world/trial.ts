import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { simulate } from "./simulation.ts";

/** Seeds that have failed, each with what it was. The full suite replays them. */
const KEPT = join(import.meta.dir, "../seeds/seeds.json");

export function keptSeeds(): [seed: number, what: string][] {
  const kept = JSON.parse(readFileSync(KEPT, "utf8")) as Record<string, string>;
  return Object.entries(kept).map(([seed, what]) => [Number(seed), what]);
}

export function keepSeed(seed: number, what: string): void {
  const kept = JSON.parse(readFileSync(KEPT, "utf8")) as Record<string, string>;
  writeFileSync(KEPT, `${JSON.stringify({ ...kept, [seed]: kept[seed] ?? what }, null, 2)}\n`);
}

/** Simulates a minute with a seed, if `isTwice` with a second run that has to do the same. Returns what was wrong, or null. */
export async function trySeed(seed: number, directory: string, isTwice: boolean): Promise<string | null> {
  const options = { seed, directory, minutes: 1, keepsLog: isTwice };
  const faults: string[] = [];
  try {
    const { violations, log } = await simulate(options);
    faults.push(...violations);
    if (isTwice) {
      const again = (await simulate(options)).log;
      const at = log.findIndex((line, index) => line !== again[index]);
      if (at !== -1) faults.push(`two runs differ at line ${at}: ${log[at]} / ${again[at]}`);
    }
  } catch (error) {
    faults.push(error instanceof Error ? error.message : String(error));
  }
  return faults.length === 0
    ? null
    : `seed ${seed} (npm run simulate -- --seed ${seed}): ${faults.slice(0, 3).join("\n  ")}`;
}
