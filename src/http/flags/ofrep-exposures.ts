import type { App } from "../../app.ts";
import type { Subject } from "../../flags/flagd/evaluate.ts";
import type { Report } from "../errors.ts";
import type { FlagSet } from "./ofrep-flags.ts";
import type { Reader } from "./ofrep-tickets.ts";

/**
 * Notes that a user has seen the variant of a flag, if an experiment or a guard counts it and no condition holds; at once if
 * what counts is in memory.
 */
export function noteExposure(
  { measuring }: App,
  report: Report,
  exposure: { environmentKey: string; flag: string; variant: string },
  subject: Subject,
  { isInSplit }: FlagSet,
): void | Promise<void> {
  const { targetingKey } = subject;
  if (typeof targetingKey !== "string" || targetingKey === "") return undefined;
  const { environmentKey, flag } = exposure;
  const note = (measurement: number | null) => {
    if (measurement === null || !isInSplit(flag, subject)) return;
    measuring.note(measurement, { ...exposure, targetingKey });
  };
  const found = measuring.measurementOf(environmentKey, flag);
  return found instanceof Promise ? found.then(note, (error: unknown) => report.error(error)) : note(found);
}

/** Whether the variant of a flag is to be in an assignment: not of one that is counted, where a condition holds. */
export function mayCount(
  { measuring }: App,
  { keys: { environmentKey } }: Reader,
  flag: string,
  subject: Subject,
  { isInSplit }: FlagSet,
): boolean {
  const found = measuring.measurementOf(environmentKey, flag);
  return found instanceof Promise || found === null || isInSplit(flag, subject);
}
