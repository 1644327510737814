import type { SourceOptions } from "./store.ts";

export type Sender = {
  /** Sends what waits after so many milliseconds, unless it is sent earlier. */
  later: (ms: number) => void;
  /** Sends what waits, once, within a time. */
  flush: (within: number) => Promise<void>;
};

/** Milliseconds until a batch is sent again. */
const RETRY = 10_000;
/** Milliseconds of a request. */
const REQUEST = 10_000;

/** Sends batches to an address until they are answered. `take` returns the body of the next one; undefined for none. */
export function createSender(
  { token, fetch: send = globalThis.fetch }: SourceOptions,
  address: string,
  take: () => string | undefined,
): Sender {
  /** The batch on its way, with a key under which it counts once, however often it is sent. */
  let batch: { key: string; body: string } | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let sending: Promise<void> | undefined;
  let ending = new AbortController();

  const next = () => {
    const body = take();
    return body === undefined ? undefined : { key: crypto.randomUUID(), body };
  };
  const isTaken = async ({ key, body }: NonNullable<typeof batch>): Promise<boolean> => {
    const headers = {
      "Content-Type": "application/json",
      Authorization: `Bearer ${token}`,
      "Idempotency-Key": key,
    };
    try {
      const signal = AbortSignal.any([ending.signal, AbortSignal.timeout(REQUEST)]);
      const answer = await send(address, { method: "POST", headers, body, redirect: "manual", signal });
      await answer.body?.cancel();
      return answer.status < 500 && answer.status !== 429;
    } catch {
      return false;
    }
  };
  const sendAll = async () => {
    batch ??= next();
    while (batch && (await isTaken(batch))) batch = next();
    if (batch) later(RETRY);
  };
  const sendWaiting = () => {
    clearTimeout(timer);
    timer = undefined;
    return (sending ??= sendAll().finally(() => (sending = undefined)));
  };
  const later = (ms: number) => void (timer ??= setTimeout(() => void sendWaiting(), ms));

  return {
    later,
    async flush(within) {
      const late = setTimeout(() => ending.abort(), within);
      await sendWaiting();
      clearTimeout(late);
      ending = new AbortController();
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
