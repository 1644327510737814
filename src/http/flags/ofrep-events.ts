import { yieldToEventLoop } from "../../base/event-loop.ts";
import type { FoundToken } from "../../access/store.ts";
import type { App } from "../../app.ts";
import { type Find, isShared } from "../../base/changes.ts";
import { type Timer, isoTime, clock } from "../../base/clock.ts";
import { AppError } from "../../base/errors.ts";
import type { Client } from "../address.ts";
import type { Report } from "../errors.ts";
import { MAX_STREAMS, MAX_STREAMS_OF_CLIENT } from "../limits.ts";
import { EVENTS_PATH } from "../paths.ts";
import { type ThreadCounts, createGuard } from "../rate-limit.ts";
import type { FlagSet, createFlagSets } from "./ofrep-flags.ts";
import { type Reader, createTickets } from "./ofrep-tickets.ts";

/** Server-sent events that make readers evaluate again after flags changed. */
export type FlagEvents = {
  /** The `eventStreams` of an answer to a reader: where the events of its environment are. */
  streamsOf: (reader: Reader) => unknown[];
  /** Opens a stream of events. Throws `unauthenticated` for an unknown ticket, `rate_limited`, `unavailable`. */
  open: (ticket: string, client: Client) => Promise<ReadableStream<Uint8Array>>;
  /** How many streams are open. */
  count: () => number;
  /** Ends every stream, so that the server can stop. */
  close: () => void;
};

/** How often to check for changes while a stream is open, in milliseconds. */
const POLL_INTERVAL = 100;
/** In milliseconds: proxies and some phones cut a connection that is silent for a minute. */
const HEARTBEAT_INTERVAL = 25_000;
/** How long a page in the background keeps its stream, in seconds. */
const INACTIVITY = 120;

/** Streams that are written to before other work of the process runs. */
const AT_ONCE = 200;
/** Events that may wait for a reader before its stream is ended. */
const MAX_WAITING = 100;

/** The name of the places of streams, of all and of each client. */
const STREAMS = "streams";

const HEARTBEAT = Buffer.from(":\n\n");

type Stream = { controller: ReadableStreamDefaultController<Uint8Array>; leave: () => void };
/** The streams of a ticket; `flags` and `sentAt` are those of the last event sent. */
type Listeners = { reader: Reader; streams: Set<Stream>; flags: FlagSet; sentAt: number };

