import { existsSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { MAX_THREADS } from "../../../src/store/limits.ts";
import { usage } from "../../session/usage.ts";

/** The most that `auto` starts. */
const MOST_AUTO = 8;

/** The value of `--threads`. Throws `invalid`. */
export function threadsValue(text: string): number | "auto" {
  if (text === "auto") return text;
  const count = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= MAX_THREADS) return count;
  throw usage(
    `--threads ${text} is not a number of threads`,
    `it is a number from 1 to ${MAX_THREADS}, or auto`,
  );
}

/** Whether the kernel spreads connections over the sockets that share a port. */
const SPREADS = process.platform === "linux";

/** How many threads serve, on this machine or on so many cores. */
export function threadCount({ threads }: { threads: number | "auto" }, cores = usableCores()): number {
  if (!SPREADS) return 1;
  if (threads !== "auto") return threads;
  return cores <= 2 ? 1 : Math.min(Math.ceil(cores) - 1, MOST_AUTO);
}

/** Cores that this process may use: by its affinity, and by the quota of its container. */
export function usableCores(root = "/sys/fs/cgroup", groups = readText("/proc/self/cgroup")): number {
  return Math.min(availableParallelism(), quotaOf(root, groups));
}

/** The smallest quota of a control group and those above it, in cores; infinite without any. */
function quotaOf(root: string, groups: string): number {
  let least = Number.POSITIVE_INFINITY;
  for (const line of groups.split("\n")) {
    const [, controllers, path] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    if (path === undefined) continue;
    const isV1 = controllers !== "";
    if (isV1 && !controllers!.split(",").includes("cpu")) continue;
    const top = isV1 ? join(root, "cpu") : root;
    // A container sees its own group as the root, or the path of it as the machine has it.
    for (let group = path; ; group = dirname(group)) {
      least = Math.min(least, isV1 ? quotaOfV1(join(top, group)) : quotaOfV2(join(top, group)));
      if (group === "/" || group === ".") break;
    }
  }
  return least;
}

function quotaOfV1(group: string): number {
  const quota = Number(readText(join(group, "cpu.cfs_quota_us")) || -1);
  return quota > 0 ? quota / Number(readText(join(group, "cpu.cfs_period_us"))) : Number.POSITIVE_INFINITY;
}

function quotaOfV2(group: string): number {
  const [, quota, period] = /^(\d+) (\d+)/.exec(readText(join(group, "cpu.max"))) ?? [];
  return quota === undefined ? Number.POSITIVE_INFINITY : Number(quota) / Number(period);
}

/** Empty for a file that does not exist. */
function readText(file: string): string {
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}
