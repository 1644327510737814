import { HOUR_MS } from "../base/days.ts";

/** Writes a line about a subject, unless it wrote one within the last hour. The subjects have to be few. */
export type Hourly = (subject: string, text: string) => void;

/** Lines that strangers can cause, at most hourly for each subject, so that they cannot fill a disk. */
export function createHourly(now: () => number, warn: ((text: string) => void) | undefined): Hourly {
  const written = new Map<string, number>();
  return (subject, text) => {
    const at = now();
    // The clock may have been set back.
    if (Math.abs(at - (written.get(subject) ?? -Infinity)) < HOUR_MS) return;
    written.set(subject, at);
    warn?.(text);
  };
}
