import type { App } from "../../src/app.ts";
import { createAddressList } from "../../src/base/network.ts";
import type { Telemetry } from "../../src/delivery/trace.ts";
import type { Report } from "../../src/http/errors.ts";
import type { Metrics } from "../../src/http/operation/metrics.ts";
import type { ServiceName } from "../../src/http/request-record.ts";
import type { ServeConfig } from "./config.ts";
import type { Log } from "./log.ts";

type Wiring = { log: Log; metrics: Metrics; telemetry: Telemetry | null; isDraining: () => boolean };

/** The parts of services and sites that a server has whether or not it follows another one. */
export function sitePartsOf(
  { basePath, isBaseOptional, hsts, trustedProxies }: ServeConfig,
  app: App,
  { log, metrics, telemetry, isDraining }: Wiring,
) {
  const reportOf = (service: ServiceName): Report => ({
    error: log.error,
    refused: (reason) => metrics.refused(service, reason),
    spam: metrics.spam,
    warn: (text) => log.line("warn", text),
  });
  const options = {
    app,
    basePath,
    isBaseOptional,
    hsts,
    isTrustedProxy: createAddressList(trustedProxies),
    counted: metrics,
    log: log.request,
    logsReads: log.logsReads,
    report: reportOf("operation"),
    isDraining,
    served: telemetry?.served ?? null,
  };
  return { reportOf, options };
}
