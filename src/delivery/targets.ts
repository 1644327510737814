import { operatorCaller } from "../access/caller.ts";
import { type ChangeStore, change } from "../access/door.ts";
import type { ClockAndRandom } from "../base/clock.ts";
import { recordTarget, type TargetChange } from "./change.ts";
import type { DeliveryOwner } from "./owner.ts";
import type { DeliveriesStore } from "./store.ts";

type TargetsApp = ClockAndRandom & { store: DeliveriesStore & ChangeStore<TargetChange> };

/** Caller that disables a target after 410 Gone. */
const OUTBOX = {
  ...operatorCaller(
    () => "outbox",
    () => false,
  ),
  source: "schedule" as const,
};

/** Disables a target that answered 410 Gone; does nothing if the target was deleted meanwhile. */
export function switchOffTarget(app: TargetsApp, owner: DeliveryOwner, id: string): Promise<void> {
  return change(app, OUTBOX, async ({ at }) => {
    const target = await app.store.targets.find(id);
    if (!target?.enabled) return { changes: [], result: undefined };
    const off = { ...target, enabled: false, updatedAt: at };
    const changes: TargetChange[] = [
      { change: "updateTarget", target: off },
      ...recordTarget(owner, target, off),
    ];
    return { changes, result: undefined };
  });
}
