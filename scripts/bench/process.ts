import { readFileSync, readdirSync } from "node:fs";
import { availableParallelism } from "node:os";

/**
 * A server under test: pinned to the first core if there are two, so that the load generator does not compete with
 * it.
 */
export type Server = {
  url: string;
  /** Seconds of CPU used so far, in user and kernel. */
  cpu: () => number;
  /** Milliseconds of CPU of the threads that run, for less time than the ticks of `cpu`. */
  cpuOfThreads: () => number;
  /** Bytes of memory: now, and the peak so far. */
  memory: () => { now: number; peak: number };
  pid: number;
  stop: () => Promise<void>;
};

const isLinux = process.platform === "linux";
const canPin = isLinux && availableParallelism() > 1 && Bun.which("taskset") !== null;

/** A command line on the core of servers (0) or of load (1). */
export function pinned(core: 0 | 1, command: string[]): string[] {
  return canPin ? ["taskset", "-c", String(core), ...command] : command;
}

/** Starts a command that listens on the port and waits until it answers. */
export async function startServer(
  command: string[],
  port: number,
  path = "/",
  { env = {}, core = 0 }: { env?: Record<string, string>; core?: 0 | 1 } = {},
): Promise<Server> {
  const child = Bun.spawn(pinned(core, command), {
    env: { ...process.env, ...env },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "ignore",
  });
  const url = `http://127.0.0.1:${port}`;
  for (const deadline = Date.now() + 10_000; ;) {
    try {
      await fetch(url + path);
      break;
    } catch (error) {
      if (Date.now() > deadline) throw new Error(`${command.join(" ")} does not answer`, { cause: error });
      await Bun.sleep(1);
    }
  }
  return {
    url,
    pid: child.pid,
    cpu: () => cpuOf(child.pid),
    cpuOfThreads: () => cpuOfThreads(child.pid),
    memory: () => ({ now: statusOf(child.pid, "VmRSS"), peak: statusOf(child.pid, "VmHWM") }),
    async stop() {
      child.kill("SIGTERM");
      await child.exited;
    },
  };
}

/** A port that was free a moment ago. */
export function freePort(): number {
  const probe = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  probe.stop();
  return probe.port;
}

/** Fields 14 and 15 of /proc/PID/stat, in ticks of 10 ms (proc_pid_stat(5)). */
function cpuOf(pid: number): number {
  if (!isLinux) return 0;
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** The first field of /proc/PID/task/TID/schedstat, in nanoseconds. */
function cpuOfThreads(pid: number): number {
  if (!isLinux) return 0;
  const tasks = readdirSync(`/proc/${pid}/task`);
  const times = tasks.map((task) =>
    Number.parseInt(readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8"), 10),
  );
  return times.reduce((sum, each) => sum + each, 0) / 1e6;
}

function statusOf(pid: number, field: string): number {
  if (!isLinux) return 0;
  const line = new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Number(line?.[1] ?? 0) * 1024;
}
