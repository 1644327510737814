import type { Caller } from "../../access/caller.ts";
import { requireScope } from "../../access/rights.ts";
import { lastDays } from "../../base/days.ts";
import { keyOf } from "../../projects/environments.ts";
import type { FlagPlace } from "../flag.ts";
import type { FlagsApp } from "../store.ts";

/** How often the variants of a flag were served on a day; readers without a variant are in `none`. */
export type Served = {
  day: string;
  timeZone: string;
  reads: number;
  variants: Record<string, number>;
  none: number;
};

/**
 * Counts what readers of a flag got today in a time zone, from reads of the flag alone and of all flags; at most a
 * minute late. An hour in which the day began counts for the day before. Empty for a flag that does not exist. Throws
 * `not_found` for the environment, `forbidden`, `invalid` for the time zone.
 */
export async function servedToday(
  app: FlagsApp,
  caller: Caller,
  place: FlagPlace & { key?: string | undefined },
  timeZone: string,
): Promise<Served> {
  requireScope(caller, "flags:read", place);
  const key = await keyOf(app, place);
  const [{ day, from, to }] = lastDays(app.now(), 1, timeZone) as [ReturnType<typeof lastDays>[number]];
  const what = `${key}/${place.flag}`;
  const own = await app.store.tallies.sum({ kind: "served", from, to, what });
  const variants = own.filter(({ variant }) => variant !== "").map(({ variant, count }) => [variant, count]);
  return {
    day,
    timeZone,
    reads: own.reduce((sum, { count }) => sum + count, 0),
    variants: Object.fromEntries(variants) as Record<string, number>,
    none: own.find(({ variant }) => variant === "")?.count ?? 0,
  };
}
