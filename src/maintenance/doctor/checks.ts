import { clock } from "../../base/clock.ts";
import { AppError } from "../../base/errors.ts";
import { type Finding, problem } from "../finding.ts";
import type { SendingForm } from "../../store/sqlite/inspect.ts";
import type { SharedStorage, Storage } from "../../storage.ts";
import { checkBackups } from "./backups.ts";
import { checkDatabase } from "./database.ts";
import { checkDirectory } from "./directory.ts";
import { checkDisks } from "./disk.ts";
import { checkClock, checkOpenFiles, checkRuntime, checkThreads } from "./machine.ts";
import { checkOutgoing } from "./outgoing.ts";
import { checkAddresses, checkForwarded, checkReached, checkServer } from "./server.ts";
import type { Server, Surroundings } from "./surroundings.ts";

/** Everything that doctor checks of data and of a server with that configuration. */
export async function checkAll(storage: Storage, serve: Server, by: Surroundings): Promise<Finding[]> {
  const { newest, sending, usable, findings } =
    storage.shared === null
      ? await checkData(storage.data, false, by)
      : await checkSharedStorage(storage.data, storage.shared, true, by);
  return [
    ...findings,
    ...checkOpenFiles(),
    checkClock(newest),
    checkRuntime(by.env),
    checkThreads(by.threads()),
    ...(storage.shared === null ? await checkServer(serve, usable, by) : await checkReached(serve, null, by)),
    ...(await checkOutgoing(serve, sending, true, by)),
    checkBackups(by.backups, clock.now(), by.option),
  ];
}

/** Results of the checks of the data. */
type Checked = { newest: number; sending: SendingForm[]; usable: boolean; findings: Finding[] };

async function checkData(data: string, isServed: boolean, by: Surroundings): Promise<Checked> {
  const { usable, findings } = checkDirectory(data, by);
  if (usable) findings.push(...checkMoved(data, by));
  if (!usable) return { newest: 0, sending: [], usable, findings };
  const database = checkDatabase(data, isServed, by);
  const disks = await checkDisks(data, { isServed });
  return { ...database, usable, findings: [...findings, ...disks, ...database.findings] };
}

/** Data that was moved, which no server uses any more. */
function checkMoved(data: string, { refuseMoved }: Surroundings): Finding[] {
  try {
    refuseMoved(data);
    return [];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return [problem("moved", error.message, error.hint ?? "see moved.json")];
  }
}

/** With `connects`, an object is stored in the bucket and removed again. */
async function checkSharedStorage(
  data: string,
  shared: SharedStorage,
  connects: boolean,
  by: Surroundings,
): Promise<Checked> {
  const { checkShared } = await import("./shared.ts");
  return { ...(await checkShared(data, shared, connects, by)), usable: true };
}

export type RunningChecks = {
  /** Whether the addresses of the server, its public URL and its mail server are contacted: up to 5 seconds each. */
  connects: boolean;
  /** Requests with an `X-Forwarded-For` that no trusted proxy sent. */
  forwardedIgnored: number;
};

/** The checks that a running server makes of itself: none that are slow or write to the disk. */
export async function checkRunning(
  config: Server,
  { data, shared }: Storage,
  { connects, forwardedIgnored }: RunningChecks,
  by: Surroundings,
): Promise<Finding[]> {
  const { newest, sending, findings } =
    shared === null ? await checkData(data, true, by) : await checkSharedStorage(data, shared, connects, by);
  return [
    ...findings,
    ...checkOpenFiles(),
    checkClock(newest),
    checkRuntime(by.env),
    checkThreads(by.threads()),
    ...(connects
      ? await checkAddresses(config, true, async () => forwardedIgnored, by)
      : [checkForwarded(config.trustedProxies, forwardedIgnored, by)]),
    ...(await checkOutgoing(config, sending, connects, by)),
    checkBackups(by.backups, clock.now(), by.option),
  ];
}
