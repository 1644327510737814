import { clock } from "../../src/base/clock.ts";
import { type Tls, readTls } from "./listen.ts";
import type { Log } from "./log.ts";
import type { Renewal } from "./renewal.ts";

/** Reads the certificate again on SIGHUP; one that cannot be used leaves the old one in use. */
export function onHangup(files: Tls, renewals: Renewal[], log: Log): void {
  const renew = async () => {
    const tls = await readTls(files);
    for (const renewal of renewals) await renewal.renew(tls);
    log.line("info", "reloaded the certificate");
  };
  let renewed = Promise.resolve();
  // One after another, so that the files read last count.
  process.on("SIGHUP", () => void (renewed = renewed.then(renew).catch(log.error)));
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
