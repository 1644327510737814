import type { Trace } from "../../delivery/trace.ts";

/** Bodies of OTLP over HTTP in JSON: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding */

export type Attributes = Record<string, string | number | boolean>;

/** Kinds of spans in OTLP. */
export const KIND = { server: 2, client: 3 } as const;

export type Span = {
  name: string;
  kind: (typeof KIND)[keyof typeof KIND];
  trace: Trace;
  /** The id of the span that this one belongs to; null for the first of a trace. */
  parent: string | null;
  /** Milliseconds since 1970. */
  start: number;
  end: number;
  attributes: Attributes;
  isError: boolean;
};

export type LogRecord = {
  event: string;
  /** Milliseconds since 1970. */
  at: number;
  trace: Trace;
  attributes: Attributes;
};

/** The name and version of the program, and the attributes of the server. */
export type Source = { version: string; resource: Attributes };

/** The body of `/v1/traces`. */
export function tracesBody({ version, resource }: Source, spans: readonly Span[]): string {
  const scopeSpans = [{ scope: { name: "formflag", version }, spans: spans.map(spanOf) }];
  return JSON.stringify({ resourceSpans: [{ resource: { attributes: listOf(resource) }, scopeSpans }] });
}

/** The body of `/v1/logs`. */
export function logsBody({ version, resource }: Source, records: readonly LogRecord[]): string {
  const scopeLogs = [{ scope: { name: "formflag", version }, logRecords: records.map(recordOf) }];
  return JSON.stringify({ resourceLogs: [{ resource: { attributes: listOf(resource) }, scopeLogs }] });
}

function spanOf({ name, kind, trace, parent, start, end, attributes, isError }: Span): object {
  return {
    traceId: trace.traceId,
    spanId: trace.spanId,
    ...(parent !== null && { parentSpanId: parent }),
    flags: 1,
    name,
    kind,
    startTimeUnixNano: nanos(start),
    endTimeUnixNano: nanos(end),
    attributes: listOf(attributes),
    status: isError ? { code: 2 } : {},
  };
}

function recordOf({ event, at, trace, attributes }: LogRecord): object {
  return {
    timeUnixNano: nanos(at),
    observedTimeUnixNano: nanos(at),
    severityNumber: 9,
    severityText: "INFO",
    eventName: event,
    attributes: listOf(attributes),
    traceId: trace.traceId,
    spanId: trace.spanId,
  };
}

/** Nanoseconds as a decimal text, since a number would round them. */
function nanos(ms: number): string {
  return (BigInt(Math.round(ms * 1000)) * 1000n).toString();
}

function listOf(attributes: Attributes): object[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: valueOf(value) }));
}

function valueOf(value: string | number | boolean): object {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
