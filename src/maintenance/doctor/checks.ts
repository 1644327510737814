import { clock } from "../../base/clock.ts";
import { AppError } from "../../base/errors.ts";
import { type Finding, ok, problem, warning } from "../finding.ts";
import type { SendingForm } from "../../store/sqlite/inspect.ts";
import type { SharedStorage, Storage } from "../../storage.ts";
import { checkDatabase } from "./database.ts";
import { checkDirectory } from "./directory.ts";
import { checkDomain } from "./domain.ts";
import { checkDisks } from "./disk.ts";
import { checkOutgoing } from "./outgoing.ts";
import { checkAddresses, checkForwarded, checkReached, checkServer } from "./server.ts";
import type { Server, Surroundings } from "./surroundings.ts";
import { checkBackups, checkBucket } from "./backups.ts";
import { existsSync, readFileSync } from "node:fs";

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
    ...(await checkDomain(by, clock.now(), true)),
    ...(await checkOutgoing(serve, sending, true, by)),
    ...checkBackups(by.backups, clock.now(), by.option),
    ...(await checkBucket(by)),
  ];
}

/** Results of the checks of the data. */
type Checked = { newest: number; sending: SendingForm[]; usable: boolean; findings: Finding[] };

async function checkData(data: string, isServed: boolean, by: Surroundings): Promise<Checked> {
  const { usable, findings } = checkDirectory(data, by);
  if (!usable) return { newest: 0, sending: [], usable, findings };
  findings.push(...refusal("moved", () => by.refuseMoved(data), "see moved.json"));
  const incomplete = refusal("database", () => by.refuseIncomplete(data), "restore it from a backup");
  const database =
    incomplete.length > 0
      ? { newest: 0, sending: [], findings: incomplete }
      : checkDatabase(data, isServed, by);
  const disks = await checkDisks(data, { isServed });
  return { ...database, usable, findings: [...findings, ...disks, ...database.findings] };
}

/** The finding for data that a server refuses to open, by what `refuse` throws. */
function refusal(check: string, refuse: () => void, hint: string): Finding[] {
  try {
    refuse();
    return [];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return [problem(check, error.message, error.hint ?? hint)];
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
    ...(await checkDomain(by, clock.now(), connects)),
    ...(await checkOutgoing(config, sending, connects, by)),
    ...checkBackups(by.backups, clock.now(), by.option),
    ...(connects ? await checkBucket(by) : []),
  ];
}

const FEW_FILES = 1024;

/** How many files and connections this process, and so a server started the same way, may have open. */
function checkOpenFiles(): Finding[] {
  const file = "/proc/self/limits";
  const line = existsSync(file) ? /^Max open files\s+(\d+)/m.exec(readFileSync(file, "utf8")) : null;
  if (!line) return [];
  const [check, message] = ["open files", `at most ${line[1]} files and connections`];
  if (Number(line[1]) >= FEW_FILES) return [ok(check, message)];
  return [warning(check, message, `raise it: ulimit -n ${FEW_FILES * 8}, or LimitNOFILE= of the service`)];
}

function checkClock(newest: number): Finding {
  const isSynchronised = existsSync("/run/systemd/timesync/synchronized");
  return clockFinding(clock.now(), newest, isSynchronised);
}

/** Clocks of a file server and of a machine may differ by so much, in milliseconds. */
const TOLERANCE = 60_000;

/** Times in milliseconds; `newest` is when something was last stored. */
export function clockFinding(now: number, newest: number, isSynchronised: boolean): Finding {
  const check = "clock";
  const time = new Date(now).toISOString();
  const hint = "set it, and let it be set from the network: timedatectl set-ntp true";
  const year = new Date(now).getUTCFullYear();
  if (year < 2025 || year > 2100) return problem(check, `it is set to ${time}`, hint);
  if (now + TOLERANCE < newest) {
    const stored = new Date(newest).toISOString();
    return warning(check, `it is set to ${time}, but something was stored at ${stored}`, hint);
  }
  return ok(
    check,
    `${time}, ${isSynchronised ? "set from the network" : "not known whether set from the network"}`,
  );
}

/** How many threads of a server answer requests at the same time. */
function checkThreads(threads: number): Finding {
  return ok("threads", threads === 1 ? "one thread serves" : `${threads} threads serve`);
}

/** Checks for variables that change how the runtime inside the executable behaves. */
function checkRuntime(env: Record<string, string | undefined>): Finding {
  const set = ["BUN_OPTIONS", "BUN_BE_BUN"].filter((name) => env[name] !== undefined);
  if (set.length === 0) return ok("environment", "nothing changes how the executable runs");
  const names = set.join(" and ");
  return warning("environment", `${names} changes how the executable runs`, `unset ${set.join(" ")}`);
}
