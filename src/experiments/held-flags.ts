import { createCache, type Find } from "../base/changes.ts";
import { everyItem } from "../base/pages.ts";
import { type FoundRamp, isHeld } from "../flags/ramps/ramp.ts";
import type { ExperimentsApp } from "./store.ts";

const RAMPS_AT_ONCE = 1000;

/**
 * Finds the flags of an environment, such as `shop/production`, that an experiment or a ramp holds: first measured
 * ones. Throws `not_found`, `unavailable`.
 */
export function createHeldFlags({ store, watch }: ExperimentsApp): Find<readonly string[]> {
  return createCache(watch, async (place) => {
    const [project, environment] = place.split("/") as [string, string];
    const experiments = await store.experiments.holding(project, environment);
    const ramps = await everyItem<FoundRamp>((last) =>
      store.ramps.page(project, environment, { limit: RAMPS_AT_ONCE, after: last?.ramp }),
    );
    const byGuards = ramps
      .map(({ ramp }) => ramp)
      .filter(isHeld)
      .toSorted((a, b) => Number(b.guards.length > 0) - Number(a.guards.length > 0));
    return [...experiments.map(({ experiment }) => experiment.flag), ...byGuards.map(({ flag }) => flag)];
  });
}
