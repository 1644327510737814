import type { Caller } from "../../../access/caller.ts";
import type { App } from "../../../app.ts";
import { readRates } from "../../../maintenance/stats.ts";

/** Returns how often a flag is read in a minute, whether by itself or with all others. */
export type RateOf = (environment: string, flag: string) => number;

/** The reads a minute of the flags from one slug to another, estimated from the last hour. */
export async function ratesOf(
  app: App,
  caller: Caller,
  { project, environments }: { project: string; environments: readonly { slug: string }[] },
  first: string,
  last = first,
): Promise<RateOf> {
  const rates = new Map<string, Awaited<ReturnType<typeof readRates>>>();
  for (const { slug: environment } of environments)
    rates.set(environment, await readRates(app, caller, { project, environment }, { first, last }));
  return (environment, flag) => {
    const known = rates.get(environment);
    return known ? ((known.flags.get(flag) ?? 0) + known.all) / 60 : 0;
  };
}
