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
    new Option("--forms-listen <address>", "separate address for form submissions").env(
      "FORMFLAG_FORMS_LISTEN",
    ),
    new Option("--flags-listen <address>", "separate address for flag reads").env("FORMFLAG_FLAGS_LISTEN"),
    new Option("--admin-listen <address>", "separate address for the admin API").env("FORMFLAG_ADMIN_LISTEN"),
    new Option("--public-url <url>", "address at which senders reach the forms; links begin with it").env(
      "FORMFLAG_PUBLIC_URL",
    ),
    listOption("--trusted-proxy <cidr...>", "proxies whose X-Forwarded-For is trusted").env(
      "FORMFLAG_TRUSTED_PROXY",
    ),
    new Option(
      "--base-path <path>",
      "prefix of every path, such as /formflag; default: the path of --public-url, if it has one",
    ).env("FORMFLAG_BASE_PATH"),
    new Option("--tls-cert <file>", "serve HTTPS with this certificate chain, in PEM").env(
      "FORMFLAG_TLS_CERT",
    ),
    new Option("--tls-key <file>", "private key of the certificate; SIGHUP reloads both").env(
      "FORMFLAG_TLS_KEY",
    ),
    new Option(
      "--hsts <seconds>",
      "how long browsers use only HTTPS, or off; default: a year if --public-url is https",
    ).env("FORMFLAG_HSTS"),
    new Option("--max-concurrent <n>", "most requests of one address in progress")
      .env("FORMFLAG_MAX_CONCURRENT")
      .default(String(DEFAULT_MAX_CONCURRENT)),
    new Option("--max-rate <rate>", "most requests of one address in a time, such as 600/m")
      .env("FORMFLAG_MAX_RATE")
      .default("off"),
    new Option("--feedback-rate <rate>", "most feedback about previews from one address in a time, or off")
      .env("FORMFLAG_FEEDBACK_RATE")
      .default("60/m"),
    new Option("--threads <n>", "serving threads, 1 to 64, or auto: one less than the cores, at most 8")
      .env("FORMFLAG_THREADS")
      .default("auto"),
    new Option("--metrics-listen <address>", "separate address for /metrics, where no token is needed").env(
      "FORMFLAG_METRICS_LISTEN",
    ),
    new Option("--mcp", "serve assistants (MCP) at /mcp, on the address of the admin API").env(
      "FORMFLAG_MCP",
    ),
    new Option(
      "--flagd-listen <address>",
      "address at which flagd and in-process providers get flags over gRPC, such as 127.0.0.1:8015",
    ).env("FORMFLAG_FLAGD_LISTEN"),
    new Option(
      "--max-stale <time>",
      "how long to answer flags from memory while a shared database does not answer, such as 60s",
    )
      .env("FORMFLAG_MAX_STALE")
      .default("off"),
    new Option(
      "--drain <time>",
      "how long the server continues to serve, marked as not ready, after SIGTERM; default: 5s with a shared database, else 0s",
    ).env("FORMFLAG_DRAIN"),
    new Option("--log-format <format>", "text, or JSON lines; default: text on a terminal, else JSON lines")
      .env("FORMFLAG_LOG_FORMAT")
      .choices(LOG_FORMATS),
    new Option("--log-level <level>", "lowest level to log")
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
