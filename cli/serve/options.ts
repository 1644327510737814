import { Option } from "commander";
import { DEFAULT_MAX_CONCURRENT } from "../../src/http/limits.ts";
import { listOption } from "../session/command-line.ts";
import { auditOptions } from "./audit/audit-options.ts";
import { backupOptions } from "./backups/schedule-options.ts";
import { domainOptions } from "./domain/domain-options.ts";
import { LOG_FORMATS, LOG_LEVELS } from "./log.ts";
import { deliveryOptions, outgoingOptions } from "./outgoing-options.ts";
import { followOption } from "./relay/relay-options.ts";
import { telemetryOptions } from "./telemetry/telemetry-options.ts";
import { ROLES } from "../../src/access/role.ts";

/** The options of `serve`, which other commands take to find or describe the server. */
export function serveOptions(): Option[] {
  return [
    ...group("Addresses:", addressOptions()),
    ...group("Following another server:", [followOption()]),
    ...group("HTTPS:", [
      ...domainOptions(),
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
    ]),
    ...group("Limits:", [
      new Option("--max-concurrent <n>", "most requests of one address in progress")
        .env("FORMFLAG_MAX_CONCURRENT")
        .default(String(DEFAULT_MAX_CONCURRENT)),
      new Option("--max-rate <rate>", "most requests of one address in a time, such as 600/m")
        .env("FORMFLAG_MAX_RATE")
        .default("off"),
      new Option("--feedback-rate <rate>", "most feedback about previews from one address in a time, or off")
        .env("FORMFLAG_FEEDBACK_RATE")
        .default("60/m"),
      new Option(
        "--max-stale <time>",
        "how long to answer flags from memory while a shared database, or the server of --follow, does not answer, such as 60s",
      )
        .env("FORMFLAG_MAX_STALE")
        .default("off"),
      new Option("--threads <n>", "serving threads, 1 to 64, or auto: one less than the cores, at most 8")
        .env("FORMFLAG_THREADS")
        .default("auto"),
      new Option(
        "--drain <time>",
        "how long the server continues to serve, marked as not ready, after SIGTERM; default: 5s with a shared database, else 0s",
      ).env("FORMFLAG_DRAIN"),
    ]),
    ...group("Log:", [
      new Option("--log-format <format>", "text, or JSON lines; default: text on a terminal, else JSON lines")
        .env("FORMFLAG_LOG_FORMAT")
        .choices(LOG_FORMATS),
      new Option("--log-level <level>", "lowest level to log")
        .env("FORMFLAG_LOG_LEVEL")
        .choices(LOG_LEVELS)
        .default("info"),
      ...auditOptions(),
      ...telemetryOptions(),
    ]),
    ...group("Dashboard and sign-in:", [...dashboardOptions(), ...oidcOptions()]),
    ...group("Mail and targets:", [...outgoingOptions(), ...deliveryOptions()]),
    ...group("Backups:", backupOptions()),
  ];
}

function addressOptions(): Option[] {
  return [
    new Option(
      "--listen <address>",
      "address of all services; default: 127.0.0.1:8787, or port 443 of every address with --domain",
    ).env("FORMFLAG_LISTEN"),
    new Option("--forms-listen <address>", "separate address for form submissions").env(
      "FORMFLAG_FORMS_LISTEN",
    ),
    new Option("--flags-listen <address>", "separate address for flag reads").env("FORMFLAG_FLAGS_LISTEN"),
    new Option("--admin-listen <address>", "separate address for the admin API").env("FORMFLAG_ADMIN_LISTEN"),
    new Option("--metrics-listen <address>", "separate address for /metrics, where no token is needed").env(
      "FORMFLAG_METRICS_LISTEN",
    ),
    new Option(
      "--flagd-listen <address>",
      "address at which flagd and in-process providers get flags over gRPC, such as 127.0.0.1:8015",
    ).env("FORMFLAG_FLAGD_LISTEN"),
    new Option("--public-url <url>", "address at which senders reach the forms; links begin with it").env(
      "FORMFLAG_PUBLIC_URL",
    ),
    new Option(
      "--base-path <path>",
      "prefix of every path, such as /formflag; default: the path of --public-url, if it has one",
    ).env("FORMFLAG_BASE_PATH"),
    listOption("--trusted-proxy <cidr...>", "proxies whose X-Forwarded-For is trusted").env(
      "FORMFLAG_TRUSTED_PROXY",
    ),
    new Option("--mcp", "serve assistants (MCP) at /mcp, on the address of the admin API").env(
      "FORMFLAG_MCP",
    ),
    new Option(
      "--mcp-registration",
      "let assistants register themselves to sign people in, which some need; others have a document at an address",
    ).env("FORMFLAG_MCP_REGISTRATION"),
  ];
}

