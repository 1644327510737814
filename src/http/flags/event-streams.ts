import type { App } from "../../app.ts";
import { isShared } from "../../base/changes.ts";
import { type Timer, clock } from "../../base/clock.ts";
import { AppError } from "../../base/errors.ts";
import { yieldToEventLoop } from "../../base/event-loop.ts";
import type { Client } from "../address.ts";
import type { Report } from "../errors.ts";
import { MAX_STREAMS, MAX_STREAMS_OF_CLIENT } from "../limits.ts";
import { type ThreadCounts, createGuard } from "../rate-limit.ts";
import { NO_SNIFF } from "../security.ts";

/** Streams of server-sent events in groups: the streams of a group get the same events. */
export type EventStreams<T> = {
  /** Opens a stream, in the group of the key, which begins in a state. Throws `rate_limited`, `unavailable`. */
  open: (key: string, state: T, first: Uint8Array, client: Client) => ReadableStream<Uint8Array>;
  /** How many streams are open. */
  count: () => number;
  /** Ends every stream, so that the server can stop. */
  close: () => void;
};

/**
 * The next event of a group, which the state remembers as sent; undefined for none, null for the end of its streams: the
 * error on the next connection says what is wrong.
 */
export type NextEvent<T> = (state: T, now: number) => Promise<Uint8Array | undefined | null>;

/** The headers of an answer with a stream. */
export const STREAM_HEADERS = {
  ...NO_SNIFF,
  "Content-Type": "text/event-stream",
  "Cache-Control": "no-store",
  "X-Accel-Buffering": "no",
} as const;

/** How often to check for changes while a stream is open, in milliseconds. */
const POLL_INTERVAL = 100;
/** In milliseconds: proxies and some phones cut a connection that is silent for a minute. */
const HEARTBEAT_INTERVAL = 25_000;

/** Streams that are written to before other work of the process runs. */
const AT_ONCE = 200;
/** Events that may wait for a reader before its stream is ended. */
const MAX_WAITING = 100;

/** The name of the places of streams, of all and of each client. */
const STREAMS = "streams";

const HEARTBEAT = Buffer.from(":\n\n");

type Stream = { controller: ReadableStreamDefaultController<Uint8Array>; leave: () => void };
type Group<T> = { streams: Set<Stream>; state: T };

export function createEventStreams<T>(
  app: App,
  { report, threads }: { report: Report; threads: ThreadCounts },
  next: NextEvent<T>,
): EventStreams<T> {
  const groups = new Map<string, Group<T>>();
  const guard = createGuard(app.now, { concurrent: MAX_STREAMS_OF_CLIENT, rate: null }, threads, STREAMS);
  /**
   * Milliseconds by which an event is held back: its reader may ask another server, which knows the change only once it
   * trusts no version read before.
   */
  const hold = isShared(app.store) ? app.store.staleness : 0;
  let open = 0;
  let beatAt = 0;
  let timer: Timer | undefined;
  let isPolling = false;
  let endWatch = () => {};
  let isFailing = false;

  /** Removes a stream and frees its place; false if that was done before. */
  const forget = (key: string, { streams }: Group<T>, stream: Stream): boolean => {
    if (!streams.delete(stream)) return false;
    stream.leave();
    open -= 1;
    threads?.places.leave(STREAMS);
    if (streams.size === 0) groups.delete(key);
    if (open === 0) {
      timer?.close();
      timer = undefined;
      endWatch();
    }
    return true;
  };
  // The runtime calls `cancel` only if the reader ends a stream.
  const end = (key: string, group: Group<T>, stream: Stream) => {
    if (forget(key, group, stream)) stream.controller.close();
  };
  const endAll = (key: string, group: Group<T>) => {
    for (const stream of group.streams) end(key, group, stream);
  };
  const send = async (key: string, group: Group<T>, bytes: Uint8Array) => {
    let sent = 0;
    for (const stream of group.streams) {
      // A reader that does not read loses its stream: it connects again, and gets an event at once.
      if ((stream.controller.desiredSize ?? 0) < -MAX_WAITING) end(key, group, stream);
      else stream.controller.enqueue(bytes);
      sent += 1;
      if (sent % AT_ONCE === 0) await yieldToEventLoop();
    }
  };
  const notify = async (key: string, group: Group<T>, now: number) => {
    const event = await next(group.state, now);
    if (event === undefined) return;
    if (event === null) endAll(key, group);
    else if (hold === 0) await send(key, group, event);
    else clock.after(hold, () => void send(key, group, event).catch(report.error));
  };
  const tick = async () => {
    if (isPolling) return;
    isPolling = true;
    const now = app.now();
    const isBeat = now - beatAt >= HEARTBEAT_INTERVAL;
    if (isBeat) beatAt = now;
    let failure: unknown;
    for (const [key, group] of groups) {
      try {
        if (isBeat) await send(key, group, HEARTBEAT);
        await notify(key, group, now);
      } catch (error) {
        // A locked database may answer at the next poll.
        if (!(error instanceof AppError)) failure = error;
      }
    }
    // Reported once, not at every poll.
    if (failure !== undefined && !isFailing) report.error(failure);
    isFailing = failure !== undefined;
    isPolling = false;
  };

  /** Throws `rate_limited`, and `unavailable` if too many streams are open. */
  const enter = (client: Client) => {
    const leave = guard(() => client);
    if (threads ? threads.places.enter(STREAMS, MAX_STREAMS) : open < MAX_STREAMS) return leave;
    leave();
    throw new AppError("unavailable", "too many streams are open", { retryAfter: 60 });
  };

  return {
    open(key, state, first, client) {
      const leave = enter(client);
      const group = groups.get(key) ?? { streams: new Set(), state };
      groups.set(key, group);
      open += 1;
      if (!timer) {
        timer = clock.every(POLL_INTERVAL, () => void tick());
        if (hold > 0) endWatch = app.watch.onChange(() => void tick());
      }
      let mine: Stream;
      return new ReadableStream<Uint8Array>({
        start(controller) {
          mine = { controller, leave };
          group.streams.add(mine);
          // A reader that connects again may have missed a change.
          const begin = () => void (group.streams.has(mine) && controller.enqueue(first));
          if (hold === 0) begin();
          else clock.after(hold, begin);
        },
        cancel: () => void forget(key, group, mine),
      });
    },
    count: () => open,
    close() {
      for (const [key, group] of groups) endAll(key, group);
    },
  };
}
