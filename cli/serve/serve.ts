import { clock } from "../../src/base/clock.ts";
import type { App } from "../../src/app.ts";
import { isShared } from "../../src/base/changes.ts";
import { once } from "../../src/base/once.ts";
import { createReads } from "../../src/flags/reads/reads.ts";
import { applyDue } from "../../src/flags/schedule/schedule-job.ts";
import { loadLinkSecret } from "../../src/forms/link-secret.ts";
import { createCommitLatency } from "../../src/maintenance/commit-latency.ts";
import { createMetrics } from "../../src/http/operation/metrics.ts";
import { claimData, openApp } from "../data/open.ts";
import type { Io } from "../output/terminal.ts";
import { env } from "../session/env.ts";
import { VERSION } from "../version.ts";
import type { Storage } from "../../src/storage.ts";
import { recordServing } from "../data/serving.ts";
import { type ServeConfig, lowPortsOf } from "./config.ts";
import { openAuditFile } from "./audit/audit-options.ts";
import { createBackups } from "./backups/backups.ts";
import { factsOf } from "./facts.ts";
import { NO_SYNC, openFlagdSync } from "./flagd.ts";
import { checkFiles } from "./files.ts";
import { startHeartbeat } from "./heartbeat.ts";
import { type Listener, type Tls, listenAt, readTls } from "./listen.ts";
import { type Log, createLog } from "./log.ts";
import { dashboardOf } from "./own-addresses.ts";
import { loadOidcClient } from "./oidc-config.ts";
import { loadOutgoing } from "./outgoing-config.ts";
import { placeServices } from "./services.ts";
import type { Renewal } from "./renewal.ts";
import { endAfter, onHangup, stopSignals } from "./signals.ts";
import { openTelemetry } from "./telemetry/telemetry-options.ts";
import { MAIN_CLOCK } from "../../src/base/threads/shared-clock.ts";
import { threadCount } from "./threads/count.ts";
import { createServerMemory, openServerCounts } from "./threads/memory.ts";
import { NO_THREADS, renewalsOf, shareIds, startOthers } from "./threads/start.ts";

/** How long a server of a shared database serves on before it stops, so that balancers notice, in milliseconds. */
const DEFAULT_DRAIN = 5000;

/** How long the server listens before its jobs are loaded, in milliseconds, so that those who wait for it are answered first. */
const BEFORE_JOBS = 50;

/** How long a server takes to start, its jobs included, in milliseconds: see `jitPolicy` of the build. */
const STARTED = 500;

/** How long requests under way may take to finish once the server is told to stop, in milliseconds. */
const GRACE = 10_000;

/** How long the server may take to close what it has open behind them, in milliseconds. */
const CLOSING = 5000;

/**
 * Serves until SIGTERM or SIGINT. Throws `invalid`, `unavailable`, `forbidden` or `unsupported` if it cannot start. With
 * `commandEnv`, commands find the same data. `greet` greets in place of the welcome for a terminal.
 */
