import type { App } from "../../src/app.ts";
import { lazy, once } from "../../src/base/once.ts";
import type * as FlagsModule from "../../src/http/flags/flags.ts";
import type { OfrepService } from "../../src/http/flags/ofrep.ts";
import type * as PreviewsModule from "../../src/http/flags/previews.ts";
import type * as FormsModule from "../../src/http/forms/forms.ts";
import { createLinks } from "../../src/http/forms/links.ts";
import { createGuard, type ThreadCounts } from "../../src/http/rate-limit.ts";
import { type ThreadValues, valuesOf, type Metrics } from "../../src/http/operation/metrics.ts";
import type { Services } from "../../src/http/services.ts";
import { type Site, createSite } from "../../src/http/site.ts";
import { COMMIT, VERSION } from "../version.ts";
import type { Listen } from "./address.ts";
import type { ServeConfig } from "./config.ts";
import { linkBaseOf } from "./dashboard-config.ts";
import { ownAddresses } from "./own-addresses.ts";
import { sitePartsOf } from "./site-parts.ts";
import { assistantsOf, signInOf } from "./sign-in.ts";
import type { Telemetry } from "../../src/delivery/trace.ts";
import type { Outgoing } from "../../src/delivery/outgoing.ts";
import type { NoteRead } from "../../src/flags/reads/reads.ts";
import type { Peer } from "../../src/http/hot.ts";
import type { CommitMinute } from "../../src/maintenance/commit-latency.ts";
import type { ServerFacts } from "../../src/maintenance/status.ts";
import type { Download } from "../../src/operations/deployment.ts";
import type { OidcClient } from "../../src/send/oidc.ts";
import type { Storage } from "../../src/storage.ts";
import type { Log } from "./log.ts";

/** Services at the address of flag reads. */
const OF_FLAGS = ["previews", "codeReferences", "ofrep", "pages", "flagdSource", "following"] as const;
const isOfFlags = (name: string): name is (typeof OF_FLAGS)[number] => OF_FLAGS.some((each) => each === name);

/** Services that every thread of a server answers itself; the main thread answers all. */
const EVERYWHERE: ReadonlySet<string> = new Set(
  ["forms", "flags", ...OF_FLAGS].filter((name) => name !== "codeReferences"),
);

/** An address with the services that answer there; `isShared` where every thread listens, not the main thread alone. */
export type Place = { address: Listen; site: Site; hasDashboard: boolean; isShared: boolean };

/**
 * Maps addresses to services: all at `--listen`, except for those with an address of their own. `endStreams` ends the
 * open event streams.
 */
