import { Option } from "commander";
import { DEFAULT_MAX_CONCURRENT } from "../../src/http/limits.ts";
import { listOption } from "../session/command-line.ts";
import { auditOptions } from "./audit/audit-options.ts";
import { backupOptions } from "./backups/schedule-options.ts";
import { dashboardOptions } from "./dashboard-options.ts";
import { LOG_FORMATS, LOG_LEVELS } from "./log.ts";
import { oidcOptions } from "./oidc-options.ts";
import { deliveryOptions, outgoingOptions } from "./outgoing-options.ts";
import { telemetryOptions } from "./telemetry/telemetry-options.ts";

/** The options of `serve`, which other commands take to find or describe the server. */
export function serveOptions(): Option[] {
  return [
    new Option("--listen <address>", "address of all services")
      .env("FORMFLAG_LISTEN")
      .default("127.0.0.1:8787"),
    new Option("--forms-listen <address>", "another address for form submissions").env(
      "FORMFLAG_FORMS_LISTEN",
    ),
    new Option("--flags-listen <address>", "another address for flag reads").env("FORMFLAG_FLAGS_LISTEN"),
    new Option("--admin-listen <address>", "another address for the admin API").env("FORMFLAG_ADMIN_LISTEN"),
    new Option("--public-url <url>", "where senders reach the forms; links are built from it").env(
      "FORMFLAG_PUBLIC_URL",
    ),
    listOption("--trusted-proxy <cidr...>", "proxies whose X-Forwarded-For counts").env(
      "FORMFLAG_TRUSTED_PROXY",
    ),
    new Option(
      "--base-path <path>",
      "prefix of every path, such as /formflag; default: the path of --public-url, if it has one",
    ).env("FORMFLAG_BASE_PATH"),
    new Option("--tls-cert <file>", "serve HTTPS with this certificate chain, in PEM").env(
      "FORMFLAG_TLS_CERT",
    ),
    new Option("--tls-key <file>", "and its private key; SIGHUP reads both again").env("FORMFLAG_TLS_KEY"),
    new Option(
      "--hsts <seconds>",
      "for how long browsers use HTTPS only, or off; by default a year if --public-url is https",
    ).env("FORMFLAG_HSTS"),
    new Option("--max-concurrent <n>", "requests of one address under way at a time")
      .env("FORMFLAG_MAX_CONCURRENT")
      .default(String(DEFAULT_MAX_CONCURRENT)),
    new Option("--max-rate <rate>", "requests of one address over time, such as 600/m")
      .env("FORMFLAG_MAX_RATE")
      .default("off"),
    new Option(
      "--feedback-rate <rate>",
      "feedback about previews that one address may send over time, or off",
    )
      .env("FORMFLAG_FEEDBACK_RATE")
      .default("60/m"),
    new Option(
      "--threads <n>",
      "threads that serve, from 1 to 64, or auto: one for each core but one, at most 8",
    )
      .env("FORMFLAG_THREADS")
      .default("auto"),
    new Option("--metrics-listen <address>", "another address for /metrics, where no token is needed").env(
      "FORMFLAG_METRICS_LISTEN",
    ),
    new Option("--mcp", "serve assistants (MCP) at /mcp, beside the admin API").env("FORMFLAG_MCP"),
    new Option(
      "--flagd-listen <address>",
      "an address where flagd and its in-process providers get flags over gRPC, such as 127.0.0.1:8015",
    ).env("FORMFLAG_FLAGD_LISTEN"),
    new Option(
      "--max-stale <time>",
      "how long flags are answered from memory while a shared database does not answer, such as 60s",
    )
      .env("FORMFLAG_MAX_STALE")
      .default("off"),
    new Option(
      "--drain <time>",
      "how long SIGTERM lets the server go on, not ready, before it stops; by default 5s with a shared database, else 0s",
    ).env("FORMFLAG_DRAIN"),
    new Option("--log-format <format>", "text, or JSON lines; by default text on a terminal only")
      .env("FORMFLAG_LOG_FORMAT")
      .choices(LOG_FORMATS),
    new Option("--log-level <level>", "lowest level that is logged")
      .env("FORMFLAG_LOG_LEVEL")
      .choices(LOG_LEVELS)
      .default("info"),
    ...dashboardOptions(),
    ...oidcOptions(),
    ...outgoingOptions(),
    ...deliveryOptions(),
    ...backupOptions(),
    ...auditOptions(),
    ...telemetryOptions(),
  ];
}
