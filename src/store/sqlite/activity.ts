import type { Database } from "bun:sqlite";
import { DELIVERY_STATUSES } from "../../delivery/delivery-status.ts";
import type { Activity } from "../../maintenance/store.ts";
import { runWork } from "./run.ts";
import { query } from "./statements.ts";
import { printCounts } from "../sql/submission-counts.ts";
import { currentVersion } from "../sql/version.ts";

/** Deliveries of one status that are counted at most. */
const MAX_COUNTED = 500;

/** Fingerprints of what pages show: one that differs says that something changed. */
export function readActivity(db: Database): Activity {
  const counts = runWork(db, printCounts());
  const { newest } = query<{ newest: number | null }, []>(
    db,
    "SELECT max(seq) AS newest FROM submissions",
  ).get()!;
  const { delivery } = query<{ delivery: string | null }, []>(
    db,
    "SELECT hex(max(id)) AS delivery FROM deliveries",
  ).get()!;
  const statuses = DELIVERY_STATUSES.map(
    (_, status) =>
      query<{ count: number }, [number]>(
        db,
        status === 0
          ? `SELECT count(*) AS count FROM (SELECT 1 FROM deliveries WHERE status = 0 AND ?1 = 0 LIMIT ${MAX_COUNTED})`
          : `SELECT count(*) AS count FROM (SELECT 1 FROM deliveries WHERE status = ?1 AND status <> 0 LIMIT ${MAX_COUNTED})`,
      ).get(status)!.count,
  );
  return {
    setup: String(runWork(db, currentVersion())),
    submissions: String(Bun.hash(`${counts} ${newest}`)),
    deliveries: [delivery, ...statuses].join(),
  };
}