export function placeServices(
  config: ServeConfig,
  app: App,
  {
    outgoing,
    oidcClient,
    log,
    metrics,
    noteRead,
    telemetry,
    commitMinutes,
    isDraining,
    linkSecret,
    storage,
    facts,
    backup,
    threads,
    others,
    elsewhere,
  }: Wiring,
): { places: Place[]; endStreams: () => void; values: () => ThreadValues } {
  const { basePath, publicUrl, maxStale } = config;
  const { reportOf, options } = sitePartsOf(config, app, { log, metrics, telemetry, isDraining });
  const guard = createGuard(app.now, config.limits, threads);
  const readGuard = config.limits.rate ? guard : undefined;
  const { isTrustedProxy } = options;
  const streaming: Pick<OfrepService, "streams" | "close">[] = [];
  const closers: (() => void)[] = [];
  const streams = () => streaming.reduce((sum, each) => sum + each.streams(), 0);
  const values = (): ThreadValues => ({
    ...valuesOf(metrics),
    streams: streams(),
    versionReads: app.watch.counts(),
  });
  const findings = async (connects: boolean) => {
    const [{ checkRunning }, { surroundingsOf }] = await Promise.all([
      import("../../src/maintenance/doctor/checks.ts"),
      import("./surroundings.ts"),
    ]);
    const ignored = [values(), ...(await others())].map(({ forwarded }) => forwarded);
    const forwardedIgnored = ignored.reduce((sum, each) => sum + each, 0);
    const checks = { connects, forwardedIgnored };
    return checkRunning(config, storage, checks, surroundingsOf(config, facts().backup));
  };
  const adminApp = once(async () => {
    const { createAdminApp } = await import("../../src/http/admin/admin.ts");
    return createAdminApp(app, {
      version: VERSION,
      report: reportOf("admin"),
      publicUrl,
      basePath,
      dashboardUrl: linkBaseOf(config),
      guard,
      outgoing,
      commitMinutes,
      status: facts,
      findings,
      backup,
    });
  });
  // The first request to one of these services loads it, at once, so that a flag read that has its answer needs no promise.
  const forms = lazy(() => {
    const { createFormsService } = require("../../src/http/forms/forms.ts") as typeof FormsModule;
    const links = createLinks(publicUrl, basePath, linkSecret);
    return createFormsService(app, links, reportOf("forms"), guard, outgoing, {
      threads,
      spanOf: telemetry?.spanOf ?? null,
    });
  });
  const flags = lazy(() => {
    const { createFlagsService } = require("../../src/http/flags/flags.ts") as typeof FlagsModule;
    return createFlagsService(app, reportOf("flags"), readGuard, noteRead, maxStale);
  });
  const previews = lazy(() => {
    const { createPreviewsService } = require("../../src/http/flags/previews.ts") as typeof PreviewsModule;
    return createPreviewsService(app, reportOf("flags"), {
      readGuard,
      guard,
      feedbackRate: config.feedbackRate,
      maxStale,
      countFeedback: metrics.feedbackStored,
      threads,
    });
  });
  const assistants = assistantsOf(config, app, log);
  const all: Services = {
    forms: {
      submit: (request, key, client) => forms().submit(request, key, client),
      get routes() {
        return forms().routes;
      },
    },
    flags: {
      readFlag: (request, slug, client) => flags().readFlag(request, slug, client),
      readFlags: (request, client) => flags().readFlags(request, client),
      get routes() {
        return flags().routes;
      },
    },
    codeReferences: once(async () => {
      const { createCodeReferencesService } = await import("../../src/http/flags/code-references.ts");
      return createCodeReferencesService(app, reportOf("flags"), guard);
    }),
    previews: {
      readPreviews: (request, client) => previews().readPreviews(request, client),
      get routes() {
        return previews().routes;
      },
    },
    ofrep: once(async () => {
      const { createOfrepService } = await import("../../src/http/flags/ofrep.ts");
      const evaluated = telemetry?.evaluated ?? null;
      const options = { basePath, guard, noteRead, maxStale, threads, evaluated };
      const ofrep = createOfrepService(app, reportOf("flags"), options);
      streaming.push(ofrep);
      return ofrep;
    }),
    pages: once(async () => {
      const { createPagesService } = await import("../../src/http/flags/pages.ts");
      return createPagesService(app, reportOf("flags"), { guard, threads });
    }),
    flagdSource: once(async () => {
      const { createFlagdSource } = await import("../../src/http/flags/flagd/source.ts");
      const source = createFlagdSource(app, reportOf("flags"), { guard: readGuard, maxStale, threads });
      streaming.push(source);
      return source;
    }),
    following: once(async () => {
      const { createFollowingService } = await import("../../src/http/flags/following.ts");
      const service = createFollowingService(app, reportOf("flags"), threads);
      closers.push(service.close);
      return service;
    }),
    admin: adminApp,
    mcp: once(async () => {
      const { createMcpService } = await import("../../src/http/mcp/mcp.ts");
      return createMcpService(adminApp, {
        now: app.now,
        version: VERSION,
        report: reportOf("admin"),
        log: (text) => log.line("info", text),
        basePath,
        oauth: assistants && { ...assistants, app, guard, dashboardUrl: config.dashboardUrl },
        ...ownAddresses(config),
      });
    }),
    dashboard: async () => {
      const { createDashboard } = await import("../../src/http/dashboard/dashboard.tsx");
      return createDashboard(app, {
        version: VERSION,
        report: reportOf("dashboard"),
        publicUrl,
        dashboardUrl: config.dashboardUrl,
        basePath,
        guard,
        outgoing,
        ...signInOf(config, app, oidcClient, isTrustedProxy),
        secondFactor: config.secondFactor,
        assistants,
        commitMinutes,
        commit: COMMIT,
        findings,
        status: facts,
        onStop: (close) => void closers.push(close),
      });
    },
    metrics: async () => {
      const { createMetricsApp } = await import("../../src/http/operation/exposition.ts");
      const build = { version: VERSION, commit: COMMIT };
      const isBehindProxy = publicUrl !== null || config.trustedProxies.length > 0;
      const openTo = config.metricsListen ? "all" : isBehindProxy ? "none" : "local";
      return createMetricsApp(app, {
        metrics,
        report: reportOf("operation"),
        build,
        openTo,
        streams,
        others,
        backups: () => facts().backup,
      });
    },
  };
  const own = {
    forms: config.formsListen,
    flags: config.flagsListen,
    admin: config.adminListen,
    metrics: config.metricsListen,
  };
  const placed = new Map<string, { address: Listen; services: Services }>();
  for (const name of ["forms", "flags", ...OF_FLAGS, "admin", "mcp", "dashboard", "metrics"] as const) {
    if (name === "mcp" && !config.mcp) continue;
    if (name === "dashboard" && !config.dashboard) continue;
    // The dashboard and tools are served with the admin API, and so are metrics without an address of their own.
    const isWithAdmin = name === "dashboard" || name === "mcp" || (name === "metrics" && !own.metrics);
    const where = isOfFlags(name) ? "flags" : isWithAdmin ? "admin" : name;
    const address = own[where] ?? config.listen;
    // Each service with port 0 of its own gets another port.
    const key = `${address.hostname} ${address.port === 0 && own[where] ? where : address.port}`;
    const place = placed.get(key) ?? { address, services: {} };
    const service = elsewhere === null || EVERYWHERE.has(name) ? all[name] : undefined;
    placed.set(key, { ...place, services: { ...place.services, [name]: service } });
  }
  const places = [...placed.values()].map(({ address, services }, index) => ({
    address,
    isShared: Object.keys(services).some((name) => EVERYWHERE.has(name)),
    hasDashboard: "dashboard" in services,
    site: createSite(services, {
      ...options,
      elsewhere: elsewhere && ((request, peer) => elsewhere(index, request, peer)),
    }),
  }));
  const endStreams = () => {
    for (const { close } of streaming) close();
    for (const close of closers) close();
  };
  return { places, endStreams, values };
}

/** Shared by the services of one server. */
type Wiring = {
  outgoing: () => Promise<Outgoing>;
  /** The client that this server is at its OpenID provider; null for none. */
  oidcClient: OidcClient | null;
  log: Log;
  metrics: Metrics;
  noteRead: NoteRead;
  /** Null without a collector. */
  telemetry: Telemetry | null;
  commitMinutes: () => readonly CommitMinute[];
  isDraining: () => boolean;
  linkSecret: string;
  storage: Storage;
  facts: () => ServerFacts;
  backup: () => Promise<Download>;
  /** Counts of all threads of the server; null if there is only one. */
  threads: ThreadCounts;
  /** Values of the other threads, for the main thread. */
  others: () => Promise<ThreadValues[]>;
  /** Answers at the main thread what comes to a place of another thread; null in the main thread. */
  elsewhere: ((place: number, request: Request, peer: Peer) => Promise<Response>) | null;
};