export async function serve(
  config: ServeConfig,
  storage: Storage,
  io: Io,
  commandEnv: Record<string, string | undefined>,
  greet?: (app: App, dashboard: string) => Promise<void>,
): Promise<void> {
  const count = threadCount(config);
  const memory = count > 1 ? createServerMemory() : null;
  const log = createLog(io, config.log);
  const renewable = Promise.withResolvers<Renewal[]>();
  const { promise: renewals } = renewable;
  const serveTls = async (tls: Tls) => {
    for (const renewal of await renewals) await renewal.renew(tls);
  };
  const reload = async () => {
    if (config.tls) await serveTls(await readTls(config.tls));
    log.line("info", config.tls ? "reloaded the certificate" : "the certificate of --domain renews itself");
  };
  onHangup(config.tls || config.domain ? reload : null, log, io.errIsTerminal);
  const ofFiles = config.tls && (await readTls(config.tls));
  const oidcClient = await loadOidcClient(config.oidc, env["FORMFLAG_OIDC_CLIENT_SECRET"]);
  const connections = await loadOutgoing(config.outgoing, env);
  let closeOutgoing = () => {};
  const outgoing = once(async () => {
    const { createOutgoing } = await import("../../src/send/outgoing.ts");
    const opened = createOutgoing(connections, () => clock.now(), VERSION);
    closeOutgoing = () => opened.close();
    return opened;
  });
  // A mail server that cannot be used as configured is an error at the start.
  if (connections.mail !== null) await outgoing();
  if (config.backups !== null || config.audit.file !== null || lowPortsOf(config).length > 0)
    await (await import("./beforehand.ts")).checkBeforehand(config, log);
  let [isDraining, isOutdated] = [false, false];
  const stopItself = async (why: string) => {
    log.line("warn", `${why}: this server stops`);
    if (isDraining || isOutdated) return;
    isOutdated = true;
    process.kill(process.pid, "SIGTERM");
  };
  const onNewerSchema = once(() => stopItself("a newer formflag has migrated the database"));
  const onMoving = once(() => stopItself("a move or a restore into the database has begun"));
  const unlock = storage.shared === null ? claimData(storage.data) : () => {};
  const app = await openApp({
    ...storage,
    writing: "thread",
    report: log.error,
    note: (text) => log.line("info", text),
    onNewerSchema: () => void onNewerSchema(),
    onMoving: () => void onMoving(),
    threads: memory && { memory, clock: MAIN_CLOCK, link: null },
  });
  const listeners: Listener[] = [];
  const reads = createReads(app.store);
  const commitLatency = createCommitLatency(app);
  let [forget, stopHeartbeat, stopJobs] = [() => {}, async () => {}, async () => {}];
  const failing = Promise.withResolvers<never>();
  failing.promise.catch(() => {});
  let threads = NO_THREADS;
  let telemeter: Awaited<ReturnType<typeof openTelemetry>> = null;
  let sync = NO_SYNC;
  const data = storage.shared === null ? storage.data : null;
  const backups = await createBackups(app, { settings: config.backups, data, env: commandEnv, log });
  const facts = { ...factsOf(storage, VERSION), startedAt: new Date(clock.now()).toISOString() };
  try {
    const domain =
      config.domain && (await (await import("./domain/domain.ts")).openDomain(config, storage, log));
    const tls = domain?.tls ?? ofFiles;
    if (storage.shared !== null) await checkFiles(storage.shared.files, app, log);
    const ids = await shareIds(app, log, memory !== null);
    const warn = (text: string) => log.line("warn", text);
    const auditFile = await openAuditFile(config, app, log);
    await applyDue(app, warn);
    // Before listening, because the first connections may use up the file descriptors.
    await app.store.opened();
    const metrics = createMetrics();
    telemeter = await openTelemetry(config, log);
    const linkSecret = await loadLinkSecret(app);
    const { places, endStreams } = placeServices(config, app, {
      outgoing,
      oidcClient,
      log,
      metrics,
      noteRead: reads.note,
      telemetry: telemeter,
      commitMinutes: commitLatency.minutes,
      storage,
      facts: () => ({ ...facts, backup: backups.state() }),
      backup: backups.download,
      isDraining: () => isDraining,
      linkSecret,
      threads: memory && openServerCounts(memory),
      others: () => threads.values(),
      elsewhere: null,
    });
    // Else readers of other servers wait for it with the first change.
    if (isShared(app.store)) await Promise.all(places.map(({ site }) => site.warm()));
    for (const { address, site, isShared } of places)
      listeners.push(await listenAt(address, site, tls, log.error, memory && isShared ? "first" : "alone"));
    if (memory && ids) {
      const { errIsTerminal } = io;
      const started = { count, config, storage, memory, ids, linkSecret, tls, errIsTerminal };
      const wakeOutbox = () => app.onQueued();
      const { measuring } = app;
      threads = await startOthers(app, started, { places, listeners, io, log, wakeOutbox, measuring });
      await threads.listening;
    }
    sync = await openFlagdSync(app, config, tls, log);
    const ofSites = tls ? await renewalsOf({ places, listeners, threads, log }) : [];
    // The last listener, since the order of the others is that of the places.
    if (domain) listeners.push(await domain.listen());
    renewable.resolve([...ofSites, ...sync.renewals]);
    const working = { config, storage, outgoing, metrics, log, telemetry: telemeter };
    stopJobs = jobsAfter(BEFORE_JOBS, failing.reject, async () => {
      const { startWork } = await import("./jobs.ts");
      const certificate = domain && domain.job(serveTls);
      const more = [...reads.jobs, commitLatency.job, backups.job, auditFile, certificate].filter(
        (job) => job !== null,
      );
      return startWork(app, working, more);
    });
    clock.after(STARTED, () => Bun.unsafe.setJITPolicy(1)).unref();
    const nextSignal = stopSignals();
    const dashboard = dashboardOf(config, places, listeners);
    const address = listeners[0]!.localOrigin + config.basePath;
    Object.assign(facts, { address, dashboard });
    const { version, startedAt } = facts;
    const itself = { version, startedAt, dashboard, settings: config.settings };
    if (data !== null) forget = recordServing(data, { ...itself, origin: address });
    stopHeartbeat = startHeartbeat(app, { ...itself, address }, log.error);
    if (count > 1) log.line("info", `${count} threads serve`);
    warnOfPlainHttp(config, places, log);
    // Plain text in either format: scripts wait for this line.
    for (const { origin } of [...listeners, ...sync.listeners]) io.err(`listening on ${origin}\n`);
    if (greet) await greet(app, dashboard ?? address);
    // The link signs in: it belongs on a screen, not in a log.
    else if (io.errIsTerminal && config.log.format !== "json") {
      const { welcome } = await import("./welcome.ts");
      io.err(`\n${await welcome(app, storage, dashboard)}\n`);
    }
    const signal = await Promise.race([nextSignal(), failing.promise]);
    const drain = config.drain ?? (isShared(app.store) ? DEFAULT_DRAIN : 0);
    if (drain > 0 && signal === "SIGTERM") {
      log.line("info", `not ready since ${signal}: stopping in ${drain / 1000} s`);
      isDraining = true;
      const second = await nextSignal(drain);
      // A server that stops by itself gets the first signal of its supervisor only now.
      if (isOutdated && second === "SIGTERM") await nextSignal(drain);
    }
    log.line("info", `stopping on ${signal}`);
    endAfter(GRACE + CLOSING, log);
    domain?.stop();
    for (const renewal of await renewals) renewal.stop();
    for (const listener of listeners) listener.retire();
    threads.retire();
    endStreams();
    sync.close();
    await (await import("./last-connections.ts")).takeLastConnections();
    const finished = Promise.all([threads.stop(), ...listeners.map((listener) => listener.stop())]);
    await Promise.race([finished, clock.sleep(GRACE)]);
  } finally {
    await stopHeartbeat();
    sync.close();
    closeOutgoing();
    backups.stop();
    await stopJobs();
    await Promise.all([threads.end(), ...listeners.map((listener) => listener.end())]);
    await telemeter?.close();
    await reads.flush().catch(log.error);
    await app.measuring.flush().catch(log.error);
    await app[Symbol.asyncDispose]();
    forget();
    unlock();
    log.flush();
    await io.settle();
  }
  process.exit(0);
}

/** Warns of passwords and tokens in the clear: of an address that others reach, without TLS and without a proxy that has it. */
function warnOfPlainHttp(config: ServeConfig, places: { address: { hostname: string } }[], log: Log): void {
  const { tls, domain, trustedProxies, publicUrl } = config;
  if ((tls ?? domain) || trustedProxies.length > 0 || publicUrl?.startsWith("https:")) return;
  const open = places.find(({ address }) => ["0.0.0.0", "::"].includes(address.hostname));
  if (open)
    log.line(
      "warn",
      `every machine that reaches ${open.address.hostname} here reads passwords and tokens in transit: serve HTTPS with --domain, or name the proxy that does with --trusted-proxy`,
    );
}

/** Starts jobs after so many milliseconds; `fail` ends a server without them. Returns a function that stops them, or starts none. */
function jobsAfter(
  ms: number,
  fail: (error: unknown) => void,
  start: () => Promise<() => Promise<void>>,
): () => Promise<void> {
  let stop: Promise<(() => Promise<void>) | void> | undefined;
  const timer = clock.after(ms, () => void (stop = start().catch(fail)));
  return async () => {
    timer.close();
    await (
      await stop
    )?.();
  };
}
