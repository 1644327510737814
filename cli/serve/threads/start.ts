import type { App } from "../../../src/app.ts";
import { createIdMemory, createIdSource, createSharedIdSource } from "../../../src/base/ids.ts";
import type { OpenApp } from "../../data/open.ts";
import type { Storage } from "../../../src/storage.ts";
import type { ServeConfig } from "../config.ts";
import type { Listener } from "../listen.ts";
import type { Place } from "../services.ts";
import type { ServerMemory } from "./memory.ts";
import { type ThreadHost, type Threads, startThreads } from "./threads.ts";

/** The threads beside the main thread of a server that has no others. */
export const NO_THREADS: Threads = {
  listening: Promise.resolve(),
  values: async () => [],
  stop: async () => {},
  end: async () => {},
};

/** Makes submission ids, for all threads of a server together. Returns the memory that the others need; null for one thread. */
export function shareIds(app: App, newest: string | null, isShared: boolean): SharedArrayBuffer | null {
  if (!isShared) {
    app.nextId = createIdSource(app.random, app.now, newest);
    return null;
  }
  const ids = createIdMemory(app.now(), newest);
  app.nextId = createSharedIdSource(app.random, app.now, ids);
  return ids;
}

export type Others = {
  count: number;
  config: ServeConfig;
  storage: Storage;
  memory: ServerMemory;
  ids: SharedArrayBuffer;
  linkSecret: string;
  errIsTerminal: boolean;
  places: Place[];
  listeners: Listener[];
};

/** Starts the other threads of a server at the addresses of its main thread. */
export function startOthers(
  app: OpenApp,
  { count, places, listeners, ...rest }: Others,
  host: ThreadHost,
): Threads {
  const addresses = places.map(({ address, isShared }, index) =>
    isShared ? { hostname: address.hostname, port: listeners[index]!.port } : null,
  );
  const starts = Array.from({ length: count - 1 }, () => ({ ...rest, addresses, link: app.join!() }));
  return startThreads(starts, host);
}
