import { hostname } from "node:os";
import type { App } from "../../src/app.ts";
import { startJobs } from "../../src/base/jobs.ts";
import type { RunningServer } from "../../src/maintenance/running-servers.ts";

/** Milliseconds between two notes in the database that a server runs. */
const EVERY = 60_000;

/**
 * Notes in a shared database that this server runs, for commands and other servers, until the returned function is called.
 */
export function startHeartbeat(
  { store: { servers }, now, random }: App,
  server: Omit<RunningServer, "host">,
  report: (error: unknown) => void,
): () => Promise<void> {
  if (servers === null) return async () => {};
  const id = Buffer.from(random(32)).toString("hex");
  const facts = JSON.stringify({ host: hostname(), ...server } satisfies RunningServer);
  const run = () => servers.note(id, facts);
  const jobs = startJobs([{ name: "heartbeat", every: EVERY, run }], now, report);
  return async () => {
    await jobs.stop();
    await servers.forget(id).catch(report);
  };
}
