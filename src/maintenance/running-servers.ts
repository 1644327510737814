import type { Servers } from "./store.ts";

/** A server that uses a shared database, as it describes itself to commands and to other servers. */
export type RunningServer = {
  /** The name of its machine. */
  host: string;
  version: string;
  startedAt: string;
  /** The first address that it listens on, with the base path and without a slash at the end. */
  address: string;
  /** URL of the dashboard for browsers, without `/dashboard`; null if it serves none. */
  dashboard: string | null;
  /** Its options as they are in effect, without secrets. */
  settings: Record<string, unknown>;
};

/** The servers of a shared database, the newest first; null without one. */
export async function readServers({ servers }: { servers: Servers | null }): Promise<RunningServer[] | null> {
  return servers && parseServers(await servers.list());
}

/** The servers of some facts, the newest first. */
export function parseServers(facts: readonly string[]): RunningServer[] {
  const servers = facts.map((text) => JSON.parse(text) as RunningServer);
  return servers.toSorted((one, other) => (one.startedAt < other.startedAt ? 1 : -1));
}

/** The newest server on the machine of that name, else the newest of all; null for none. */
export function nearestServer(servers: readonly RunningServer[], host: string): RunningServer | null {
  return servers.find((server) => server.host === host) ?? servers[0] ?? null;
}
