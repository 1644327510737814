import type { App } from "../../../src/app.ts";
import type { Telemetry } from "../../../src/delivery/trace.ts";
import { once } from "../../../src/base/once.ts";
import type { NoteRead } from "../../../src/flags/reads/reads.ts";
import type { Report } from "../../../src/http/errors.ts";
import { createFlagsService } from "../../../src/http/flags/flags.ts";
import { createFollowingService } from "../../../src/http/flags/following.ts";
import { isForPages } from "../../../src/http/parts.ts";
import {
  CODE_REFS_PATH,
  FLAGD_PATH,
  FLAGS_PATH,
  FOLLOW_PATH,
  HEALTH_PATH,
  METRICS_PATH,
  OFREP_PATH,
  PREVIEWS_PATH,
  READY_PATH,
} from "../../../src/http/paths.ts";
import { createGuard } from "../../../src/http/rate-limit.ts";
import type { Followed } from "../../../src/http/operation/registry.ts";
import type { Metrics } from "../../../src/http/operation/metrics.ts";
import type { Services } from "../../../src/http/services.ts";
import { type Site, createSite } from "../../../src/http/site.ts";
import { COMMIT, VERSION } from "../../version.ts";
import type { Listen } from "../address.ts";
import type { ServeConfig } from "../config.ts";
import type { Log } from "../log.ts";
import { sitePartsOf } from "../site-parts.ts";

type Wiring = {
  metrics: Metrics;
  log: Log;
  facts: () => Followed;
  noteRead: NoteRead;
  telemetry: Telemetry | null;
  isDraining: () => boolean;
};

/** The services of a server that follows another one, by address. */
export function placeRelay(
  config: ServeConfig,
  app: App,
  wiring: Wiring,
): { places: { address: Listen; site: Site }[]; endStreams: () => void } {
  const { metrics, facts, isDraining } = wiring;
  const { listen, metricsListen } = config;
  const { reportOf, options } = sitePartsOf(config, app, wiring);
  const refuse = (): Response => {
    const message = `this server follows ${facts().following} and has only its flags: ask that server`;
    const headers = { "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store" };
    return Response.json({ error: { code: "not_found", message } }, { status: 404, headers });
  };
  const streaming: Streaming[] = [];
  const flags = flagServices(config, app, reportOf("flags"), wiring, streaming, refuse);
  const monitoring: Services = {
    metrics: async () => {
      const { createMetricsApp } = await import("../../../src/http/operation/exposition.ts");
      const isBehindProxy = config.publicUrl !== null || config.trustedProxies.length > 0;
      return createMetricsApp(app, {
        metrics,
        report: reportOf("operation"),
        build: { version: VERSION, commit: COMMIT },
        openTo: metricsListen ? "all" : isBehindProxy ? "none" : "local",
        streams: () => streaming.reduce((sum, { streams }) => sum + (streams?.() ?? 0), 0),
        followed: facts,
      });
    },
  };
  const siteOf = (services: Services) =>
    createSite(services, {
      ...options,
      isReady: async () => readiness(facts(), isDraining()),
      isHere: isServed,
      elsewhere: async () => refuse(),
    });
  const places = metricsListen
    ? [
        { address: listen, site: siteOf(flags) },
        { address: metricsListen, site: siteOf(monitoring) },
      ]
    : [{ address: listen, site: siteOf({ ...flags, ...monitoring }) }];
  const endStreams = () => {
    for (const { close } of streaming) close();
  };
  return { places, endStreams };
}

type Streaming = { streams?: () => number; close: () => void };

/** The services of readers of flags; those with streams are added to `streaming`. */
function flagServices(
  { basePath, maxStale, limits }: ServeConfig,
  app: App,
  report: Report,
  { noteRead, telemetry }: Wiring,
  streaming: Streaming[],
  refuse: () => Response,
): Services {
  const threads = null;
  const guard = createGuard(app.now, limits, threads);
  const readGuard = limits.rate ? guard : undefined;
  const added = <T extends Streaming>(service: T): T => {
    streaming.push(service);
    return service;
  };
  const following = added(createFollowingService(app, report, threads));
  return {
    flags: createFlagsService(app, report, readGuard, noteRead, maxStale),
    // Without a route of its own, the address of previews would be that of a flag.
    previews: { readPreviews: refuse, routes: following.routes },
    following: async () => following,
    ofrep: once(async () => {
      const { createOfrepService } = await import("../../../src/http/flags/ofrep.ts");
      const evaluated = telemetry?.evaluated ?? null;
      const options = { basePath, guard, noteRead, maxStale, threads, evaluated };
      return added(createOfrepService(app, report, options));
    }),
    pages: once(async () => {
      const { createPagesService } = await import("../../../src/http/flags/pages.ts");
      return createPagesService(app, report, { guard, threads });
    }),
    flagdSource: once(async () => {
      const { createFlagdSource } = await import("../../../src/http/flags/flagd/source.ts");
      return added(createFlagdSource(app, report, { guard: readGuard, maxStale, threads }));
    }),
  };
}

/** Whether a path is served: those of readers of flags, and of monitoring. */
function isServed(path: string): boolean {
  const isUnder = (each: string) => `${path}/`.startsWith(`${each}/`);
  if ([CODE_REFS_PATH, PREVIEWS_PATH].some(isUnder)) return false;
  return (
    isForPages(path) ||
    [FLAGS_PATH, OFREP_PATH, FLAGD_PATH, FOLLOW_PATH, HEALTH_PATH, READY_PATH, METRICS_PATH].some(isUnder)
  );
}

function readiness({ following, behind, isReady }: Followed, isDraining: boolean): Response {
  const headers = { "X-Content-Type-Options": "nosniff" };
  if (isReady && !isDraining) return Response.json({ status: "ready", following, behind }, { headers });
  const message = isDraining ? "the server is about to stop" : `there are no flags of ${following}`;
  return Response.json({ error: true, code: 503, message, following, behind }, { status: 503, headers });
}
