import type { App } from "../../src/app.ts";
import { createIdSource } from "../../src/base/ids.ts";
import { type Jobs, startJobs } from "../../src/base/jobs.ts";
import { once } from "../../src/base/once.ts";
import { createAddressList } from "../../src/base/network.ts";
import { type NoteRead, createReads } from "../../src/flags/reads.ts";
import { applyDue, scheduleJob } from "../../src/flags/schedule.ts";
import { expiryJob, removalJob } from "../../src/forms/removal.ts";
import { recoverUploads } from "../../src/forms/submissions.ts";
import type { Report } from "../../src/http/errors.ts";
import { createFlagsService } from "../../src/http/flags/flags.ts";
import type { OfrepService } from "../../src/http/flags/ofrep.ts";
import { createFormsService } from "../../src/http/forms/forms.ts";
import { createLinks } from "../../src/http/forms/links.ts";
import { createMetrics } from "../../src/http/operation/metrics.ts";
import { createGuard } from "../../src/http/rate-limit.ts";
import type { ServiceName } from "../../src/http/request-record.ts";
import { type Services, type Site, createSite } from "../../src/http/site.ts";
import type { Outgoing } from "../../src/delivery/outgoing.ts";
import { claimData, openApp } from "../data/open.ts";
import type { Io } from "../output/terminal.ts";
import { env } from "../session/env.ts";
import { COMMIT, VERSION } from "../version.ts";
import type { Listen } from "./address.ts";
import type { ServeConfig } from "./config.ts";
import { type Listener, type Tls, listen, readTls } from "./listen.ts";
import { type Log, createLog } from "./log.ts";
import { loadOutgoing } from "./outgoing-config.ts";

/** How long requests under way may take to finish once the server is told to stop, in milliseconds. */
const GRACE = 10_000;

/** Serves until SIGTERM or SIGINT. Throws `invalid`, `unavailable`, `forbidden` or `unsupported` if it cannot start. */
export async function serve(config: ServeConfig, io: Io): Promise<void> {
  const log = createLog(io, config.log);
  const tls = config.tls && (await readTls(config.tls));
  const connections = await loadOutgoing(config.outgoing, env["FORMFLAG_SMTP_PASSWORD"]);
  let closeOutgoing = () => {};
  const outgoing = once(async () => {
    const { createOutgoing } = await import("../../src/send/outgoing.ts");
    const opened = createOutgoing(connections, Date.now, VERSION);
    closeOutgoing = () => opened.close();
    return opened;
  });
  // A mail server that cannot be used as configured is an error at the start.
  if (connections.mail !== null) await outgoing();
  const unlock = claimData(config.data);
  const app = openApp(config.data, "thread");
  const listeners: Listener[] = [];
  const reads = createReads(app.store);
  let jobs: Jobs | undefined;
  try {
    const recovered = await recoverUploads(app);
    if (recovered > 0) log.line("warn", `removed ${recovered} files of submissions that a crash cut off`);
    app.nextId = createIdSource(app.random, app.now, await newestId(app, log));
    const warn = (text: string) => log.line("warn", text);
    await applyDue(app, warn);
    // Before listening, because the first connections may use up the file descriptors.
    await app.store.opened();
    const { places, endStreams } = placeServices(config, app, outgoing, log, reads.note);
    for (const { address, site } of places) listeners.push(listen(address, site, tls, log.error));
    if (config.tls) onHangup(config.tls, listeners, log);
    jobs = startJobs(
      [scheduleJob(app, warn), removalJob(app), expiryJob(app), reads.job],
      app.now,
      log.error,
    );
    app.store.watch(jobs.wake);
    const stopped = stopSignal();
    // Plain text in either format: scripts wait for this line.
    for (const { origin } of listeners) io.err(`listening on ${origin}\n`);
    log.line("info", `stopping on ${await stopped}`);
    endStreams();
    const finished = Promise.all(listeners.map((listener) => listener.stop()));
    await Promise.race([finished, Bun.sleep(GRACE)]);
  } finally {
    closeOutgoing();
    await jobs?.stop();
    await Promise.all(listeners.map((listener) => listener.end()));
    await reads.flush().catch(log.error);
    await app.store.close();
    unlock();
    log.flush();
    await io.settle();
  }
  process.exit(0);
}

