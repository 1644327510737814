import { clock } from "../../base/clock.ts";
import { AppError } from "../../base/errors.ts";
import { type Relay, SILENCE } from "./relay.ts";
import type { Spool } from "./spool.ts";

/**
 * Connections to the source. `heard` is called with the size of each part of a line. Both throw `unauthenticated` or
 * `forbidden` once it refuses the token.
 */
export type Source = {
  lines: (signal: AbortSignal, heard: (size: number) => void) => AsyncGenerator<string>;
  /** Sends a batch. Throws `invalid` or `too_large` for one that it never takes. */
  send: (body: string, signal: AbortSignal) => Promise<void>;
};

type Log = { report: (error: unknown) => void; note: (text: string) => void };

/** The first and the longest wait between two connections, in milliseconds. */
const WAITS = { first: 1000, last: 30_000 } as const;
/** Milliseconds between two batches, where there is something to send. */
const BATCH_INTERVAL = 1000;
const CHECK_INTERVAL = 1000;
/** Size of the parts of a line that count as a sign of life: a source that trickles is silent. */
const PART = 1000;
/** Milliseconds in which a change has to be complete. */
const LONGEST_CHANGE = 3_600_000;

const REFUSALS: ReadonlySet<string> = new Set(["unauthenticated", "forbidden"]);
const NEVER_TAKEN: ReadonlySet<string> = new Set(["invalid", "too_large"]);

function hasCode(error: unknown, codes: ReadonlySet<string>): error is AppError {
  return error instanceof AppError && codes.has(error.code);
}

/**
 * Follows the source over one stream until `stop`, and sends it the lines of the spool. The last state is kept while the
 * source is away, and forgotten once it refuses the token. `name` is that of the source in the log.
 */
export function startLink(
  relay: Relay,
  spool: Spool,
  source: Source,
  name: string,
  log: Log,
): { stop: (grace: number) => Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const pause = async (ms: number) => {
    if (signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = () => resolve();
    const timer = clock.after(ms, wake);
    signal.addEventListener("abort", wake);
    await promise;
    timer.close();
    signal.removeEventListener("abort", wake);
  };
  const send = (until: AbortSignal) => sendAll(spool, source, until, log.report).catch(() => {});
  const sending = async () => {
    while (!signal.aborted) {
      await pause(BATCH_INTERVAL);
      if (relay.isUp && spool.size > 0) await send(signal);
    }
  };
  const loops = [follow(relay, source, name, log, { signal, pause }), sending()];
  return {
    async stop(grace) {
      stopping.abort();
      await Promise.all(loops);
      await send(AbortSignal.timeout(grace));
    },
  };
}

/** Follows the source again and again, with longer waits while that fails. */
async function follow(
  relay: Relay,
  source: Source,
  name: string,
  { report, note }: Log,
  { signal, pause }: { signal: AbortSignal; pause: (ms: number) => Promise<void> },
): Promise<void> {
  let wait: number = WAITS.first;
  let problem = "";
  const begun = () => {
    wait = WAITS.first;
    problem = "";
    note(`follows ${name}`);
  };
  const lose = async (error: unknown) => {
    relay.lose();
    if (hasCode(error, REFUSALS)) await relay.empty();
    const reason = error instanceof Error ? error.message : String(error);
    if (signal.aborted || reason === problem) return;
    problem = reason;
    report(new AppError("unavailable", `cannot follow ${name}: ${reason}`));
  };
  while (!signal.aborted) {
    await followOnce(relay, source, signal, begun).catch(lose);
    // Chance, so that the servers that lost a source do not come back to it together.
    await pause(wait * (0.5 + clock.fraction() / 2));
    wait = Math.min(wait * 2, WAITS.last);
  }
}

/** Follows the source until its stream ends or is silent, which is thrown. `begun` is called with its first moment. */
async function followOnce(
  relay: Relay,
  source: Source,
  stopped: AbortSignal,
  begun: () => void,
): Promise<never> {
  const aborting = new AbortController();
  const openedAt = clock.steady();
  let [heardAt, momentAt, size] = [openedAt, openedAt, 0];
  const heard = (more: number) => {
    size += more;
    if (size < PART) return;
    size = 0;
    heardAt = clock.steady();
  };
  const check = clock.every(CHECK_INTERVAL, () => {
    // A long change may take its time on a slow connection.
    if (relay.isSilent(openedAt)) relay.lose();
    if (clock.steady() - heardAt > SILENCE) aborting.abort(new Error("it is silent"));
    if (clock.steady() - momentAt > LONGEST_CHANGE) aborting.abort(new Error("it completes no change"));
  });
  try {
    relay.begin();
    let isUp = false;
    for await (const line of source.lines(AbortSignal.any([stopped, aborting.signal]), heard)) {
      if (line.startsWith('{"ended"'))
        throw new AppError("unauthenticated", (JSON.parse(line) as { ended: string }).ended);
      heard(PART);
      if (!(await relay.take(line))) continue;
      momentAt = clock.steady();
      if (isUp) continue;
      isUp = true;
      begun();
    }
    throw new Error("it ended the stream");
  } finally {
    check.close();
    aborting.abort();
  }
}

/** Sends all that is in files which are not written to any more, the oldest first. */
async function sendAll(
  spool: Spool,
  source: Source,
  signal: AbortSignal,
  report: (error: unknown) => void,
): Promise<void> {
  await spool.turn();
  for (let batch = spool.next(); batch !== null; batch = spool.next()) {
    try {
      const body = await batch.read();
      if (body !== "") await source.send(body, signal);
    } catch (error) {
      if (!hasCode(error, NEVER_TAKEN)) throw error;
      report(new AppError("unavailable", `the source refuses ${batch.file}: ${error.message}`));
      await batch.refuse();
      continue;
    }
    await batch.remove();
  }
}
