import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import type { App } from "../../../src/app.ts";
import { clock, isoTime } from "../../../src/base/clock.ts";
import { AppError } from "../../../src/base/errors.ts";
import { createIdSource } from "../../../src/base/ids.ts";
import { startJobs } from "../../../src/base/jobs.ts";
import { createDirectory } from "../../../src/blobs/disk.ts";
import { EXPOSURES } from "../../../src/experiments/jobs.ts";
import { FLUSH_MS } from "../../../src/experiments/limits.ts";
import { createReads } from "../../../src/flags/reads/reads.ts";
import { createMetrics } from "../../../src/http/operation/metrics.ts";
import { NAMES } from "../../../src/storage.ts";
import { openJournal } from "../../../src/following/relay/journal.ts";
import { startLink } from "../../../src/following/relay/link.ts";
import { createRelayMeasuring } from "../../../src/following/relay/measuring.ts";
import { Relay } from "../../../src/following/relay/relay.ts";
import { Spool } from "../../../src/following/relay/spool.ts";
import { openRelayStore } from "../../../src/following/relay/store.ts";
import { holdLock } from "../../../src/store/sqlite/lock.ts";
import { recordServing } from "../../data/serving.ts";
import type { Io } from "../../output/terminal.ts";
import { VERSION } from "../../version.ts";
import type { ServeConfig } from "../config.ts";
import { openFlagdSync } from "../flagd.ts";
import { type Listener, listenAt, readTls } from "../listen.ts";
import { type Log, createLog } from "../log.ts";
import { endAfter, onHangup, stopSignals } from "../signals.ts";
import { openTelemetry } from "../telemetry/telemetry-options.ts";
import type { FollowSettings } from "./relay-options.ts";
import { refuseOfSource } from "./relay-refusals.ts";
import { placeRelay } from "./relay-services.ts";
import { exposedToken, readFollowToken, sourceOf } from "./relay-source.ts";

/** How long requests under way may take once the server is told to stop, and what is open behind them, in milliseconds. */
const GRACE = { requests: 10_000, closing: 5000, batches: 2000 } as const;

/** Serves the flags of another server until SIGTERM or SIGINT. Throws `invalid`, `unavailable` or `unsupported` if it cannot start. */
export async function serveRelay(
  config: ServeConfig,
  follow: FollowSettings,
  io: Io,
  command: Command,
): Promise<void> {
  refuseOfSource(command);
  const { data } = config;
  const log = createLog(io, config.log);
  const tls = config.tls && (await readTls(config.tls));
  await readFollowToken(follow);
  await noteExposed(follow, log);
  refuseOwnData(data);
  createDirectory(data);
  const unlock = lock(data);
  const journal = openJournal(join(data, NAMES.following), follow.url);
  const relay = new Relay(journal, log.error);
  const spool = new Spool(join(data, NAMES.spool));
  const app = openRelay(relay, spool);
  const reads = createReads(app.store);
  const metrics = createMetrics();
  const telemeter = await openTelemetry(config, log);
  let isDraining = false;
  const facts = () => factsOf(relay, spool, follow, config);
  const wiring = {
    metrics,
    log,
    facts,
    noteRead: reads.note,
    telemetry: telemeter,
    isDraining: () => isDraining,
  };
  const { places, endStreams } = placeRelay(config, app, wiring);
  const listeners: Listener[] = [];
  const link = startLink(relay, spool, sourceOf(follow), follow.url, {
    report: log.error,
    note: (text) => log.line("info", text),
  });
  const exposures = { name: EXPOSURES, every: FLUSH_MS, run: () => app.measuring.flush() };
  const jobs = startJobs([...reads.jobs, exposures], app.now, log.error);
  const nextSignal = stopSignals();
  let sync: Awaited<ReturnType<typeof openFlagdSync>> | undefined;
  let forget = () => {};
  try {
    for (const { address, site } of places)
      listeners.push(await listenAt(address, site, tls, log.error, "alone"));
    sync = await openFlagdSync(app, config, tls, log);
    onHangup(null, log, io.errIsTerminal);
    const address = listeners[0]!.localOrigin + config.basePath;
    const itself = { version: VERSION, startedAt: isoTime(clock.now()), dashboard: null };
    forget = recordServing(data, { ...itself, origin: address, settings: config.settings });
    for (const { origin } of [...listeners, ...sync.listeners]) io.err(`listening on ${origin}\n`);
    const signal = await nextSignal();
    if (config.drain !== null && config.drain > 0 && signal === "SIGTERM") {
      isDraining = true;
      await nextSignal(config.drain);
    }
    log.line("info", `stopping on ${signal}`);
    endAfter(GRACE.requests + GRACE.closing, log);
    endStreams();
    for (const listener of listeners) listener.retire();
    sync.close();
    await (await import("../last-connections.ts")).takeLastConnections();
    await Promise.race([Promise.all(listeners.map((each) => each.stop())), clock.sleep(GRACE.requests)]);
  } finally {
    await jobs.stop();
    sync?.close();
    await Promise.all(listeners.map((listener) => listener.end()));
    await telemeter?.close();
    await reads.flush().catch(log.error);
    await app.measuring.flush().catch(log.error);
    await link.stop(GRACE.batches);
    await Promise.all([spool.turn(), journal.close()]);
    forget();
    unlock();
    log.flush();
    await io.settle();
  }
  process.exit(0);
}

/** The state of following, for monitoring: readers are answered while it is ready. */
function factsOf(relay: Relay, spool: Spool, { url }: FollowSettings, { maxStale }: ServeConfig) {
  const behind = relay.behind();
  const isReady = relay.hasState && !relay.isRefused && (maxStale === null || behind <= maxStale);
  return { following: url, behind: Math.round(behind) / 1000, waiting: spool.size, isReady };
}

function openRelay(relay: Relay, spool: Spool): App {
  const random = (length: number) => clock.random(length);
  const parts = {
    store: openRelayStore(relay, spool),
    watch: relay.watch(),
    measuring: createRelayMeasuring(relay, spool),
    now: relay.now,
    random,
    nextId: createIdSource(random, relay.now),
    onQueued: () => {},
  };
  return parts as unknown as App;
}

async function noteExposed(follow: FollowSettings, log: Log): Promise<void> {
  const exposed = await exposedToken(follow);
  if (exposed) log.line("warn", `other users may read the token in ${exposed.file}: ${exposed.fix}`);
}

/** Throws `unsupported` for a directory with data of its own. */
function refuseOwnData(data: string): void {
  if (existsSync(join(data, NAMES.database)))
    throw new AppError(
      "unsupported",
      `${data} has data of its own, and a server that follows another one has none`,
      {
        hint: "name another directory with --data, or leave --follow out",
      },
    );
}

function lock(data: string): () => void {
  try {
    return holdLock(join(data, NAMES.serveLock));
  } catch (error) {
    if (!(error instanceof AppError && error.code === "unavailable")) throw error;
    throw new AppError("unavailable", `another formflag serves the data directory ${data}`, {
      hint: "stop it first, or give this one another directory with --data",
    });
  }
}
