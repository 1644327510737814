import type { Finding } from "../../../src/maintenance/finding.ts";
import type { SendingForm } from "../../../src/store/sqlite/inspect.ts";
import type { ServeConfig } from "../../serve/config.ts";
import { env } from "../../session/env.ts";
import { checkDatabase } from "./database.ts";
import { checkDirectory } from "./directory.ts";
import { checkDisks } from "./disk.ts";
import { checkClock, checkOpenFiles, checkRuntime } from "./machine.ts";
import { checkOutgoing } from "./outgoing.ts";
import { checkAddresses, checkForwarded, checkServer } from "./server.ts";

/** Everything that doctor checks of a data directory and of a server with that configuration. */
export async function checkAll(data: string, serve: ServeConfig): Promise<Finding[]> {
  const { usable, findings } = checkDirectory(data);
  let newest = 0;
  let sending: SendingForm[] = [];
  if (usable) {
    const database = checkDatabase(data);
    ({ newest, sending } = database);
    findings.push(...(await checkDisks(data)), ...database.findings);
  }
  findings.push(...checkOpenFiles(), checkClock(newest), checkRuntime(env));
  findings.push(...(await checkServer(serve, usable)), ...(await checkOutgoing(serve, sending)));
  return findings;
}

export type RunningChecks = {
  /** Whether the addresses of the server, its public URL and its mail server are contacted: up to 5 seconds each. */
  connects: boolean;
  /** Requests with an `X-Forwarded-For` that no trusted proxy sent. */
  forwardedIgnored: number;
};

/** What doctor checks, by the server itself: without what takes long or writes to the disk. */
export async function checkRunning(
  config: ServeConfig,
  { connects, forwardedIgnored }: RunningChecks,
): Promise<Finding[]> {
  const { data, trustedProxies } = config;
  const { usable, findings } = checkDirectory(data);
  const database = usable
    ? checkDatabase(data, { isServed: true })
    : { newest: 0, sending: [], findings: [] };
  return [
    ...findings,
    ...(usable ? await checkDisks(data, { isServed: true }) : []),
    ...database.findings,
    ...checkOpenFiles(),
    checkClock(database.newest),
    checkRuntime(env),
    ...(connects
      ? await checkAddresses(config, true, async () => forwardedIgnored)
      : [checkForwarded(trustedProxies, forwardedIgnored)]),
    ...(await checkOutgoing(config, database.sending, { connects })),
  ];
}
