import type * as z from "zod/mini";
import type { Caller } from "../access/caller.ts";
import { requireScope } from "../access/rights.ts";
import { MAX_STATS_DELIVERIES } from "./limits.ts";
import type { backupsSchema, statusSchema } from "./status-schema.ts";
import { readServers } from "./running-servers.ts";
import type { Servers, StatsApp } from "./store.ts";

export type Backups = z.infer<typeof backupsSchema>;

export type Status = z.infer<typeof statusSchema>;

/** The backups of a server that makes none and knows of none. */
export const NO_BACKUPS: Backups = {
  directory: null,
  every: null,
  keep: null,
  bucket: null,
  encrypted: false,
  arrived: null,
  last: null,
  failure: null,
  next: null,
};

/** The facts of a server that only the process that answers knows. */
export type ServerFacts = Omit<Status, "database" | "queue" | "servers" | "sendsMail"> & {
  database: Omit<Status["database"], "bytes">;
};

/** The status of a server, or of the newest one that uses a shared database. Throws `forbidden`. */
export async function readStatus(
  { store }: StatsApp & { store: { stats: () => Promise<{ bytes: number }>; servers: Servers | null } },
  caller: Caller,
  { version, startedAt, address, dashboard, data, database, backup }: ServerFacts,
): Promise<Status> {
  requireScope(caller, "read");
  const [servers, { bytes }, waiting, failed] = await Promise.all([
    readServers(store),
    store.stats(),
    store.deliveries.countQueued(MAX_STATS_DELIVERIES),
    store.deliveries.countFailed(MAX_STATS_DELIVERIES),
  ]);
  // A command beside it is not the server.
  const newest = startedAt === null ? servers?.[0] : undefined;
  return {
    version: newest?.version ?? version,
    startedAt: newest?.startedAt ?? startedAt,
    address: newest?.address ?? address,
    servers:
      servers &&
      servers.map(({ host, version, startedAt, address }) => ({ host, version, startedAt, address })),
    dashboard: newest?.dashboard ?? dashboard,
    data,
    database: { ...database, bytes },
    queue: { waiting, failed },
    backup,
  };
}
