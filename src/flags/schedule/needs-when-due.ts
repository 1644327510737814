import { AppError } from "../../base/errors.ts";
import { everyItem, MAX_LIST } from "../../base/pages.ts";
import type { FlagChange } from "../change.ts";
import { applyPatch, type FlagPatch, type FlagPlace, type FlagRecord } from "../flag.ts";
import { putFlag } from "../plan.ts";
import { requireNeedsAfter } from "../requires/after.ts";
import type { FlagsApp } from "../store.ts";
import type { ScheduledChange } from "./scheduled-change.ts";

/**
 * Throws as `requireNeedsAfter` for a change that is due at a time, after the ones that are due before it, if all of these can
 * be made.
 */
export async function requireNeedsWhenDue(
  { store }: Pick<FlagsApp, "store">,
  place: FlagPlace,
  current: FlagRecord,
  { patch, at }: { patch: FlagPatch; at: number },
): Promise<void> {
  if (!mayChangeNeeds(patch)) return;
  const { project, environment } = place;
  const records = new Map([[place.flag, current]]);
  const puts: FlagChange[] = [];
  const put = (flag: string, before: FlagRecord, own: FlagPatch) => {
    const { record } = applyPatch(flag, before, own, at);
    records.set(flag, record);
    return putFlag({ ...place, flag }, before, record);
  };
  try {
    for (const { flag, patch: own } of await dueBefore(store, project, environment, at)) {
      const before = records.get(flag) ?? (await store.flags.find({ ...place, flag }));
      if (before) puts.push(put(flag, before, own));
    }
    await requireNeedsAfter(store, puts);
  } catch (error) {
    if (!(error instanceof AppError) || error.code === "unavailable") throw error;
    // Which of them fail is not known before.
    puts.length = 0;
    records.set(place.flag, current);
  }
  await requireNeedsAfter(store, [...puts, put(place.flag, records.get(place.flag)!, patch)]);
}

async function dueBefore(
  { scheduled }: Pick<FlagsApp["store"], "scheduled">,
  project: string,
  environment: string,
  at: number,
): Promise<ScheduledChange[]> {
  const all = await everyItem<ScheduledChange>((after) =>
    scheduled.page(project, environment, { limit: MAX_LIST, after }),
  );
  return all.filter((each) => each.at <= at && mayChangeNeeds(each.patch));
}

const MAY_CHANGE = ["requires", "variants", "archived"] as const;

/** Whether a patch may change what its flag needs, or can be for others. */
function mayChangeNeeds(patch: FlagPatch): boolean {
  return MAY_CHANGE.some((name) => patch[name] !== undefined);
}