export function createFlagEvents(
  app: App,
  findFlags: ReturnType<typeof createFlagSets>,
  findToken: Find<FoundToken>,
  { basePath, report, threads }: { basePath: string; report: Report; threads: ThreadCounts },
): FlagEvents {
  const listeners = new Map<string, Listeners>();
  const tickets = createTickets(app, findToken);
  const guard = createGuard(app.now, { concurrent: MAX_STREAMS_OF_CLIENT, rate: null }, threads, STREAMS);
  /** The `eventStreams` for readers with keys, by environment key; keys that select no environment are not added. */
  const byKey = new Map<string, unknown[]>();
  /**
   * Milliseconds by which an event is held back: its reader may evaluate at another server, which knows the change only once
   * it trusts no version read before.
   */
  const hold = isShared(app.store) ? app.store.staleness : 0;
  let open = 0;
  let beatAt = 0;
  let timer: Timer | undefined;
  let isPolling = false;
  let endWatch = () => {};
  let isFailing = false;

  /** Removes a stream and frees its place; false if that was done before. */
  const forget = (ticket: string, { streams }: Listeners, stream: Stream): boolean => {
    if (!streams.delete(stream)) return false;
    stream.leave();
    open -= 1;
    threads?.places.leave(STREAMS);
    if (streams.size === 0) listeners.delete(ticket);
    if (open === 0) {
      timer?.close();
      timer = undefined;
      endWatch();
    }
    return true;
  };
  // The runtime calls `cancel` only if the reader ends a stream.
  const end = (ticket: string, each: Listeners, stream: Stream) => {
    if (forget(ticket, each, stream)) stream.controller.close();
  };
  const endAll = (ticket: string, each: Listeners) => {
    for (const stream of each.streams) end(ticket, each, stream);
  };
  const send = async (ticket: string, each: Listeners, bytes: Uint8Array) => {
    let sent = 0;
    for (const stream of each.streams) {
      // A reader that does not read loses its stream: it connects again, and gets an event at once.
      if ((stream.controller.desiredSize ?? 0) < -MAX_WAITING) end(ticket, each, stream);
      else stream.controller.enqueue(bytes);
      sent += 1;
      if (sent % AT_ONCE === 0) await yieldToEventLoop();
    }
  };

  /** Sends an event to the readers of a ticket if their flags changed, or one expired, since the last event. */
  const notify = async (ticket: string, each: Listeners, now: number) => {
    const { projectKey, environmentKey } = each.reader.keys;
    const flags = (await tickets.isValid(each.reader)) && (await findFlags(projectKey, environmentKey));
    // The error on its next connection says that the token or the environment is gone.
    if (!flags) return endAll(ticket, each);
    const hasExpired = flags.expiries.some((at) => at > each.sentAt && at <= now);
    // Not by the revision: a database that went back to an earlier state may have it again for other flags.
    if (flags === each.flags && !hasExpired) return;
    each.flags = flags;
    each.sentAt = now;
    const event = refetch(flags, now);
    if (hold === 0) await send(ticket, each, event);
    else clock.after(hold, () => void send(ticket, each, event).catch(report.error));
  };
  const tick = async () => {
    if (isPolling) return;
    isPolling = true;
    const now = app.now();
    const isBeat = now - beatAt >= HEARTBEAT_INTERVAL;
    if (isBeat) beatAt = now;
    let failure: unknown;
    for (const [ticket, each] of listeners) {
      try {
        if (isBeat) await send(ticket, each, HEARTBEAT);
        await notify(ticket, each, now);
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

  const openStream = async (ticket: string, client: Client) => {
    const reader = await tickets.find(ticket);
    const flags = reader && (await findFlags(reader.keys.projectKey, reader.keys.environmentKey));
    if (!flags)
      throw new AppError(
        "unauthenticated",
        "there are no events at this address: evaluate flags to get a new one",
      );
    const leave = enter(client);
    const now = app.now();
    const each = listeners.get(ticket) ?? {
      reader,
      streams: new Set(),
      flags,
      sentAt: now,
    };
    listeners.set(ticket, each);
    open += 1;
    if (!timer) {
      timer = clock.every(POLL_INTERVAL, () => void tick());
      if (hold > 0) endWatch = app.watch.onChange(() => void tick());
    }
    let mine: Stream;
    return new ReadableStream<Uint8Array>({
      start(controller) {
        mine = { controller, leave };
        each.streams.add(mine);
        // A reader that connects again may have missed a change.
        const first = () => void (each.streams.has(mine) && controller.enqueue(refetch(flags, now)));
        if (hold === 0) first();
        else clock.after(hold, first);
      },
      cancel: () => void forget(ticket, each, mine),
    });
  };

  return {
    open: openStream,
    streamsOf(reader) {
      const { environmentKey } = reader.keys;
      const known = reader.tokenHash === null ? byKey.get(environmentKey) : undefined;
      if (known) return known;
      const requestUri = `${basePath}${EVENTS_PATH}?ticket=${tickets.of(reader)}`;
      const streams = [{ type: "sse", endpoint: { requestUri }, inactivityDelaySec: INACTIVITY }];
      if (reader.tokenHash === null) byKey.set(environmentKey, streams);
      return streams;
    },
    count: () => open,
    close() {
      for (const [ticket, each] of listeners) endAll(ticket, each);
    },
  };
}

function refetch({ revision }: FlagSet, now: number): Uint8Array {
  const data = { type: "refetchEvaluation", etag: `"${revision}"`, lastModified: isoTime(now) };
  // The time makes the id unique: an expiry is an event of the same revision.
  return Buffer.from(`event: message\nid: ${revision}-${now}\ndata: ${JSON.stringify(data)}\n\n`);
}
