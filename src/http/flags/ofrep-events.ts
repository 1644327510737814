import { yieldToEventLoop } from "../../base/event-loop.ts";
import type { App } from "../../app.ts";
import { isoTime } from "../../base/clock.ts";
import { AppError } from "../../base/errors.ts";
import type { Client } from "../address.ts";
import type { Report } from "../errors.ts";
import { MAX_STREAMS, MAX_STREAMS_OF_CLIENT } from "../limits.ts";
import { EVENTS_PATH } from "../paths.ts";
import { createGuard } from "../rate-limit.ts";
import type { FlagSet, createFlagSets } from "./ofrep-flags.ts";
import { type Reader, createTickets } from "./ofrep-tickets.ts";

/** Tells readers that flags have changed, so that they evaluate again: server-sent events. */
export type FlagEvents = {
  /** Where the events of its environment are, as an answer says it to a reader. */
  streamsOf: (reader: Reader) => unknown[];
  /** A stream of events. Throws `unauthenticated` for a ticket that is none, `rate_limited`, `unavailable`. */
  open: (ticket: string, client: Client) => Promise<ReadableStream<Uint8Array>>;
  /** How many streams are open. */
  count: () => number;
  /** Ends every stream, so that the server can stop. */
  close: () => void;
};

/** How often changes are looked for while anybody listens, in milliseconds. */
const LOOK_EVERY = 100;
/** Proxies cut a connection that is silent for a minute; so do some phones. */
const HEARTBEAT_EVERY = 25_000;
/** How long a page that nobody sees goes on listening, in seconds. */
const INACTIVITY = 120;

/** Streams that are written to before others get their turn. */
const AT_ONCE = 200;
/** Events that wait for a reader before it is given up. */
const MAX_BEHIND = 100;

const HEARTBEAT = Buffer.from(":\n\n");

type Stream = { controller: ReadableStreamDefaultController<Uint8Array>; leave: () => void };
/** The streams of a ticket, and what was sent on them last. */
type Listeners = { reader: Reader; streams: Set<Stream>; revision: number; toldAt: number };

export function createFlagEvents(
  app: App,
  findFlags: ReturnType<typeof createFlagSets>,
  { basePath, report }: { basePath: string; report: Report },
): FlagEvents {
  const listeners = new Map<string, Listeners>();
  const tickets = createTickets(app);
  const guard = createGuard(app.now, { concurrent: MAX_STREAMS_OF_CLIENT, rate: null });
  /** By environment key, which is one of those there are. */
  const named = new Map<string, unknown[]>();
  let open = 0;
  let beatAt = 0;
  let timer: Timer | undefined;
  let isLooking = false;
  let isFailing = false;

  /** Gives the place of a stream back; false where that was done before. */
  const forget = (ticket: string, { streams }: Listeners, stream: Stream): boolean => {
    if (!streams.delete(stream)) return false;
    stream.leave();
    open -= 1;
    if (streams.size === 0) listeners.delete(ticket);
    if (open === 0) {
      clearInterval(timer);
      timer = undefined;
    }
    return true;
  };
  // The runtime calls `cancel` only where the reader ends a stream.
  const end = (ticket: string, each: Listeners, stream: Stream) => {
    if (forget(ticket, each, stream)) stream.controller.close();
  };
  const endAll = (ticket: string, each: Listeners) => {
    for (const stream of each.streams) end(ticket, each, stream);
  };
  const send = async (ticket: string, each: Listeners, bytes: Uint8Array) => {
    let sent = 0;
    for (const stream of each.streams) {
      // A reader that takes nothing does not get more: it asks again, and is told at once.
      if ((stream.controller.desiredSize ?? 0) < -MAX_BEHIND) end(ticket, each, stream);
      else stream.controller.enqueue(bytes);
      sent += 1;
      if (sent % AT_ONCE === 0) await yieldToEventLoop();
    }
  };

  /** Tells readers whose flags have changed, or of which one has expired, since they were told last. */
  const look = async (ticket: string, each: Listeners, now: number) => {
    const { projectKey, environmentKey } = each.reader.keys;
    const flags = (await tickets.isValid(each.reader)) && (await findFlags(projectKey, environmentKey));
    // A reader that asks again is told that the token or the environment is gone.
    if (!flags) return endAll(ticket, each);
    const hasExpired = flags.expiries.some((at) => at > each.toldAt && at <= now);
    if (flags.revision === each.revision && !hasExpired) return;
    each.revision = flags.revision;
    each.toldAt = now;
    await send(ticket, each, refetch(flags, now));
  };
  const tick = async () => {
    if (isLooking) return;
    isLooking = true;
    const now = app.now();
    const isBeat = now - beatAt >= HEARTBEAT_EVERY;
    if (isBeat) beatAt = now;
    let failure: unknown;
    for (const [ticket, each] of listeners) {
      try {
        if (isBeat) await send(ticket, each, HEARTBEAT);
        await look(ticket, each, now);
      } catch (error) {
        // A database that is locked now answers later.
        if (!(error instanceof AppError)) failure = error;
      }
    }
    // Once, and not ten times a second.
    if (failure !== undefined && !isFailing) report.error(failure);
    isFailing = failure !== undefined;
    isLooking = false;
  };

  const openStream = async (ticket: string, client: Client) => {
    const reader = await tickets.find(ticket);
    const flags = reader && (await findFlags(reader.keys.projectKey, reader.keys.environmentKey));
    if (!flags)
      throw new AppError(
        "unauthenticated",
        "there are no events at this address: evaluate flags to get another",
      );
    if (open >= MAX_STREAMS)
      throw new AppError("unavailable", "too many streams are open", { retryAfter: 60 });
    const leave = guard(client);
    const now = app.now();
    const each = listeners.get(ticket) ?? {
      reader,
      streams: new Set(),
      revision: flags.revision,
      toldAt: now,
    };
    listeners.set(ticket, each);
    open += 1;
    timer ??= setInterval(() => void tick(), LOOK_EVERY);
    let mine: Stream;
    return new ReadableStream<Uint8Array>({
      start(controller) {
        mine = { controller, leave };
        each.streams.add(mine);
        // At once: a reader that comes back may have missed a change.
        controller.enqueue(refetch(flags, now));
      },
      cancel: () => void forget(ticket, each, mine),
    });
  };

  return {
    open: openStream,
    streamsOf(reader) {
      const { environmentKey } = reader.keys;
      const known = reader.tokenHash === null ? named.get(environmentKey) : undefined;
      if (known) return known;
      const requestUri = `${basePath}${EVENTS_PATH}?ticket=${tickets.of(reader)}`;
      const streams = [{ type: "sse", endpoint: { requestUri }, inactivityDelaySec: INACTIVITY }];
      if (reader.tokenHash === null) named.set(environmentKey, streams);
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
  // A flag that expires makes an event of the same revision.
  return Buffer.from(`event: message\nid: ${revision}-${now}\ndata: ${JSON.stringify(data)}\n\n`);
}
