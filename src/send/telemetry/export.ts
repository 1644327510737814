import { clock, type Timer } from "../../base/clock.ts";
import type { ServerAddress } from "./settings.ts";

/** Most items that wait, and that go into one request. */
const QUEUE = 2048;
const BATCH = 512;
/** Milliseconds after which what waits is sent, and after a failure. */
const EVERY_MS = 1000;
const RETRY_MS = 5000;
/** Milliseconds between two warnings. */
const WARN_MS = 60_000;

export type Export<Item> = {
  /** Queues an item, or drops it if too many wait. */
  add: (item: Item) => void;
  /** Sends what waits, until `deadline` on the steady clock. */
  close: (deadline: number) => Promise<void>;
};

/**
 * Sends items in batches, one request after the other, and drops what does not fit into the queue: a collector that is
 * down costs nothing but a warning a minute.
 */
export function createExport<Item>(
  name: string,
  address: ServerAddress,
  bodyOf: (items: readonly Item[]) => string,
  warn: (text: string) => void,
): Export<Item> {
  let waiting: Item[] = [];
  const losses = createLosses(name, warn);
  let sending: Promise<boolean> | null = null;
  let timer: Timer | null = null;
  let isClosed = false;

  /** Whether the next batch can be sent at once. */
  const sendOne = async (ms: number): Promise<boolean> => {
    const items = waiting.slice(0, BATCH);
    const failure = await post(address, bodyOf(items), ms);
    // A batch that is refused for its content would be refused again.
    if (failure === null || failure.isFinal) waiting = waiting.slice(items.length);
    if (failure !== null) losses.add(failure.isFinal ? items.length : 0, failure.text);
    return failure === null || failure.isFinal;
  };
  const schedule = (ms: number) => {
    if (isClosed) return;
    timer ??= clock
      .after(ms, () => {
        timer = null;
        void turn();
      })
      .unref();
  };
  const turn = async () => {
    if (sending !== null || waiting.length === 0) return;
    sending = sendOne(address.timeoutMs);
    const isDone = await sending;
    sending = null;
    if (waiting.length > 0) schedule(isDone ? 0 : RETRY_MS);
  };
  return {
    add(item) {
      if (waiting.length >= QUEUE) return losses.add(1);
      waiting.push(item);
      if (waiting.length >= BATCH && timer === null) void turn();
      else if (sending === null) schedule(EVERY_MS);
    },
    async close(deadline) {
      isClosed = true;
      timer?.close();
      await sending;
      for (let isDone = true; isDone && waiting.length > 0;) {
        const left = deadline - clock.steady();
        isDone = left > 0 && (await sendOne(Math.min(address.timeoutMs, left)));
      }
      losses.end(waiting.length);
    },
  };
}

/** Counts what is dropped, and warns of it. */
function createLosses(name: string, warn: (text: string) => void) {
  let dropped = 0;
  let why = "they come faster than the collector takes them";
  let warnedAt = -Infinity;
  const tell = () => {
    if (dropped === 0) return;
    warnedAt = clock.steady();
    warn(`${name} dropped: ${dropped}, since ${why}`);
    dropped = 0;
  };
  return {
    add(count: number, reason = why) {
      dropped += count;
      why = reason;
      if (clock.steady() - warnedAt >= WARN_MS) tell();
    },
    end(count: number) {
      dropped += count;
      tell();
    },
  };
}

/** Answers of a collector that is not ready (OTLP, "Retryable response codes"). */
const LATER: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Null if the collector took the body. */
async function post(
  { url, headers, isGzip }: ServerAddress,
  text: string,
  ms: number,
): Promise<{ text: string; isFinal: boolean } | null> {
  try {
    const answer = await fetch(url, {
      method: "POST",
      headers: {
        ...headers,
        "Content-Type": "application/json",
        ...(isGzip && { "Content-Encoding": "gzip" }),
      },
      body: isGzip ? Bun.gzipSync(text) : text,
      redirect: "error",
      signal: AbortSignal.timeout(ms),
    });
    await answer.body?.cancel();
    const { status } = answer;
    return answer.ok ? null : { text: `the collector answered ${status}`, isFinal: !LATER.has(status) };
  } catch (error) {
    const isSlow = error instanceof Error && error.name === "TimeoutError";
    const text = isSlow ? "the collector did not answer in time" : "the collector cannot be reached";
    return { text, isFinal: false };
  }
}
