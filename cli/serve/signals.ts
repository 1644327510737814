import { closeSync, openSync, readFileSync } from "node:fs";
import { clock } from "../../src/base/clock.ts";
import type { Log } from "./log.ts";

/**
 * Reloads the certificate on SIGHUP; null reloads nothing. An error leaves the old one in use. A closed terminal sends SIGHUP
 * too: it stops the server as SIGTERM does, except under nohup. `hasScreen`: whether the log goes to a terminal.
 */
export function onHangup(reload: (() => Promise<void>) | null, log: Log, hasScreen: boolean): void {
  const isIgnored = process.platform === "linux" ? ignoresHangups() : !hasScreen;
  if (reload === null && (isIgnored || process.platform === "win32")) return;
  let renewed = Promise.resolve();
  let endsWithTerminal = !isIgnored && hasTerminal();
  process.on("SIGHUP", () => {
    if (endsWithTerminal && !hasTerminal()) {
      // The kernel and the shell both send one.
      endsWithTerminal = false;
      log.line("info", "the terminal was closed");
      process.kill(process.pid, "SIGTERM");
    } else if (reload === null) {
      log.line("warn", "SIGHUP reloads a certificate, and this server has none");
    } else {
      // One after another, so that the files read last count.
      renewed = renewed.then(reload).catch(log.error);
    }
  });
}

/** Whether the process was started with SIGHUP ignored, as by nohup. */
function ignoresHangups(): boolean {
  const [, mask] = /^SigIgn:\s*(\w+)/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
  return mask !== undefined && (BigInt(`0x${mask}`) & 1n) === 1n;
}

/** Whether the process has a terminal that signals come from. */
function hasTerminal(): boolean {
  try {
    closeSync(openSync("/dev/tty", "r"));
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns a function that waits for a signal to stop, or with `ms` for no longer than that, and returns its name. A signal
 * ends the process at once if no call waits for it.
 */
export function stopSignals(): (ms?: number) => Promise<string | undefined> {
  let take: ((signal?: string) => void) | undefined;
  for (const [signal, code] of [
    ["SIGTERM", 143],
    ["SIGINT", 130],
  ] as const)
    process.on(signal, () => (take ? take(signal) : process.exit(code)));
  return (ms) =>
    new Promise((resolve) => {
      const timer = ms === undefined ? undefined : clock.after(ms, () => take?.());
      take = (signal) => {
        timer?.close();
        take = undefined;
        resolve(signal);
      };
    });
}

/**
 * Ends the process after so many milliseconds, whatever it still waits for: a disk or a database that does not answer. What
 * was confirmed is stored.
 */
export function endAfter(ms: number, log: Log): void {
  const end = () => {
    log.line("warn", `not everything closed within ${ms / 1000} s: the process ends without it`);
    log.flush();
    process.exit(1);
  };
  clock.after(ms, end).unref();
}
