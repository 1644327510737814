import type { Telemeter } from "../../../src/send/telemetry/telemetry.ts";
import { VERSION } from "../../version.ts";
import type { ServeConfig } from "../config.ts";
import type { Log } from "../log.ts";

/** Sends observations of this thread to the collector of `--otlp-endpoint`; null without one, and nothing is loaded then. */
export async function openTelemetry({ telemetry }: ServeConfig, log: Log): Promise<Telemeter | null> {
  if (telemetry === null) return null;
  const { createTelemetry } = await import("../../../src/send/telemetry/telemetry.ts");
  return createTelemetry(telemetry, VERSION, (text) => log.line("warn", `telemetry: ${text}`));
}
