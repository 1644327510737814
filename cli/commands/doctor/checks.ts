import { AppError } from "../../../src/base/errors.ts";
import { type Finding, problem } from "../../../src/maintenance/finding.ts";
import type { SendingForm } from "../../../src/store/sqlite/inspect.ts";
import { refuseMoved } from "../../data/moved.ts";
import type { SharedStorage, Storage } from "../../data/storage.ts";
import type { ServeConfig } from "../../serve/config.ts";
import { env } from "../../session/env.ts";
import { checkDatabase } from "./database.ts";
import { checkDirectory } from "./directory.ts";
import { checkDisks } from "./disk.ts";
import { checkClock, checkOpenFiles, checkRuntime } from "./machine.ts";
import { checkOutgoing } from "./outgoing.ts";
import { checkAddresses, checkForwarded, checkReached, checkServer } from "./server.ts";

/** Everything that doctor checks of data and of a server with that configuration. */
export async function checkAll(storage: Storage, serve: ServeConfig): Promise<Finding[]> {
  const { newest, sending, usable, findings } =
    storage.shared === null
      ? await checkData(storage.data, false)
      : await checkSharedStorage(storage.data, storage.shared, { connects: true });
  return [
    ...findings,
    ...checkOpenFiles(),
    checkClock(newest),
    checkRuntime(env),
    ...(storage.shared === null ? await checkServer(serve, usable) : await checkReached(serve, null)),
    ...(await checkOutgoing(serve, sending)),
  ];
}

/** What doctor knows of the data. */
type Checked = { newest: number; sending: SendingForm[]; usable: boolean; findings: Finding[] };

async function checkData(data: string, isServed: boolean): Promise<Checked> {
  const { usable, findings } = checkDirectory(data);
  if (usable) findings.push(...checkMoved(data));
  if (!usable) return { newest: 0, sending: [], usable, findings };
  const database = checkDatabase(data, { isServed });
  const disks = await checkDisks(data, { isServed });
  return { ...database, usable, findings: [...findings, ...disks, ...database.findings] };
}

/** Data that was moved, which no server uses any more. */
function checkMoved(data: string): Finding[] {
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
  options: { connects: boolean },
): Promise<Checked> {
  const { checkShared } = await import("./shared.ts");
  return { ...(await checkShared(data, shared, options)), usable: true };
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
  { data, shared }: Storage,
  { connects, forwardedIgnored }: RunningChecks,
): Promise<Finding[]> {
  const { newest, sending, findings } =
    shared === null ? await checkData(data, true) : await checkSharedStorage(data, shared, { connects });
  return [
    ...findings,
    ...checkOpenFiles(),
    checkClock(newest),
    checkRuntime(env),
    ...(connects
      ? await checkAddresses(config, true, async () => forwardedIgnored)
      : [checkForwarded(config.trustedProxies, forwardedIgnored)]),
    ...(await checkOutgoing(config, sending, { connects })),
  ];
}
