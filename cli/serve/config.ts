import { isAddressRange } from "../../src/base/network.ts";
import type { Rate } from "../../src/base/units.ts";
import type { TelemetrySettings } from "../../src/send/telemetry/settings.ts";
import { usage } from "../session/usage.ts";
import { countValue, durationValue, isUnset, rateValue } from "../session/values.ts";
import { type Listen, listenValue } from "./address.ts";
import { type AuditSettings, readAudit } from "./audit/audit-options.ts";
import { type BackupSettings, readBackup } from "./backups/schedule-options.ts";
import { type DashboardConfig, readDashboard } from "./dashboard-config.ts";
import type { Tls } from "./listen.ts";
import { type DomainSettings, everyAddress, readDomain } from "./domain/domain-options.ts";
import type { LogConfig } from "./log.ts";
import { type OutgoingSettings, readAlertMail, readOutgoing, readRetryDelays } from "./outgoing-config.ts";
import { type FollowSettings, readFollow } from "./relay/relay-options.ts";
import { type Settings, settingsOf } from "./settings.ts";
import { readTelemetry } from "./telemetry/telemetry-options.ts";
import { threadsValue } from "./threads/count.ts";

/** The options of `serve`, checked. */
export type ServeConfig = DashboardConfig & {
  data: string;
  listen: Listen;
  formsListen: Listen | null;
  flagsListen: Listen | null;
  adminListen: Listen | null;
  metricsListen: Listen | null;
  /** Where flagd and its providers get flags over gRPC; null for nowhere. */
  flagdListen: Listen | null;
  publicUrl: string | null;
  /** Empty, or `/a` or `/a/b`. */
  basePath: string;
  /** Whether the base path is only that of the public URL, so that a proxy may pass it on or take it away. */
  isBaseOptional: boolean;
  trustedProxies: string[];
  /** The files of the certificate and its key. */
  tls: Tls | null;
  /** The domains whose certificate the server gets itself; null for none. */
  domain: DomainSettings | null;
  /** The server whose flags this one serves; null for data of its own. */
  follow: FollowSettings | null;
  /** Seconds of `Strict-Transport-Security`; null sends none. */
  hsts: number | null;
  limits: { concurrent: number; rate: Rate | null };
  /** The feedback about previews that one address may send over time; null for no limit. */
  feedbackRate: Rate | null;
  /** The age in milliseconds up to which flags are answered from memory while the database does not answer; null for any. */
  maxStale: number | null;
  /** How many threads serve. */
  threads: number | "auto";
  /** Milliseconds to serve on as not ready before stopping; null for the default of the database. */
  drain: number | null;
  log: LogConfig;
  outgoing: OutgoingSettings;
  /** The address that gets mail about deliveries that failed for the last time; null for none. */
  alertMail: string | null;
  /** Seconds that a delivery waits after each failed try. */
  retryDelays: number[];
  /** Backups that the server makes itself; null for none. */
  backups: BackupSettings | null;
  audit: AuditSettings;
  /** Where observations go (OpenTelemetry); null for nowhere. */
  telemetry: TelemetrySettings | null;
  /** Whether assistants are served at `/mcp`. */
  mcp: boolean;
  /** Whether the clients of assistants may register. */
  mcpRegistration: boolean;
  /** Every option as it is in effect, for commands that look at the running server. */
  settings: Settings;
};

/** As commander leaves them in `serveOptions`. */
type ServeOptions = {
  data: string;
  listen?: string;
  formsListen?: string;
  flagsListen?: string;
  adminListen?: string;
  metricsListen?: string;
  flagdListen?: string;
  publicUrl?: string;
  basePath?: string;
  dashboardUrl?: string;
  trustedProxy?: string[];
  tlsCert?: string;
  tlsKey?: string;
  hsts?: string;
  maxConcurrent: string;
  maxRate: string;
  feedbackRate: string;
  mcp?: boolean;
  mcpRegistration?: boolean;
  maxStale: string;
  threads: string;
  drain?: string;
  logFormat?: LogConfig["format"];
  logLevel: LogConfig["level"];
};

const DEFAULT_LISTEN = "127.0.0.1:8787";

/** The options of `serve` as a configuration. Throws `invalid`. */
export function readServeConfig(given: Record<string, unknown>): ServeConfig {
  const domain = readDomain(given);
  // Every reader of the settings finds the address that follows from the domain.
  const options = domain === null ? given : { publicUrl: `https://${domain.names[0]}`, ...given };
  return readOptions(options, domain);
}

/** The addresses of a server whose ports are under 1024, which few users may use. */
export function lowPortsOf(config: ServeConfig): Listen[] {
  const { domain, listen, formsListen, flagsListen, adminListen, metricsListen, flagdListen } = config;
  const all = [domain?.http, listen, formsListen, flagsListen, adminListen, metricsListen, flagdListen];
  return all.filter((each): each is Listen => each != null && each.port > 0 && each.port < 1024);
}

