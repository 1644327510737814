import { AppError } from "../../base/errors.ts";

/** How TLS is used, in the words of libpq (https://www.postgresql.org/docs/current/libpq-ssl.html). */
type SslMode = "disable" | "prefer" | "require" | "verify-ca" | "verify-full";

/** Address of a PostgreSQL database, and options of the connection. */
export type DatabaseAddress = {
  /** A name, an IP address, or the directory of a unix socket. */
  host: string;
  port: number;
  user: string;
  /** Empty without one. */
  password: string;
  database: string;
  sslMode: SslMode;
  /** The path of the certificates that sign the server's; null for those of the system. */
  sslRootCert: string | null;
  /** Whether a login over TLS is tied to the certificate of the server. */
  channelBinding: "disable" | "prefer" | "require";
  /** Whether statements are prepared by name. Off for a pooler that does not know them; startup options are off then too. */
  prepare: boolean;
};

const SYNTAX =
  /^postgres(?:ql)?:\/\/(?:([^@/?#]*)@)?(\[[0-9a-fA-F:.%]+\]|[^:@/?#[\]]*)(?::(\d{0,5}))?(?:\/([^/?#]*))?(?:\?([^#]*))?$/;

const SSL_MODES = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"] as const;
const BINDINGS = ["disable", "prefer", "require"] as const;
const SETTINGS = new Set(["host", "sslmode", "sslrootcert", "channel_binding", "prepare"]);

/** The scheme of a URL, for a message: without anything that may be secret. */
const SCHEME = /^([a-z][a-z0-9+.-]{0,30}):\/\//i;

/**
 * Parses `postgres://user:password@host:port/database?settings`, like libpq. The settings are `host` (for the directory
 * of a unix socket), `sslmode`, `sslrootcert`, `channel_binding` and `prepare`. For a host other than this machine, TLS
 * is required unless `sslmode=disable`. Throws `invalid` with a message that shows no password.
 */
export function parseDatabaseUrl(url: string): DatabaseAddress {
  const scheme = SCHEME.exec(url)?.[1]?.toLowerCase();
  if (scheme === undefined) throw invalid("the database URL does not start with postgres://");
  if (scheme !== "postgres" && scheme !== "postgresql")
    throw invalid(`the database URL starts with ${scheme}://, not with postgres://`);
  const match = SYNTAX.exec(url);
  if (!match) throw invalid("the database URL is malformed");
  const [, login = "", place = "", portText = "", name = "", query = ""] = match;
  const settings = readSettings(query);
  const colon = login.indexOf(":");
  const user = decode(colon < 0 ? login : login.slice(0, colon), "user");
  if (user === "") throw invalid("the database URL names no user");
  const host = settings.get("host") ?? decode(place.replace(/^\[(.*)\]$/, "$1"), "host");
  const address = host === "" ? "localhost" : host;
  if (address.includes(",")) throw invalid("the database URL has to name one host");
  const port = portText === "" ? 5432 : Number(portText);
  if (port < 1 || port > 65_535) throw invalid("the port of the database URL is not between 1 and 65535");
  const sslMode = readSslMode(settings.get("sslmode"), isThisMachine(address));
  const sslRootCert = settings.get("sslrootcert") ?? null;
  if (sslRootCert !== null && (sslMode === "disable" || sslMode === "prefer"))
    throw invalid(
      "the database URL has sslrootcert, and an sslmode that checks no certificate",
      "database-url-certificate",
    );
  return {
    host: address,
    port,
    user,
    password: decode(colon < 0 ? "" : login.slice(colon + 1), "password"),
    // As in libpq, the database is named like the user unless it is given.
    database: decode(name, "database") || user,
    sslMode,
    sslRootCert,
    channelBinding: oneOf(BINDINGS, "channel_binding", settings.get("channel_binding") ?? "disable"),
    prepare: readSwitch(settings.get("prepare")),
  };
}

/** The address as text without the password: `postgres://user@host:5432/database`. */
export function describeDatabase({ host, port, user, database }: DatabaseAddress): string {
  const place = host.startsWith("/") ? "" : host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
  const socket = host.startsWith("/") ? `?host=${host}` : "";
  return `postgres://${encodeURIComponent(user)}@${place}/${encodeURIComponent(database)}${socket}`;
}

function readSettings(query: string): Map<string, string> {
  const settings = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(query)) {
    if (!SETTINGS.has(name))
      throw invalid(
        `the database URL has a setting ${JSON.stringify(name)}, which is none of ${[...SETTINGS].join(", ")}`,
        "database-url-setting",
      );
    settings.set(name, value);
  }
  return settings;
}

/** Whether a connection to a host stays on this machine. */
function isThisMachine(host: string): boolean {
  return host.startsWith("/") || host === "localhost" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host);
}

function readSslMode(text: string | undefined, isLocal: boolean): SslMode {
  if (text === undefined) return isLocal ? "disable" : "require";
  const mode = oneOf(SSL_MODES, "sslmode", text);
  if (mode !== "allow" && mode !== "prefer") return mode;
  return isLocal ? "prefer" : "require";
}

function readSwitch(text = "true"): boolean {
  return oneOf(["true", "false"] as const, "prepare", text) === "true";
}

function oneOf<T extends string>(known: readonly T[], name: string, text: string): T {
  const value = known.find((each) => each === text);
  if (value === undefined)
    throw invalid(`${name} in the database URL is not one of ${known.join(", ")}`, "database-url-setting");
  return value;
}

function decode(text: string, what: string): string {
  let decoded: string;
  try {
    decoded = decodeURIComponent(text);
  } catch {
    throw invalid(`the ${what} in the database URL has a broken %-escape`);
  }
  if (decoded.includes("\0")) throw invalid(`the ${what} in the database URL holds a NUL character`);
  return decoded;
}

function invalid(message: string, reason = "database-url"): AppError {
  return new AppError("invalid", message, { reason });
}
