import type { Versions } from "../../base/changes.ts";
import { only, run, type Work, first } from "./work.ts";
import { DELIVERY_STATUSES } from "../../delivery/delivery-status.ts";
import type { Activity } from "../../maintenance/store.ts";
import type * as Counts from "./submissions/counts.ts";

/** The version of the setup, and the one of tokens and users. */
export function readVersions(): Work<Versions> {
  return only<Versions>(`SELECT version, access, ${MEMBERSHIPS} FROM setup_version`);
}

/** Grows with every change of the members of a segment; without one of them, the version of the setup grows. */
export const MEMBERSHIPS =
  "(SELECT CAST(coalesce(sum(revision), 0) AS BIGINT) FROM segment_sources) AS memberships";

/** The version of the setup, which grows with every change of it. */
export function* currentVersion(): Work<number> {
  const { version } = yield* readVersions();
  return version;
}

/** Sets the version of the setup. With `raisesAccess`, the one of tokens and users grows too. */
export function* setVersion(version: number, raisesAccess: boolean): Work<void> {
  const raised = raisesAccess ? 1 : 0;
  yield* run("UPDATE setup_version SET version = $version, access = access + $raised", { version, raised });
}

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
  // Only the pages of a server read it.
  const { printCounts } = require("./submissions/counts.ts") as typeof Counts;
  const counts = yield* printCounts();
  const { newest } = yield* only<{ newest: number | null }>("SELECT max(seq) AS newest FROM submissions");
  const { handled } = yield* only<{ handled: number | null }>(
    "SELECT max(id) AS handled FROM submission_events",
  );
  const delivery = yield* first<{ id: Uint8Array }>("SELECT id FROM deliveries ORDER BY id DESC LIMIT 1");
  const statuses = yield* only<Record<string, number>>(`SELECT ${STATUSES.join()}`);
  const { version, access } = yield* readVersions();
  return {
    setup: String(version),
    access: String(access),
    submissions: String(Bun.hash(`${counts} ${newest} ${handled}`)),
    deliveries: [delivery?.id.toHex(), ...DELIVERY_STATUSES.map((name) => statuses[name])].join(),
  };
}
