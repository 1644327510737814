import { AppError } from "../base/errors.ts";
import { isLoopbackHost } from "../base/network.ts";

/** Whether a connection without TLS from the start is upgraded (RFC 3207). */
type StartTls = "required" | "optional" | "off";

/** A server that takes mail. `secure` is TLS from the start (RFC 8314), where `starttls` is off. */
export type SmtpServer = {
  /** A name or an address, IPv6 without brackets. */
  host: string;
  port: number;
  secure: boolean;
  starttls: StartTls;
  user: string | null;
};

const MODES: readonly string[] = ["required", "optional", "off"] satisfies StartTls[];

/**
 * Parses `smtp[s]://user@host:port[?starttls=required|optional|off]`. Default ports: 587, and 465 for `smtps`. STARTTLS is
 * required unless the server is this machine, where it is optional. Throws `invalid`; no error repeats the URL, which may
 * hold a password.
 */
export function parseSmtpUrl(text: string): SmtpServer {
  const url = URL.canParse(text) ? new URL(text) : null;
  const hasScheme = url !== null && /^smtps?:\/\//i.test(text);
  const host = hasScheme ? hostOf(url) : "";
  if (
    url === null ||
    host === "" ||
    !["", "/"].includes(url.pathname) ||
    url.hash !== "" ||
    url.port === "0"
  ) {
    throw invalid("smtp-url-invalid", "an SMTP URL looks like smtp://user@mail.example.com:587");
  }
  if (url.password !== "") {
    throw invalid(
      "smtp-url-password",
      "the SMTP URL holds a password: store the password in a file of its own or in its own environment variable",
    );
  }
  const secure = url.protocol === "smtps:";
  const port = url.port === "" ? (secure ? 465 : 587) : Number(url.port);
  return { host, port, secure, starttls: modeOf(url, host, secure), user: userOf(url) };
}

/** Whether the host of a server, where IPv6 has no brackets, always is this machine. */
export function isThisMachine(host: string): boolean {
  return isLoopbackHost(host.includes(":") ? `[${host}]` : host);
}

function modeOf(url: URL, host: string, secure: boolean): StartTls {
  for (const name of url.searchParams.keys()) {
    if (name !== "starttls") {
      throw invalid("smtp-url-invalid", "starttls is the only parameter that an SMTP URL can have");
    }
  }
  const [mode, ...more] = url.searchParams.getAll("starttls");
  if (secure) {
    if (mode === undefined) return "off";
    throw invalid(
      "smtp-url-invalid",
      "smtps:// is encrypted from the start: remove starttls from the SMTP URL",
    );
  }
  if (mode === undefined) return isThisMachine(host) ? "optional" : "required";
  if (more.length > 0 || !MODES.includes(mode)) {
    throw invalid("smtp-url-invalid", "starttls of the SMTP URL is required, optional or off");
  }
  return mode as StartTls;
}

/** Only URLs of the Web have their host normalised. Empty if it is not a host. */
function hostOf({ hostname }: URL): string {
  const web = `http://${hostname}`;
  return hostname !== "" && URL.canParse(web) ? new URL(web).hostname.replaceAll(/^\[|\]$/g, "") : "";
}

function userOf({ username }: URL): string | null {
  try {
    return username === "" ? null : decodeURIComponent(username);
  } catch (cause) {
    throw new AppError("invalid", "the user in the SMTP URL has a % that is not followed by two hex digits", {
      reason: "smtp-url-invalid",
      cause,
    });
  }
}

function invalid(reason: string, message: string): AppError {
  return new AppError("invalid", message, { reason });
}