/** Null if the database is damaged there: a server still answers what it can. */
async function newestId({ store }: App, log: Log): Promise<string | null> {
  try {
    return await store.submissions.newestId();
  } catch (error) {
    log.error(error);
    return null;
  }
}

/**
 * Maps addresses to services: all at `--listen`, except for those with an address of their own. `endStreams` ends the
 * open event streams.
 */
function placeServices(
  config: ServeConfig,
  app: App,
  outgoing: () => Promise<Outgoing>,
  log: Log,
  noteRead: NoteRead,
): { places: { address: Listen; site: Site }[]; endStreams: () => void } {
  const { basePath, publicUrl } = config;
  const metrics = createMetrics();
  const reportOf = (service: ServiceName): Report => ({
    error: log.error,
    refused: (reason) => metrics.refused(service, reason),
    spam: metrics.spam,
  });
  const guard = createGuard(app.now, config.limits);
  let ofrep: OfrepService | undefined;
  const all = {
    forms: createFormsService(app, createLinks(publicUrl, basePath, app.random), reportOf("forms"), guard),
    flags: createFlagsService(app, reportOf("flags"), config.limits.rate ? guard : undefined, noteRead),
    ofrep: once(async () => {
      const { createOfrepService } = await import("../../src/http/flags/ofrep.ts");
      return (ofrep = createOfrepService(app, reportOf("flags"), {
        basePath,
        guard,
        noteRead,
      }));
    }),
    admin: async () => {
      const { createAdminApp } = await import("../../src/http/admin/admin.ts");
      return createAdminApp(app, {
        version: VERSION,
        report: reportOf("admin"),
        publicUrl,
        basePath,
        guard,
        outgoing,
      });
    },
    metrics: async () => {
      const { createMetricsApp } = await import("../../src/http/operation/exposition.ts");
      const build = { version: VERSION, commit: COMMIT };
      const isBehindProxy = publicUrl !== null || config.trustedProxies.length > 0;
      const openTo = config.metricsListen ? "all" : isBehindProxy ? "none" : "local";
      const streams = () => ofrep?.streams() ?? 0;
      return createMetricsApp(app, { metrics, report: reportOf("operation"), build, openTo, streams });
    },
  };
  const own = {
    forms: config.formsListen,
    flags: config.flagsListen,
    admin: config.adminListen,
    metrics: config.metricsListen,
  };
  const placed = new Map<string, { address: Listen; services: Services }>();
  for (const name of ["forms", "flags", "ofrep", "admin", "metrics"] as const) {
    // Metrics without an address of their own are served with the admin API.
    const where = name === "ofrep" ? "flags" : name === "metrics" && !own.metrics ? "admin" : name;
    const address = own[where] ?? config.listen;
    // Each service with port 0 of its own gets another port.
    const key = `${address.hostname} ${address.port === 0 && own[where] ? where : address.port}`;
    const place = placed.get(key) ?? { address, services: {} };
    placed.set(key, { ...place, services: { ...place.services, [name]: all[name] } });
  }
  const isTrustedProxy = createAddressList(config.trustedProxies);
  const report = reportOf("operation");
  const places = [...placed.values()].map(({ address, services }) => ({
    address,
    site: createSite(services, {
      app,
      basePath,
      hsts: config.hsts,
      isTrustedProxy,
      counted: metrics,
      log: log.request,
      logsReads: log.logsReads,
      report,
    }),
  }));
  return { places, endStreams: () => ofrep?.close() };
}

/** Reads the certificate again on SIGHUP; one that cannot be used leaves the old one in use. */
function onHangup(files: Tls, listeners: Listener[], log: Log): void {
  const renew = async () => {
    const tls = await readTls(files);
    for (const listener of listeners) await listener.renew(tls);
    log.line("info", "reloaded the certificate");
  };
  let renewed = Promise.resolve();
  // One after another, so that the files read last count.
  process.on("SIGHUP", () => void (renewed = renewed.then(renew).catch(log.error)));
}

/** Fulfils with the first signal to stop; a second one ends the process at once. */
function stopSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const [signal, code] of [
      ["SIGTERM", 143],
      ["SIGINT", 130],
    ] as const) {
      process.once(signal, () => {
        process.once(signal, () => process.exit(code));
        resolve(signal);
      });
    }
  });
}