/** Options below a heading in the help. */
function group(heading: string, options: Option[]): Option[] {
  return options.map((option) => option.helpGroup(heading));
}

/** The options of the dashboard. */
function dashboardOptions(): Option[] {
  return [
    new Option("--no-dashboard", "serve no dashboard").env("FORMFLAG_NO_DASHBOARD"),
    new Option(
      "--dashboard-url <url>",
      "address at which browsers reach the dashboard; sign-in links begin with it, and only forms from there are accepted",
    ).env("FORMFLAG_DASHBOARD_URL"),
    new Option(
      "--auth-header <name>",
      "header in which a trusted proxy names the signed-in user; needs --dashboard-url",
    ).env("FORMFLAG_AUTH_HEADER"),
    new Option(
      "--auth-create <role>",
      "create users that the proxy names, as viewers; without it, they must exist",
    )
      .env("FORMFLAG_AUTH_CREATE")
      .choices(["viewer"]),
    new Option(
      "--second-factor <role>",
      "role from which users need a second factor after a password or link, here or in a project; default: none",
    )
      .env("FORMFLAG_SECOND_FACTOR")
      .choices(ROLES),
  ];
}

/** The options of sign-in by an OpenID provider. */
function oidcOptions(): Option[] {
  return [
    new Option(
      "--oidc-issuer <url>",
      "OpenID provider for signing in to the dashboard; needs --dashboard-url",
    ).env("FORMFLAG_OIDC_ISSUER"),
    new Option("--oidc-client-id <id>", "id of this server's client at the provider").env(
      "FORMFLAG_OIDC_CLIENT_ID",
    ),
    new Option(
      "--oidc-client-secret-file <file>",
      "file with the client secret; FORMFLAG_OIDC_CLIENT_SECRET contains the secret itself",
    ).env("FORMFLAG_OIDC_CLIENT_SECRET_FILE"),
    new Option("--oidc-name <name>", "name of the provider on the button; default: its host").env(
      "FORMFLAG_OIDC_NAME",
    ),
    new Option("--oidc-scopes <scopes>", "scopes to request, separated by spaces")
      .env("FORMFLAG_OIDC_SCOPES")
      .default("openid profile email"),
    new Option("--oidc-user-claim <claim>", "claim that names new users")
      .env("FORMFLAG_OIDC_USER_CLAIM")
      .default("preferred_username"),
    new Option(
      "--oidc-groups-claim <claim>",
      "claim that lists the groups of a person, such as realm_access.roles",
    )
      .env("FORMFLAG_OIDC_GROUPS_CLAIM")
      .default("groups"),
    listOf(
      "--oidc-require <claim=value>",
      "admit only people with this claim, such as hd=example.com; repeatable",
    ).env("FORMFLAG_OIDC_REQUIRE"),
    listOf(
      "--oidc-map <group=role>",
      "role of a group, in every project or in one: staff=viewer, devs=shop:editor; repeatable",
    ).env("FORMFLAG_OIDC_MAP"),
    new Option("--oidc-create <role>", "create users who sign in for the first time, with this role")
      .env("FORMFLAG_OIDC_CREATE")
      .choices(["none", "viewer"]),
    new Option(
      "--oidc-trust-names",
      "sign in the user with the name that the provider gives, if that user has no account there yet",
    ).env("FORMFLAG_OIDC_TRUST_NAMES"),
    new Option("--oidc-session <time>", "how long a session from the provider lasts")
      .env("FORMFLAG_OIDC_SESSION")
      .default("12h"),
    new Option("--no-password", "accept no passwords; sign-in links still work").env("FORMFLAG_NO_PASSWORD"),
  ];
}

/** An option that may be repeated; its values are split where they are read, since they may hold commas. */
function listOf(flags: string, description: string): Option {
  return new Option(flags, description).argParser((text: string, earlier: string[] | undefined) => [
    ...(earlier ?? []),
    text,
  ]);
}
