import { readFileSync } from "node:fs";

/** Milliseconds that this thread has run. Where the kernel does not count them, those that the process has. */
function threadTime(): number {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  }
}

/**
 * Runs a work, and returns its result, how many turns other work of the event loop had meanwhile, and the most processor
 * time in milliseconds that passed between two of them.
 */
export async function turnsOf<T>(
  work: () => T | Promise<T>,
): Promise<{ result: T; turns: number; ms: number }> {
  let [turns, ms, isOver] = [0, 0, false];
  let last = threadTime();
  const measure = () => {
    const now = threadTime();
    ms = Math.max(ms, now - last);
    last = now;
  };
  const take = () => {
    measure();
    turns += 1;
    if (!isOver) setImmediate(take);
  };
  setImmediate(take);
  try {
    const result = await work();
    measure();
    return { result, turns, ms };
  } finally {
    isOver = true;
  }
}

/** A hundred milliseconds are promised: a machine whose caches others use takes several times as long. */
export const FAR_TOO_LONG_MS = 500;
