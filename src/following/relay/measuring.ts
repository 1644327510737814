import { clock } from "../../base/clock.ts";
import { DAY_MS } from "../../base/days.ts";
import { sha256 } from "../../base/sum.ts";
import { createSealedAssignments } from "../../experiments/assignment.ts";
import { otherEvents } from "../../experiments/events.ts";
import { createMeasure } from "../../experiments/measure.ts";
import { type Measuring, createNotes } from "../../experiments/measuring.ts";
import type { Relay } from "./relay.ts";
import type { Spool } from "./spool.ts";

/** Idempotency keys that are remembered. The source counts the events of an older one once all the same. */
const MAX_KEYS = 100_000;

/** The counting of a server that follows another one, which does the counting itself. */
export function createRelayMeasuring(relay: Relay, spool: Spool): Measuring {
  const measure = createMeasure((environmentKey) =>
    relay.state.measurements
      .filter((each) => each.environmentKey === environmentKey)
      .map((each) => ({ ...each, visitorOf: (visitor: string) => visitor })),
  );
  const sealingKeyOf = (environmentKey: string) => {
    const environments = relay.state.projects.flatMap((project) => project.environments);
    return environments.find(({ key }) => key === environmentKey)?.sealing ?? "";
  };
  const sealed = createSealedAssignments(sealingKeyOf);
  const keys = new Map<string, { content: string; accepted: number; until: number }>();
  const remember = (key: string, entry: { content: string; accepted: number; until: number }) => {
    const [oldest] = keys.keys();
    if (keys.size >= MAX_KEYS) keys.delete(oldest!);
    keys.set(key, entry);
  };
  const count: Measuring["count"] = (users) => spool.add({ users: [...users] });
  const measuring: Measuring = {
    measure,
    assignments: async () => sealed,
    count,
    async take(batch, idempotencyKey) {
      const { environmentKey, occurrences, at, isOfPage } = batch;
      const { accepted, measured } = await measure(environmentKey, occurrences);
      const total = occurrences.length;
      if (measured.length === 0 && (idempotencyKey === null || isOfPage))
        return { accepted: 0, ignored: total, isRepeat: false };
      const key = JSON.stringify([environmentKey, idempotencyKey]);
      const content = sha256(JSON.stringify(occurrences));
      const known = idempotencyKey === null ? undefined : keys.get(key);
      if (known && known.until > at) {
        if (known.content !== content) throw otherEvents();
        return { accepted: known.accepted, ignored: total - known.accepted, isRepeat: true };
      }
      // A conversion counts after its exposure.
      if (measured.some(({ variant }) => variant === null)) await measuring.flush();
      await spool.add({
        id: clock.uuid(),
        events: { ...batch, occurrences: [...occurrences] },
        idempotencyKey,
      });
      if (idempotencyKey !== null) remember(key, { content, accepted, until: at + DAY_MS });
      return { accepted, ignored: total - accepted, isRepeat: false };
    },
    measurementOf(environmentKey, flag) {
      const found = relay.state.measurements.find(
        (each) => each.environmentKey === environmentKey && each.flag === flag,
      );
      return found?.id ?? null;
    },
    ...createNotes(count, () => measuring.onNoted()),
    onNoted: () => {},
    conversions: () => [],
    async forget() {},
  };
  return measuring;
}
