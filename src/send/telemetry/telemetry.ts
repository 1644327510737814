import { clock } from "../../base/clock.ts";
import {
  type Served,
  type Telemetry,
  type Trace,
  readTraceparent,
  traceparentOf,
} from "../../delivery/trace.ts";
import { createExport } from "./export.ts";
import { type Attributes, KIND, type LogRecord, type Span, logsBody, tracesBody } from "./otlp.ts";
import type { Sampling, TelemetrySettings } from "./settings.ts";

/** Milliseconds in which the last observations are sent. */
const CLOSE_MS = 5000;

/** Checks of health and scrapes, which would fill a trace store with nothing. */
const QUIET: ReadonlySet<string> = new Set(["/healthz", "/readyz", "/metrics"]);

export type Telemeter = Telemetry & { close: () => Promise<void> };

/** Sends spans of requests, and records of evaluations, to a collector of OpenTelemetry. */
export function createTelemetry(
  settings: TelemetrySettings,
  version: string,
  warn: (text: string) => void,
): Telemeter {
  const source = { version, resource: settings.resource };
  const spans = createExport<Span>("spans", settings.traces, (items) => tracesBody(source, items), warn);
  const records = createExport<LogRecord>("records", settings.logs, (items) => logsBody(source, items), warn);
  const begun = new WeakMap<Request, { trace: Trace; parent: string | null }>();

  const begin = (request: Request) => {
    const known = begun.get(request);
    if (known) return known;
    const parent = readTraceparent(request.headers.get("traceparent"));
    const traceId = parent?.traceId ?? hex(16);
    const trace = { traceId, spanId: hex(8), isSampled: isSampled(settings.sampling, traceId, parent) };
    const span = { trace, parent: parent?.spanId ?? null };
    begun.set(request, span);
    return span;
  };

  return {
    spanOf: (request) => begin(request).trace,
    served(request, served) {
      if (QUIET.has(served.route)) return;
      const { trace, parent } = begin(request);
      if (!trace.isSampled) return;
      const end = clock.now();
      const { method, route, ms } = served;
      spans.add({
        name: `${method} ${route}`,
        kind: KIND.server,
        trace,
        parent,
        start: end - ms,
        end,
        attributes: attributesOf(served),
        isError: served.status >= 500,
      });
    },
    delivering(parent, kind) {
      const request = readTraceparent(parent);
      if (request === null) return null;
      const trace = { ...request, spanId: hex(8) };
      const start = clock.now();
      return {
        traceparent: traceparentOf(trace),
        end({ code, error }) {
          if (!trace.isSampled) return;
          const attributes = {
            "formflag.delivery.kind": kind,
            ...(code !== null && { "http.response.status_code": code }),
            ...(error !== null && { "error.type": code === null ? "unanswered" : String(code) }),
          };
          const of = { kind: KIND.client, trace, parent: request.spanId, start, end: clock.now() };
          spans.add({ name: `deliver ${kind}`, ...of, attributes, isError: error !== null });
        },
      };
    },
    evaluated:
      settings.evaluations === 0
        ? null
        : (request, { flag, set, json }) => {
            if (clock.fraction() >= settings.evaluations) return;
            const { trace } = begin(request);
            const event = "feature_flag.evaluation";
            records.add({ event, at: clock.now(), trace, attributes: evaluationOf(flag, set, json) });
          },
    async close() {
      const deadline = clock.steady() + CLOSE_MS;
      await Promise.all([spans.close(deadline), records.close(deadline)]);
    },
  };
}

/** The conventions of OpenTelemetry for HTTP servers, without addresses, queries and headers, which may hold keys. */
function attributesOf({ method, route, status }: Served): Attributes {
  return {
    "http.request.method": method,
    "http.route": route,
    "http.response.status_code": status,
    ...(status >= 500 && { "error.type": String(status) }),
  };
}

/** The conventions of OpenTelemetry for feature flags, without the context. */
function evaluationOf(flag: string, set: string, json: string): Attributes {
  const { variant, reason, errorCode } = JSON.parse(json) as Record<string, unknown>;
  return {
    "feature_flag.key": flag,
    ...(typeof variant === "string" && variant !== "" && { "feature_flag.result.variant": variant }),
    "feature_flag.result.reason": typeof reason === "string" ? reason.toLowerCase() : "error",
    "feature_flag.set.id": set,
    "feature_flag.provider.name": "formflag",
    ...(typeof errorCode === "string" && { "error.type": errorCode.toLowerCase() }),
  };
}

function isSampled({ ratio, followsParent }: Sampling, traceId: string, parent: Trace | null): boolean {
  if (followsParent && parent !== null) return parent.isSampled;
  // The last seven bytes of an id are random (W3C Trace Context, level 2).
  return Number.parseInt(traceId.slice(-14), 16) < ratio * 2 ** 56;
}

function hex(bytes: number): string {
  return clock.random(bytes).toHex();
}
