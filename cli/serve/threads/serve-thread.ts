import { isShared } from "../../../src/base/changes.ts";
import { stackOf } from "../../../src/base/errors.ts";
import { createSharedIdSource } from "../../../src/base/ids.ts";
import { startJobs } from "../../../src/base/jobs.ts";
import { once } from "../../../src/base/once.ts";
import { readClock } from "../../../src/base/threads/shared-clock.ts";
import { createSentNotes, type User } from "../../../src/experiments/measuring.ts";
import { createReads } from "../../../src/flags/reads/reads.ts";
import { createMetrics } from "../../../src/http/operation/metrics.ts";
import { openApp } from "../../data/open.ts";
import { VERSION } from "../../version.ts";
import { listen } from "../listen.ts";
import { createLog } from "../log.ts";
import type { OutgoingSettings } from "../outgoing-config.ts";
import { placeServices } from "../services.ts";
import { openTelemetry } from "../telemetry/telemetry-options.ts";
import { createForwarder } from "./forwarder.ts";
import { openServerCounts } from "./memory.ts";
import type { FromThread, ThreadStart, ToThread } from "./messages.ts";

/** A serving thread of a server beside its main thread: answers forms and readers of flags, and passes on the rest. */

declare const self: Worker;

const post = (message: FromThread, transfer: Bun.Transferable[] = []) => self.postMessage(message, transfer);
const forwarder = createForwarder((part) => post({ kind: "forwarded", part }));

type Serving = Awaited<ReturnType<typeof start>>;
let serving: Serving | undefined;
let takeTime: (at: number) => void = () => {};
/** Calls that wait until the main thread has counted users. */
const counting: (() => void)[] = [];

self.onmessage = ({ data: message }: MessageEvent<ToThread>) => {
  switch (message.kind) {
    case "start":
      return void begin(message.start);
    case "clock":
      return takeTime(message.at);
    case "counted":
      return counting.shift()!();
    case "values":
      return post({ kind: "values", values: serving!.values() });
    case "sockets":
      return void move(message);
    case "retire":
      return serving?.retire();
    case "stop":
      return void stop();
    case "end":
      return void end();
    case "forwarded":
      return forwarder.receive(message.part);
  }
};

async function begin(given: ThreadStart): Promise<void> {
  try {
    serving = await start(given);
    post({ kind: "listening" });
  } catch (error) {
    post({ kind: "failed", error: stackOf(error) });
  }
}

async function move(message: Extract<ToThread, { kind: "sockets" }>): Promise<void> {
  try {
    const sockets = serving!.sockets[message.place]!;
    await (message.act === "add" ? sockets.add(message.tls) : sockets[message.act]());
    post({ kind: "done", failure: null });
  } catch (error) {
    post({ kind: "done", failure: error instanceof Error ? error.message : String(error) });
  }
}

async function stop(): Promise<void> {
  await serving?.stop();
  post({ kind: "stopped" });
}

async function end(): Promise<void> {
  await serving?.end();
  post({ kind: "ended" });
}

const askTime = () =>
  new Promise<number>((resolve) => {
    takeTime = resolve;
    post({ kind: "clock" });
  });

/** Outgoing connections of external checks: the main thread sends mail and webhooks. */
const outgoingOf = ({ targetNetworks }: OutgoingSettings, now: () => number) =>
  once(async () => {
    const { createOutgoing } = await import("../../../src/send/outgoing.ts");
    return createOutgoing({ targetNetworks, mail: null }, now, VERSION);
  });

async function start({
  config,
  storage,
  memory,
  ids,
  link,
  linkSecret,
  errIsTerminal,
  addresses,
  tls,
}: ThreadStart) {
  const write = (isNote: boolean) => (text: string) => post({ kind: "log", text, isNote });
  const log = createLog({ errIsTerminal, note: write(true), err: write(false) }, config.log);
  const app = await openApp({
    ...storage,
    writing: "thread",
    report: log.error,
    note: (text) => log.line("info", text),
    threads: { memory, clock: await readClock(askTime), link },
  });
  app.nextId = createSharedIdSource(app.random, app.now, ids);
  app.onQueued = () => post({ kind: "queued" });
  const send = (measurement: number, user: User) => post({ kind: "noted", measurement, user });
  const count = () =>
    new Promise<void>((resolve) => {
      counting.push(resolve);
      post({ kind: "count" });
    });
  Object.assign(app.measuring, createSentNotes(send, count));
  const reads = createReads(app.store);
  const isMainOnly = (): never => {
    throw new Error("only the main thread answers that");
  };
  const telemeter = await openTelemetry(config, log);
  const { places, endStreams, values } = placeServices(config, app, {
    oidcClient: null,
    outgoing: outgoingOf(config.outgoing, app.now),
    facts: isMainOnly,
    backup: isMainOnly,
    log,
    metrics: createMetrics(),
    noteRead: reads.note,
    telemetry: telemeter,
    commitMinutes: () => [],
    storage,
    isDraining: () => false,
    linkSecret,
    threads: openServerCounts(memory),
    others: async () => [],
    elsewhere: (place, request, peer) => forwarder.forward(place, request, peer),
  });
  if (isShared(app.store)) await Promise.all(places.map(({ site }) => site.warm()));
  const atPlaces = places.map(({ site }, index) => {
    const address = addresses[index];
    return address ? listen(address, site, tls, log.error, "other") : null;
  });
  const listeners = atPlaces.filter((listener) => listener !== null);
  const jobs = startJobs(reads.jobs, app.now, log.error);
  return {
    values,
    sockets: atPlaces.map((listener) => listener?.sockets),
    retire() {
      for (const listener of listeners) listener.retire();
      endStreams();
    },
    async stop() {
      await Promise.all(listeners.map((listener) => listener.stop()));
    },
    async end() {
      await jobs.stop();
      await Promise.all(listeners.map((listener) => listener.end()));
      await telemeter?.close();
      await reads.flush().catch(log.error);
      await app[Symbol.asyncDispose]();
      log.flush();
    },
  };
}
