import type { App } from "../../../src/app.ts";
import { createIdMemory, createIdSource, createSharedIdSource, endOfIds } from "../../../src/base/ids.ts";
import type { Io } from "../../output/terminal.ts";
import type { OpenApp } from "../../data/parts.ts";
import type { Notes } from "../../../src/experiments/measuring.ts";
import type { Storage } from "../../../src/storage.ts";
import type { ServeConfig } from "../config.ts";
import { type Listener, RETIREMENT, type Tls } from "../listen.ts";
import type { Log } from "../log.ts";
import type { Renewal } from "../renewal.ts";
import type { Place } from "../services.ts";
import type { ServerMemory } from "./memory.ts";
import type { Threads } from "./threads.ts";

/** The threads beside the main thread of a server that has no others. */
export const NO_THREADS: Threads = {
  listening: Promise.resolve(),
  values: async () => [],
  socketsAt: () => [],
  retire: () => {},
  stop: async () => {},
  end: async () => {},
};

/** Makes submission ids, for all threads of a server together. Returns the memory that the others need; null for one thread. */
export async function shareIds(app: App, log: Log, isShared: boolean): Promise<SharedArrayBuffer | null> {
  const newest = await newestId(app, log);
  if (!isShared) {
    app.nextId = createIdSource(app.random, app.now, newest);
    return null;
  }
  const ids = createIdMemory(app.now(), newest);
  app.nextId = createSharedIdSource(app.random, app.now, ids);
  return ids;
}

type Started = {
  count: number;
  config: ServeConfig;
  storage: Storage;
  memory: ServerMemory;
  ids: SharedArrayBuffer;
  linkSecret: string;
  tls: Tls | null;
  errIsTerminal: boolean;
};

/** The main thread as the others use it. */
type Main = {
  places: Place[];
  listeners: Listener[];
  io: Io;
  log: Log;
  wakeOutbox: () => void;
  measuring: Notes;
};

/** Starts the other threads of a server at the addresses of its main thread. */
export async function startOthers(
  app: OpenApp,
  { count, ...rest }: Started,
  { places, listeners, io, log, wakeOutbox, measuring }: Main,
): Promise<Threads> {
  const { startThreads } = await import("./threads.ts");
  const addresses = places.map(({ address, isShared }, index) =>
    isShared ? { hostname: address.hostname, port: listeners[index]!.port } : null,
  );
  const starts = Array.from({ length: count - 1 }, () => ({ ...rest, addresses, link: app.join!() }));
  return startThreads(starts, {
    answer: (place, request, peer) => places[place]!.site.fetch(request, peer),
    write: (text, isNote) => (isNote ? io.note(text) : io.err(text)),
    wakeOutbox,
    measuring,
    report: log.error,
    fail(message) {
      log.flush();
      process.stderr.write(`a thread failed: ${message}\n`);
      process.exit(1);
    },
  });
}

/** The renewals of the certificates at each address. */
export async function renewalsOf({
  places,
  listeners,
  threads,
  log,
}: Pick<Main, "places" | "listeners" | "log"> & { threads: Threads }): Promise<Renewal[]> {
  const { createRenewal } = await import("../renewal.ts");
  return listeners.map(({ sockets }, place) => {
    const others = places[place]!.isShared ? threads.socketsAt(place) : [];
    return createRenewal([sockets, ...others], RETIREMENT, log.error);
  });
}

/** Null if the database is damaged there: a server still answers what it can. */
async function newestId({ store, now }: App, log: Log): Promise<string | null> {
  try {
    return await store.submissions.newestId(endOfIds(now()));
  } catch (error) {
    log.error(error);
    return null;
  }
}
