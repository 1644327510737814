import type { Database } from "bun:sqlite";
import { DELIVERY_STATUSES } from "../../delivery/delivery-status.ts";
import type { Activity } from "../../maintenance/store.ts";
import { query } from "./statements.ts";
import { NOW } from "./submission-counts.ts";
import { currentVersion } from "./version.ts";

/** Deliveries of one status that are counted at most. */
const MAX_COUNTED = 500;

/** Fingerprints of what pages show: one that differs says that something changed. */
export function readActivity(db: Database): Activity {
  const { counts } = query<{ counts: string | null }, []>(
    db,
    // Only the rows of the present: those of past hours are as many as the submissions at worst.
    `SELECT group_concat(c.form_id || ' ' || c.state || ' ' || c.unread || ' ' || c.count) AS counts
     FROM forms f CROSS JOIN submission_counts c
       ON c.form_id = f.id AND c.state IN (0, 1, 2) AND c.unread IN (0, 1) AND c.hour = ${NOW}`,
  ).get()!;
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
    setup: String(currentVersion(db)),
    submissions: String(Bun.hash(`${counts} ${newest}`)),
    deliveries: [delivery, ...statuses].join(),
  };
}
