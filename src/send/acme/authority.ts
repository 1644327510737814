import type acme from "acme-client";
import { clock, isoTime } from "../../base/clock.ts";
import { AppError, systemCode } from "../../base/errors.ts";
import { isObject } from "../../base/json.ts";
import { own } from "../../base/shapes/own.ts";

/** An authority that issues certificates by ACME (RFC 8555). */
export type Authority = {
  /** URL of its directory. */
  directory: string;
  /** Certificates in PEM to trust for it, in place of the usual ones; null for those. */
  ca: string | null;
  /** The key of an account with it, for authorities that bind accounts of their own (RFC 8555, 7.3.4). */
  binding: { id: string; key: string } | null;
  /** The address that it may write to. */
  email: string | null;
};

/** Milliseconds for one request. */
const TIMEOUT = 30_000;

/** Milliseconds for the one request of a check. */
const PATIENCE = 5000;

/** Milliseconds for all requests of an order. */
const ORDER_TIMEOUT = 1_800_000;

/** The longest answer of an authority, in bytes. */
const MOST = 1_048_576;

/** A problem of an authority (RFC 7807) by the last part of its type. */
type Problem = { type: string; detail: string };

type Adapter = Extract<typeof acme.axios.defaults.adapter, (...args: never) => unknown>;

/**
 * Sends the requests of the library for these names. Throws `unavailable` for problems, which the library would pass on as a
 * text, or wait for.
 */
export function adapterOf(authority: Authority, names: string, version: string): Adapter {
  const over = AbortSignal.timeout(ORDER_TIMEOUT);
  return (config) => send(config, authority, names, version, over);
}

async function send(
  config: Parameters<Adapter>[0],
  { ca, directory }: Authority,
  names: string,
  version: string,
  over: AbortSignal,
): ReturnType<Adapter> {
  const { url = "", method, data, headers } = config;
  const { response, text } = await fetched(url, ca, {
    signal: over,
    method: (method ?? "GET").toUpperCase(),
    headers: { ...headers.toJSON(), "User-Agent": `formflag/${version}` },
    ...(typeof data === "string" && { body: data }),
  });
  if (url === directory) requireDirectory(url, response, text);
  const problem = response.ok ? null : problemIn(parsed(text));
  // The library sends a request again whose nonce was too old.
  if (!response.ok && problem?.type !== "badNonce")
    throw refused(
      problem ?? { type: "", detail: `it answered ${response.status}` },
      names,
      retryAfter(response),
    );
  return {
    data: text,
    status: response.status,
    statusText: response.statusText,
    headers: Object.fromEntries(response.headers),
    config,
  };
}

/** The JSON at an address of an authority; null if it is none. Throws `unavailable` if the authority does not answer. */
export async function read(url: string, { ca }: Authority): Promise<unknown> {
  return parsed((await fetched(url, ca, {})).text);
}

/** Throws `unavailable` with the reason if certificates cannot be ordered from an authority. */
export async function checkAuthority({ directory, ca }: Authority): Promise<void> {
  const { response, text } = await fetched(directory, ca, { signal: AbortSignal.timeout(PATIENCE) });
  requireDirectory(directory, response, text);
  if (!response.ok)
    throw refused({ type: "", detail: `it answered ${response.status}` }, "", retryAfter(response));
}

/** Throws `unavailable` for an answer that is no directory (RFC 8555, 7.1.1), as at another path of an authority. */
function requireDirectory(url: string, { ok, status }: Response, text: string): void {
  const body = parsed(text);
  if (ok ? isObject(body) && typeof body["newOrder"] === "string" : status >= 500 || status === 429) return;
  const answer = ok ? "it answered something else" : `it answered ${status}`;
  throw new AppError("unavailable", `${url} is not the address of the directory of an authority: ${answer}`, {
    reason: "acme-directory",
  });
}

