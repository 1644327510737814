import type { App } from "../app.ts";
import { AppError } from "../errors.ts";
import { MAX_STREAMS, MAX_STREAMS_OF_CLIENT } from "../limits.ts";
import type { EnvironmentKeys } from "../store.ts";
import { isoTime } from "../time.ts";
import type { createFlagSets, FlagSet } from "./ofrep-flags.ts";
import { EVENTS_PATH } from "./paths.ts";
import { createGuard } from "./rate-limit.ts";

/** Tells readers that flags have changed, so that they evaluate again: server-sent events. */
export type FlagEvents = {
  /** Where the events of an environment are, as an answer says it to its reader. */
  streamsOf: (keys: EnvironmentKeys) => unknown[];
  /** A stream of events. Throws `unauthenticated` for a ticket that is none, `rate_limited`, `unavailable`. */
  open: (ticket: string, client: string) => Promise<ReadableStream<Uint8Array>>;
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

type Controller = ReadableStreamDefaultController<Uint8Array>;
/** Who listens to an environment, and what they were told last. */
type Listeners = { keys: EnvironmentKeys; streams: Set<Controller>; revision: number; toldAt: number };

export function createFlagEvents(
  app: App,
  findFlags: ReturnType<typeof createFlagSets>,
  basePath: string,
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

  const send = async (streams: Set<Controller>, bytes: Uint8Array) => {
    let sent = 0;
    for (const stream of streams) {
      // A reader that takes nothing does not get more: it asks again, and is told at once.
      if ((stream.desiredSize ?? 0) < -MAX_BEHIND) end(streams, stream);
      else stream.enqueue(bytes);
      sent += 1;
      if (sent % AT_ONCE === 0) await new Promise(setImmediate);
    }
  };
  const end = (streams: Set<Controller>, stream: Controller) => {
    if (!streams.delete(stream)) return;
    open -= 1;
    stream.close();
  };
  const endAll = ({ streams }: Listeners) => {
    for (const stream of streams) end(streams, stream);
  };

  /** Tells those whose flags have changed, or of whom one has expired, since they were told last. */
  const look = async (now: number) => {
    for (const [ticket, each] of listeners) {
      const { projectKey, environmentKey } = each.keys;
      const flags = await findFlags(projectKey, environmentKey);
      if (!flags) {
        // The environment is gone, and whoever asks again is told so.
        endAll(each);
        listeners.delete(ticket);
        continue;
      }
      const hasExpired = flags.expiries.some((at) => at > each.toldAt && at <= now);
      if (flags.revision === each.revision && !hasExpired) continue;
      each.revision = flags.revision;
      each.toldAt = now;
      await send(each.streams, refetch(flags, now));
    }
  };
  const tick = async () => {
    if (isLooking) return;
    isLooking = true;
    try {
      const now = app.now();
      await look(now);
      if (now - beatAt < HEARTBEAT_EVERY) return;
      beatAt = now;
      for (const { streams } of listeners.values()) await send(streams, HEARTBEAT);
    } catch (error) {
      // A database that is locked now answers later.
      if (!(error instanceof AppError)) throw error;
    } finally {
      isLooking = false;
    }
  };

  const openStream = async (ticket: string, client: string) => {
    const keys = await tickets.find(ticket);
    const flags = keys && (await findFlags(keys.projectKey, keys.environmentKey));
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
      keys,
      streams: new Set<Controller>(),
      revision: flags.revision,
      toldAt: now,
    };
    listeners.set(ticket, each);
    open += 1;
    timer ??= setInterval(() => void tick(), LOOK_EVERY);
    let mine: Controller;
    return new ReadableStream<Uint8Array>({
      start(controller) {
        mine = controller;
        each.streams.add(controller);
        // At once: a reader that comes back may have missed a change.
        controller.enqueue(refetch(flags, now));
      },
      cancel() {
        leave();
        if (!each.streams.delete(mine)) return;
        open -= 1;
        if (each.streams.size === 0) listeners.delete(ticket);
        if (open > 0) return;
        clearInterval(timer);
        timer = undefined;
      },
    });
  };

  return {
    open: openStream,
    streamsOf(keys) {
      let streams = named.get(keys.environmentKey);
      if (!streams) {
        const requestUri = `${basePath}${EVENTS_PATH}?ticket=${tickets.of(keys)}`;
        streams = [{ type: "sse", endpoint: { requestUri }, inactivityDelaySec: INACTIVITY }];
        named.set(keys.environmentKey, streams);
      }
      return streams;
    },
    count: () => open,
    close() {
      clearInterval(timer);
      timer = undefined;
      for (const each of listeners.values()) endAll(each);
      listeners.clear();
    },
  };
}

function refetch({ revision }: FlagSet, now: number): Uint8Array {
  const data = { type: "refetchEvaluation", etag: `"${revision}"`, lastModified: isoTime(now) };
  return Buffer.from(`event: message\ndata: ${JSON.stringify(data)}\n\n`);
}

/**
 * A ticket stands in an address, since a browser sends no header with it. It is made of the two keys, which cannot be
 * made of it, so that it tells when flags change and nothing more, and lasts as long as they do.
 */
function createTickets({ store }: App) {
  const known = new Map<string, EnvironmentKeys>();
  let version = -1;
  const of = ({ projectKey, environmentKey }: EnvironmentKeys) =>
    new Bun.CryptoHasher("sha256", environmentKey)
      .update(`events ${projectKey}`)
      .digest("base64url")
      .slice(0, 32);
  return {
    of,
    async find(ticket: string): Promise<EnvironmentKeys | undefined> {
      const current = await store.version();
      if (!known.has(ticket) && current !== version) {
        known.clear();
        for (const { key: projectKey, environments } of await store.projects.list()) {
          for (const { key: environmentKey } of environments) {
            const keys = { projectKey, environmentKey };
            known.set(of(keys), keys);
          }
        }
        version = current;
      }
      return known.get(ticket);
    },
  };
}