function readOptions(options: Record<string, unknown>, domain: DomainSettings | null): ServeConfig {
  const given = options as ServeOptions;
  const publicUrl = given.publicUrl ?? null;
  if (publicUrl !== null && !(URL.canParse(publicUrl) && /^https?:$/.test(new URL(publicUrl).protocol))) {
    throw usage(`--public-url ${publicUrl} is not a web address`, "it looks like https://forms.example.com");
  }
  const trustedProxies = given.trustedProxy ?? [];
  for (const range of trustedProxies) {
    if (!isAddressRange(range))
      throw usage(`--trusted-proxy ${range} is not an address range`, "it looks like 10.0.0.0/8");
  }
  const own = (text: string | undefined, option: string) =>
    text === undefined ? null : listenValue(text, option);
  const isBaseOptional = given.basePath === undefined && given.dashboardUrl === undefined;
  const basePath = isBaseOptional ? pathOf(publicUrl) : basePathOf(given.basePath ?? "");
  return {
    data: given.data,
    listen: listenValue(given.listen ?? (domain ? everyAddress(443) : DEFAULT_LISTEN), "--listen"),
    formsListen: own(given.formsListen, "--forms-listen"),
    flagsListen: own(given.flagsListen, "--flags-listen"),
    adminListen: own(given.adminListen, "--admin-listen"),
    metricsListen: own(given.metricsListen, "--metrics-listen"),
    flagdListen: own(given.flagdListen, "--flagd-listen"),
    publicUrl,
    basePath,
    isBaseOptional: isBaseOptional && basePath !== "",
    trustedProxies,
    tls: tlsOf(given, domain),
    domain,
    follow: readFollow(options),
    hsts: hstsOf(given.hsts, publicUrl),
    limits: {
      concurrent: countValue(given.maxConcurrent, "--max-concurrent") || Number.POSITIVE_INFINITY,
      rate: rateValue(given.maxRate, "--max-rate"),
    },
    feedbackRate: rateValue(given.feedbackRate, "--feedback-rate"),
    maxStale: isUnset(given.maxStale) ? null : timeOf(given.maxStale, "--max-stale"),
    threads: threadsValue(given.threads),
    drain: drainOf(given.drain),
    log: { format: given.logFormat ?? null, level: given.logLevel },
    ...readDashboard(options, basePath),
    outgoing: readOutgoing(options),
    alertMail: readAlertMail(options),
    retryDelays: readRetryDelays(options),
    backups: readBackup(options),
    audit: readAudit(options),
    telemetry: readTelemetry(options),
    ...mcpOf(given),
    settings: settingsOf(options),
  };
}

function mcpOf({ mcp = false, mcpRegistration = false }: ServeOptions) {
  if (mcpRegistration && !mcp)
    throw usage("--mcp-registration needs --mcp", "it lets the clients of assistants register");
  return { mcp, mcpRegistration };
}

/** The path of a public URL as a base path; empty for none, and for one that no base path can be. */
function pathOf(publicUrl: string | null): string {
  const path = publicUrl === null ? "" : new URL(publicUrl).pathname.replace(/\/+$/, "");
  return BASE_PATH.test(path) ? path : "";
}

const BASE_PATH = /^(?:\/[\w.~-]+)+$/;

function basePathOf(text: string): string {
  const path = text.replace(/\/+$/, "");
  if (path !== "" && !BASE_PATH.test(path))
    throw usage(`--base-path ${text} is not a path`, "it looks like /formflag");
  return path;
}

/** Milliseconds. Throws `invalid`. */
function timeOf(text: string, option: string): number {
  return durationValue(text, option) * 1000;
}

/** Longer than any balancer takes to notice, in milliseconds. */
const MAX_DRAIN = 3_600_000;

function drainOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  const ms = isUnset(text) ? 0 : timeOf(text, "--drain");
  if (ms > MAX_DRAIN) throw usage(`--drain is at most 1h, not ${text}`);
  return ms;
}

const A_YEAR = 365 * 24 * 60 * 60;

/** Not wherever `--tls-cert` is set: browsers would refuse every other service of that host over plain HTTP for a year. */
function hstsOf(text: string | undefined, publicUrl: string | null): number | null {
  if (text === undefined) return publicUrl?.startsWith("https:") ? A_YEAR : null;
  if (text === "off") return null;
  if (!/^\d{1,9}$/.test(text)) {
    throw usage(`--hsts ${text} is not a number of seconds`, "it looks like 31536000, or off");
  }
  return Number(text);
}

function tlsOf({ tlsCert, tlsKey }: ServeOptions, domain: DomainSettings | null): Tls | null {
  if (domain !== null && (tlsCert ?? tlsKey) !== undefined)
    throw usage("--domain gets a certificate itself, and --tls-cert names one", "leave one of them out");
  if (tlsCert !== undefined && tlsKey !== undefined) return { cert: tlsCert, key: tlsKey };
  if (tlsCert === undefined && tlsKey === undefined) return null;
  throw usage("--tls-cert and --tls-key go together", "name the certificate chain and its private key");
}
