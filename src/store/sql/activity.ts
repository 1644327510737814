import { DELIVERY_STATUSES } from "../../delivery/delivery-status.ts";
import type { Activity } from "../../maintenance/store.ts";
import { printCounts } from "./submission-counts.ts";
import { currentVersion } from "./version.ts";
import { type Work, first, only } from "./work.ts";

/** Deliveries of one status that are counted at most. */
const MAX_COUNTED = 500;

/** How many deliveries have each status, in conditions that the indexes have too. */
const STATUSES = DELIVERY_STATUSES.map(
  (name, status) => `(SELECT count(*) FROM (
    SELECT 1 FROM deliveries WHERE status = ${status} ${status === 0 ? "" : "AND status <> 0"}
    LIMIT ${MAX_COUNTED}) AS found) AS ${name}`,
);

/** Fingerprints of what pages show: one that differs says that something changed. */
export function* readActivity(): Work<Activity> {
  const counts = yield* printCounts();
  const { newest } = yield* only<{ newest: number | null }>("SELECT max(seq) AS newest FROM submissions");
  const delivery = yield* first<{ id: Uint8Array }>("SELECT id FROM deliveries ORDER BY id DESC LIMIT 1");
  const statuses = yield* only<Record<string, number>>(`SELECT ${STATUSES.join()}`);
  return {
    setup: String(yield* currentVersion()),
    submissions: String(Bun.hash(`${counts} ${newest}`)),
    deliveries: [delivery?.id.toHex(), ...DELIVERY_STATUSES.map((name) => statuses[name])].join(),
  };
}
