import type { Outgoing } from "../../../src/delivery/outgoing.ts";
import type { Process, Scheduler } from "./scheduler.ts";

/** What senders write to it, besides what anything else gets: spam to the check, and what it refuses. */
export const CHECKED_TEXTS = ["hello", "hello", "wager", "poison"];

type Said = "ok" | "spam" | "refuse" | "nothing";

/** What the check has answered, and that it reached its server in time, by the id of the submission. */
export type Verdicts = Map<string, Said[]>;

/** A check that hangs, lies and dies while receivers are not healthy. */
export function createCheck(scheduler: Scheduler, verdicts: Verdicts, isHealthy: () => boolean) {
  const { chance } = scheduler;
  return (process: Process): Outgoing["ask"] =>
    async ({ id, data }, timeout) => {
      const said = (what: Said) => verdicts.set(id, [...(verdicts.get(id) ?? []), what]);
      await scheduler.sleep(5 + chance.int(50), "check", process);
      const { text } = (JSON.parse(data) as { data: { text: string } }).data;
      const verdict = text === "poison" ? "refuse" : text === "wager" ? "spam" : "ok";
      switch (isHealthy() ? 9 : chance.int(8)) {
        case 0:
          said("nothing");
          await scheduler.sleep(timeout, "a check that hangs", process);
          return { error: "no answer" };
        case 1:
          said("nothing");
          return { error: "the connection failed" };
        case 2:
          said("nothing");
          return { answer: '{"verdict":"maybe"}' };
        case 3:
          await scheduler.sleep(chance.int(timeout), "a slow check", process);
      }
      said(verdict);
      return { answer: JSON.stringify({ verdict, reason: text }) };
    };
}
