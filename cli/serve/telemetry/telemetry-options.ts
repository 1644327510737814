import { Option } from "commander";
import type { Sampling, ServerAddress, TelemetrySettings } from "../../../src/send/telemetry/settings.ts";
import { env } from "../../session/env.ts";
import { usage } from "../../session/usage.ts";
import type { Telemeter } from "../../../src/send/telemetry/telemetry.ts";
import { VERSION } from "../../version.ts";
import type { Log } from "../log.ts";

/** The options of OpenTelemetry; its standard variables do the rest: https://opentelemetry.io/docs/specs/otel/protocol/exporter/ */
export function telemetryOptions(): Option[] {
  return [
    new Option("--otlp-endpoint <url>", "OpenTelemetry collector for traces (OTLP over HTTP)").env(
      "OTEL_EXPORTER_OTLP_ENDPOINT",
    ),
    new Option(
      "--otlp-evaluations <share>",
      "fraction of evaluations to record at the collector, from 0 to 1",
    )
      .env("FORMFLAG_OTLP_EVALUATIONS")
      .default("0"),
  ];
}

/** Null without a collector. Throws `invalid`. */
export function readTelemetry(options: Record<string, unknown>, variables = env): TelemetrySettings | null {
  const { otlpEndpoint: endpoint, otlpEvaluations = "0" } = options as Record<string, string | undefined>;
  const evaluations = shareOf(otlpEvaluations, "--otlp-evaluations");
  if (endpoint === undefined || /^true$/i.test(variables["OTEL_SDK_DISABLED"] ?? "")) return null;
  const protocol = variables["OTEL_EXPORTER_OTLP_PROTOCOL"] ?? "http/json";
  if (!protocol.startsWith("http/"))
    throw usage(
      `OTEL_EXPORTER_OTLP_PROTOCOL=${protocol} is not HTTP`,
      "formflag sends http/json, to port 4318 of most collectors; OTEL_SDK_DISABLED=true switches it off",
    );
  const attributes = pairsOf(variables["OTEL_RESOURCE_ATTRIBUTES"], "OTEL_RESOURCE_ATTRIBUTES");
  return {
    traces: addressOf(endpoint, "TRACES", variables),
    logs: addressOf(endpoint, "LOGS", variables),
    sampling: samplingOf(variables),
    evaluations,
    resource: {
      ...attributes,
      "service.name": variables["OTEL_SERVICE_NAME"] ?? attributes["service.name"] ?? "formflag",
    },
  };
}

type Variables = Readonly<Record<string, string | undefined>>;

function addressOf(endpoint: string, signal: "TRACES" | "LOGS", variables: Variables): ServerAddress {
  const own = (name: string) =>
    variables[`OTEL_EXPORTER_OTLP_${signal}_${name}`] ?? variables[`OTEL_EXPORTER_OTLP_${name}`];
  const exact = variables[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`];
  const url = URL.parse(exact ?? `${endpoint.replace(/\/+$/, "")}/v1/${signal.toLowerCase()}`);
  const name = exact === undefined ? "--otlp-endpoint" : `OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`;
  if (url === null || !/^https?:$/.test(url.protocol))
    throw usage(`${name} ${exact ?? endpoint} is not a web address`, "it looks like http://127.0.0.1:4318");
  if (url.username !== "" || url.password !== "")
    throw usage(
      `${name} holds a password, which other users of this machine can read`,
      "put it into OTEL_EXPORTER_OTLP_HEADERS",
    );
  const timeout = own("TIMEOUT") ?? "10000";
  if (!/^[1-9]\d{0,6}$/.test(timeout))
    throw usage(`OTEL_EXPORTER_OTLP_TIMEOUT=${timeout} is no number of milliseconds`, "it looks like 10000");
  return {
    url: url.href,
    headers: pairsOf(own("HEADERS"), "OTEL_EXPORTER_OTLP_HEADERS"),
    timeoutMs: Number(timeout),
    isGzip: own("COMPRESSION") === "gzip",
  };
}

/** `a=b,c=d` with percent-encoded values (W3C Baggage). Throws `invalid` without the text, which may be secret. */
function pairsOf(text: string | undefined, variable: string): Record<string, string> {
  const pairs = (text ?? "").split(",").filter((pair) => pair.trim() !== "");
  const entries = pairs.map((pair): [string, string] => {
    const at = pair.indexOf("=");
    try {
      if (at > 0) return [pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())];
    } catch {
      // A broken escape, as below.
    }
    throw usage(
      `${variable} has a part that is not a name, = and a value`,
      "it looks like name=value,other=value",
    );
  });
  return Object.fromEntries(entries);
}

const SAMPLERS = ["always_on", "always_off", "traceidratio"];

function samplingOf(variables: Variables): Sampling {
  const sampler = variables["OTEL_TRACES_SAMPLER"] ?? "parentbased_always_on";
  const name = sampler.replace(/^parentbased_/, "");
  if (!SAMPLERS.includes(name)) {
    const names = SAMPLERS.flatMap((each) => [each, `parentbased_${each}`]);
    throw usage(`OTEL_TRACES_SAMPLER=${sampler} is unknown`, `there are ${names.join(", ")}`);
  }
  const ratio =
    name === "traceidratio"
      ? shareOf(variables["OTEL_TRACES_SAMPLER_ARG"] ?? "1", "OTEL_TRACES_SAMPLER_ARG")
      : Number(name === "always_on");
  return { ratio, followsParent: name !== sampler };
}

/** Throws `invalid`. */
function shareOf(text: string, name: string): number {
  const share = /^(?:0|1|0?\.\d{1,12}|[01]\.0+)$/.test(text) ? Number(text) : Number.NaN;
  if (!(share >= 0 && share <= 1))
    throw usage(`${name} ${text} is no share`, "it is a number from 0 to 1, such as 0.01");
  return share;
}

/** Sends observations of this thread to the collector of `--otlp-endpoint`; null without one, and nothing is loaded then. */
export async function openTelemetry(
  { telemetry }: { telemetry: TelemetrySettings | null },
  log: Log,
): Promise<Telemeter | null> {
  if (telemetry === null) return null;
  const { createTelemetry } = await import("../../../src/send/telemetry/telemetry.ts");
  return createTelemetry(telemetry, VERSION, (text) => log.line("warn", `telemetry: ${text}`));
}
