import { clock } from "../../base/clock.ts";
import { existsSync, readFileSync } from "node:fs";
import { type Finding, ok, problem, warning } from "../finding.ts";

const FEW_FILES = 1024;

/** How many files and connections this process, and so a server started the same way, may have open. */
export function checkOpenFiles(): Finding[] {
  const file = "/proc/self/limits";
  const line = existsSync(file) ? /^Max open files\s+(\d+)/m.exec(readFileSync(file, "utf8")) : null;
  if (!line) return [];
  const [check, message] = ["open files", `at most ${line[1]} files and connections`];
  if (Number(line[1]) >= FEW_FILES) return [ok(check, message)];
  return [warning(check, message, `raise it: ulimit -n ${FEW_FILES * 8}, or LimitNOFILE= of the service`)];
}

export function checkClock(newest: number): Finding {
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
export function checkThreads(threads: number): Finding {
  return ok("threads", threads === 1 ? "one thread serves" : `${threads} threads serve`);
}

/** Checks for variables that change how the runtime inside the executable behaves. */
export function checkRuntime(env: Record<string, string | undefined>): Finding {
  const set = ["BUN_OPTIONS", "BUN_BE_BUN"].filter((name) => env[name] !== undefined);
  if (set.length === 0) return ok("environment", "nothing changes how the executable runs");
  const names = set.join(" and ");
  return warning("environment", `${names} changes how the executable runs`, `unset ${set.join(" ")}`);
}
