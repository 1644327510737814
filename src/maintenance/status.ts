import type * as z from "zod/mini";
import type { Caller } from "../access/caller.ts";
import { requireScope } from "../access/rights.ts";
import { MAX_STATS_DELIVERIES } from "./limits.ts";
import type { backupsSchema, statusSchema } from "./status-schema.ts";
import type { StatsApp } from "./store.ts";

export type Backups = z.infer<typeof backupsSchema>;

export type Status = z.infer<typeof statusSchema>;

/** The backups of a server that makes none and knows of none. */
export const NO_BACKUPS: Backups = {
  directory: null,
  every: null,
  keep: null,
  last: null,
  failure: null,
  next: null,
};

/** The facts of a server that only the process that answers knows. */
export type ServerFacts = Omit<Status, "database" | "queue"> & {
  database: Omit<Status["database"], "bytes">;
};

/** The status of a server. Throws `forbidden`. */
export async function readStatus(
  { store }: StatsApp & { store: { stats: () => Promise<{ bytes: number }> } },
  caller: Caller,
  { version, startedAt, address, dashboard, data, database, backup }: ServerFacts,
): Promise<Status> {
  requireScope(caller, "read");
  const [{ bytes }, waiting, failed] = await Promise.all([
    store.stats(),
    store.deliveries.countQueued(MAX_STATS_DELIVERIES),
    store.deliveries.countFailed(MAX_STATS_DELIVERIES),
  ]);
  return {
    version,
    startedAt,
    address,
    dashboard,
    data,
    database: { ...database, bytes },
    queue: { waiting, failed },
    backup,
  };
}