/** Throws `unavailable` if the authority does not answer, and for addresses without TLS, such as those of files. */
async function fetched(
  url: string,
  ca: string | null,
  { signal, ...init }: RequestInit,
): Promise<{ response: Response; text: string }> {
  const { protocol, href, port } = URL.parse(url) ?? {};
  if (protocol !== "https:")
    throw refused(
      { type: "", detail: `it names the address ${url}, which does not begin with https://` },
      "",
    );
  try {
    const response = await fetch(url, {
      ...init,
      redirect: "error",
      signal: AbortSignal.any([AbortSignal.timeout(TIMEOUT), ...(signal ? [signal] : [])]),
      ...(ca !== null && { tls: { ca } }),
    });
    return { response, text: await boundedText(response) };
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    const code = systemCode(cause);
    if (/^CERT_(?:HAS_EXPIRED|NOT_YET_VALID)$/.test(code))
      throw new AppError(
        "unavailable",
        `by the clock of this machine, the certificate of the authority at ${href} ${code === "CERT_HAS_EXPIRED" ? "has expired" : "is not valid yet"}`,
        {
          reason: "acme-unreachable",
          hint: `the clock says ${isoTime(clock.now())}: timedatectl set-ntp true sets it from the network`,
          cause,
        },
      );
    if (/CERT|SIGNATURE|ISSUER/.test(code))
      throw new AppError("unavailable", `the certificate of the authority at ${href} is not trusted`, {
        reason: "acme-untrusted",
        cause,
      });
    throw new AppError("unavailable", `the authority at ${href} does not answer`, {
      reason: "acme-unreachable",
      hint: `is this machine connected to the network, and may it open connections to port ${port || "443"}?`,
      cause,
    });
  }
}

async function boundedText(response: Response): Promise<string> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    if (text.length > MOST) throw refused({ type: "", detail: "its answer is too long" }, "");
  }
  return text;
}

/** Seconds; null if the answer names none. */
function retryAfter(response: Response): number | null {
  const text = response.headers.get("Retry-After") ?? "";
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : (Date.parse(text) - clock.now()) / 1000;
  return Number.isFinite(seconds) && seconds > 0 ? Math.ceil(seconds) : null;
}

/** The meaning of problems by their type (RFC 8555, 6.7), each with advice. NAME stands for the names. */
const PROBLEMS: Readonly<Record<string, readonly [message: string, hint: string]>> = {
  dns: [
    "the authority finds no address of NAME",
    "create a record of type A, or AAAA for IPv6, that leads to this machine, at the provider of the domain",
  ],
  connection: [
    "the authority does not reach port 80 of NAME",
    "open port 80 in the firewall, forward it to this machine in the router, and check the address in DNS",
  ],
  tls: ["the authority does not reach NAME over HTTP", "port 80 has to lead to this server, without TLS"],
  unauthorized: [
    "NAME does not lead to this server",
    "check the A and AAAA records of the name, and what listens on port 80 at their addresses",
  ],
  caa: [
    "a CAA record forbids the authority to issue a certificate for NAME",
    "add the authority to the CAA records of the domain, or remove them",
  ],
  rateLimited: ["the authority takes no more orders for now", "this server tries again by itself"],
  rejectedIdentifier: ["the authority issues no certificate for NAME", "use a name that is public in DNS"],
  externalAccountRequired: [
    "the authority wants the key of an account that you have with it",
    "get its id and its key from the authority",
  ],
};
const SAME: Readonly<Record<string, string>> = {
  incorrectResponse: "unauthorized",
  unsupportedIdentifier: "rejectedIdentifier",
};

/** The error for a problem with the names; `retryAfter` is in seconds. */
export function refused(
  { type: given, detail }: Problem,
  names: string,
  retryAfter: number | null = null,
): AppError {
  // A name that is not found counts as one that is not reached for some.
  const type = /could not resolve|NXDOMAIN/i.test(detail) ? "dns" : given;
  const [message, hint] = own(PROBLEMS, own(SAME, type) ?? type) ?? [
    "the authority issued no certificate",
    undefined,
  ];
  // Terminals obey some characters.
  const text = detail.replace(/[\s\p{Cc}\p{Cf}]+/gu, " ").trim();
  const said = text === "" ? "" : `: ${text.slice(0, 300)}`;
  return new AppError("unavailable", `${message.replace("NAME", names === "" ? "the name" : names)}${said}`, {
    reason: type === "externalAccountRequired" ? "acme-account" : "acme-refused",
    hint,
    ...(retryAfter !== null && { retryAfter }),
  });
}

/** Null for anything else. */
export function problemIn(body: unknown): Problem | null {
  if (!isObject(body) || typeof body["type"] !== "string") return null;
  const { detail } = body;
  return {
    type: body["type"].replace(/^.*:/, ""),
    detail: typeof detail === "string" ? detail : "",
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
