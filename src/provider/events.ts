import { baseOf } from "./base.ts";
import { createSender } from "./sender.ts";
import type { SourceOptions } from "./store.ts";

/** Sends events and exposures of users, which experiments count, in batches. */
export type Tracker = {
  /** Notes that a user got a variant of a flag; once for each. */
  expose: (exposure: string, variant: string, targetingKey: string) => void;
  /** Notes an event of a user; one without a user is not counted. */
  track: (event: string, targetingKey: string | undefined) => void;
  /** Sends what waits, once, within a time. */
  flush: (within: number) => Promise<void>;
};

/** Milliseconds for which events are collected. */
const COLLECTED = 1000;
/** The most events of a batch, and of those waiting. */
const BATCH = 1000;
const MOST = 10_000;
/** The users and names that the server takes. */
const LONGEST = 1000;
const NAME = /^[A-Za-z0-9._-]{1,100}$/;

export function createTracker(options: SourceOptions): Tracker {
  const waiting: ({ targetingKey: string } & ({ event: string } | { exposure: string; variant: string }))[] =
    [];
  const exposed = new Set<string>();
  const { later, flush } = createSender(options, `${baseOf(options.url)}/v1/events`, () =>
    waiting.length === 0 ? undefined : JSON.stringify({ events: waiting.splice(0, BATCH) }),
  );

  const add = (entry: (typeof waiting)[number]) => {
    if (waiting.length >= MOST || entry.targetingKey.length > LONGEST) return;
    waiting.push(entry);
    later(COLLECTED);
  };

  return {
    flush,
    track(event, targetingKey) {
      if (NAME.test(event) && targetingKey) add({ event, targetingKey });
    },
    expose(exposure, variant, targetingKey) {
      const key = JSON.stringify([exposure, variant, targetingKey]);
      if (exposed.has(key)) return;
      if (exposed.size >= MOST) exposed.clear();
      exposed.add(key);
      add({ exposure, variant, targetingKey });
    },
  };
}
