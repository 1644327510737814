import { baseOf } from "./base.ts";
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
/** Milliseconds until a batch is sent again. */
const RETRY = 10_000;
/** Milliseconds of a request. */
const REQUEST = 10_000;
/** Events of a batch, and those that wait at most. */
const BATCH = 1000;
const MOST = 10_000;
/** The users and names that the server takes. */
const LONGEST = 1000;
const NAME = /^[A-Za-z0-9._-]{1,100}$/;

export function createTracker({ url, token, fetch: send = globalThis.fetch }: SourceOptions): Tracker {
  const address = `${baseOf(url)}/v1/events`;
  let waiting: ({ targetingKey: string } & ({ event: string } | { exposure: string; variant: string }))[] =
    [];
  const exposed = new Set<string>();
  /** The events that are on their way, with a key under which they count once, however often they are sent. */
  let batch: { key: string; body: string } | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let sending: Promise<void> | undefined;
  let ending = new AbortController();

  const sendBatch = async (): Promise<boolean> => {
    const { key, body } = (batch ??= {
      key: crypto.randomUUID(),
      body: JSON.stringify({ events: waiting.splice(0, BATCH) }),
    });
    const headers = {
      "Content-Type": "application/json",
      Authorization: `Bearer ${token}`,
      "Idempotency-Key": key,
    };
    try {
      const signal = AbortSignal.any([ending.signal, AbortSignal.timeout(REQUEST)]);
      const answer = await send(address, { method: "POST", headers, body, redirect: "manual", signal });
      await answer.body?.cancel();
      if (answer.status >= 500 || answer.status === 429) return false;
    } catch {
      return false;
    }
    batch = undefined;
    return true;
  };
  const sendAll = async () => {
    let isSent = true;
    do isSent = await sendBatch();
    while (isSent && waiting.length > 0);
    if (!isSent) later(RETRY);
  };
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (!batch && waiting.length === 0) return undefined;
    return (sending ??= sendAll().finally(() => (sending = undefined)));
  };
  const later = (ms: number) => void (timer ??= setTimeout(() => void flush(), ms));

  const add = (entry: (typeof waiting)[number]) => {
    if (waiting.length >= MOST || entry.targetingKey.length > LONGEST) return;
    waiting.push(entry);
    later(COLLECTED);
  };

  return {
    flush: async (within) => {
      const late = setTimeout(() => ending.abort(), within);
      await flush();
      clearTimeout(late);
      ending = new AbortController();
      clearTimeout(timer);
      timer = undefined;
    },
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
