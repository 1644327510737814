import { clock } from "../base/clock.ts";
import { AppError } from "../base/errors.ts";
import { type Attempt, delivered, failureOf, MAX_RETRY_AFTER, unanswered } from "../delivery/attempt.ts";
import { oneLine } from "../delivery/text.ts";
import type { SentRequest } from "../delivery/outgoing.ts";
import { maskTarget, parseHttpUrl } from "../delivery/target.ts";
import { findAddresses, SEND_TIMEOUT_MS, type SendPolicy } from "./route.ts";

/** A request; `method` is POST if it has none. The body is sent as UTF-8. */
export type OutgoingRequest = {
  method?: string;
  url: string;
  headers: Record<string, string>;
  /** The names of headers, besides the signature, that no answer and no page may show. */
  secretHeaders?: readonly string[];
  body: string;
};

type Options = {
  /** Milliseconds for everything from the name service to the end of the answer; default: 15 seconds. */
  timeoutMs?: number;
  /** Ends the attempt without a result. */
  signal?: AbortSignal;
};

/** Bytes of an answer's body that are read, and not kept. */
const MAX_ANSWER = 64 * 1024;

/** The header with the signature of a webhook. */
const SIGNATURE = "webhook-signature";

/** Characters that are kept of the first line of a refusal. */
const MAX_LINE = 1024;

/** Bytes of an answer that are kept: more than any secret in it. */
const MAX_KEPT = 16 * 1024;

/** The first bytes of a body, and whether it was read to its end. */
type Drained = { start: Buffer; isWhole: boolean };

const NOTHING: Drained = { start: Buffer.alloc(0), isWhole: false };

const IS_JSON = /^application\/(?:json|[\w.-]+\+json)\s*(?:;|$)/i;

/** Characters from which on a part of a URL may be secret. */
const SHORTEST = 6;

/** Addresses of one name that are tried. */
const MAX_ADDRESSES = 4;

/** Errors after which nothing has been sent, so that another address of the same host can be tried. */
const UNREACHED = new Set(["ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH", "EADDRNOTAVAIL"]);

/** Statuses of a receiver or its proxy that is overloaded or down. */
const DOWN = new Set([429, 502, 503, 504]);

/**
 * Sends a request once and returns what became of it. The connection goes to an address that the policy allows, not
 * through a proxy; redirects are not followed. Rejects only with the reason of `signal`. Throws `invalid` for a URL
 * that {@link parseHttpUrl} refuses.
 */
export async function sendRequest(
  policy: SendPolicy,
  request: OutgoingRequest,
  options: Options = {},
): Promise<Attempt> {
  return (await exchange(policy, request, MAX_KEPT, options)).attempt;
}

/** Sends a request as {@link sendRequest} does, and returns the start of the body of a 2xx answer, or why not. */
export async function askOnce(
  policy: SendPolicy,
  request: OutgoingRequest,
  timeoutMs: number,
): Promise<{ answer: string } | { error: string }> {
  const { attempt, start } = await exchange(policy, request, MAX_KEPT, { timeoutMs });
  const error = failureOf(attempt);
  return error === null ? { answer: start.toString() } : { error };
}

/** Reads the whole JSON at an address, of at most so many bytes, by the rules of {@link sendRequest}, or says why there is none. */
export async function readJson(
  policy: SendPolicy,
  url: string,
  headers: Record<string, string>,
  { bytes, ms }: { bytes: number; ms: number },
): Promise<{ answer: string } | { error: string }> {
  const request = { method: "GET", url, headers, body: "" };
  const { attempt, start, isWhole, type } = await exchange(policy, request, bytes + 1, { timeoutMs: ms });
  if (attempt.error !== null) return { error: attempt.error };
  if (start.length > bytes) return { error: `it has more than ${bytes} bytes` };
  if (!isWhole) return { error: `it was cut off, or took longer than ${ms / 1000} s` };
  return IS_JSON.test(type)
    ? { answer: start.toString() }
    : { error: "its Content-Type is not application/json" };
}

/** Sends a request, and keeps the first `kept` bytes of the answer's body. */
async function exchange(
  policy: SendPolicy,
  request: OutgoingRequest,
  kept: number,
  { timeoutMs = SEND_TIMEOUT_MS, signal }: Options,
): Promise<{ attempt: Attempt; type: string } & Drained> {
  const url = parseHttpUrl(request.url);
  const end = new AbortController();
  let isLate = false;
  const timer = clock.after(timeoutMs, () => {
    isLate = true;
    end.abort();
  });
  const until = signal ? AbortSignal.any([end.signal, signal]) : end.signal;
  try {
    until.throwIfAborted();
    const addresses = await findAddresses(policy, url, until);
    const response = await connect(policy, url, addresses, request, until);
    const drained = await drain(response, kept);
    const attempt = answered(response, lineIn(response, drained.start, request), policy.now());
    return { attempt, type: response.headers.get("Content-Type") ?? "", ...drained };
  } catch (error) {
    signal?.throwIfAborted();
    const late = `${url.hostname} did not answer within ${timeoutMs / 1000} s`;
    return { attempt: isLate ? unanswered(late, true) : failed(error, url), type: "", ...NOTHING };
  } finally {
    timer.close();
    // Closes a connection whose answer was not read to its end.
    end.abort();
  }
}

async function connect(
  policy: SendPolicy,
  url: URL,
  addresses: readonly string[],
  request: OutgoingRequest,
  signal: AbortSignal,
): Promise<Response> {
  const [address, ...others] = addresses.slice(0, MAX_ADDRESSES) as [string, ...string[]];
  try {
    return await post(policy, url, address, request, signal);
  } catch (error) {
    if (others.length === 0 || !UNREACHED.has(codeOf(error) ?? "")) throw error;
    return connect(policy, url, others, request, signal);
  }
}

function post(
  { ca }: SendPolicy,
  url: URL,
  address: string,
  { method = "POST", headers, body }: OutgoingRequest,
  signal: AbortSignal,
): Promise<Response> {
  const host = address.includes(":") ? `[${address}]` : address;
  const port = url.port === "" ? "" : `:${url.port}`;
  const isName = url.hostname !== host;
  // The certificate is checked for the name, and without one for the address.
  const serverName = isName ? { serverName: url.hostname.replace(/\.$/, "") } : {};
  return fetch(`${url.protocol}//${host}${port}${url.pathname}${url.search}`, {
    method,
    headers: { ...headers, ...(isName && { Host: url.host }) },
    body: method === "GET" ? null : body,
    // An environment variable of Node.js would otherwise switch the check of certificates off.
    tls: { ...serverName, ...(ca !== undefined && { ca }), rejectUnauthorized: true },
    redirect: "manual",
    proxy: false,
    // A connection that is kept could later be used for another name with the same address.
    keepalive: false,
    decompress: false,
    signal,
  });
}

/**
 * Reads a body, since some receivers stop their work when the connection closes before it was read. Returns its first bytes,
 * about as many as are `kept`.
 */
async function drain({ body }: Response, kept: number): Promise<Drained> {
  const start: Uint8Array[] = [];
  let isWhole = false;
  if (body === null) return NOTHING;
  const reader = body.getReader();
  try {
    for (let size = 0; size < MAX_ANSWER;) {
      const { done, value } = await reader.read();
      if (done) {
        isWhole = true;
        break;
      }
      if (size < kept) start.push(value.subarray(0, kept));
      size += value.byteLength;
    }
  } catch {
    // The status has arrived and counts, whether the rest is late or broken off.
  }
  return { start: Buffer.concat(start), isWhole };
}

/** The first line of a body with a 4xx; undefined for one that is HTML, compressed or empty. */
function lineIn({ status, headers }: Response, start: Buffer, request: OutgoingRequest): string | undefined {
  if (status < 400 || status > 499 || headers.has("Content-Encoding")) return undefined;
  const whole = /\S.*/.exec(start.toString())?.[0] ?? "";
  // A secret that the cut goes through would not be found.
  const line = oneLine(withoutPartsOf(request, whole).slice(0, MAX_LINE), MAX_LINE);
  return line === "" || line.startsWith("<") ? undefined : line;
}

/** A request as it is shown. */
export function sentRequest({
  method = "POST",
  url,
  headers,
  body,
  secretHeaders = [],
}: OutgoingRequest): SentRequest {
  const isSecret = (name: string) => name === SIGNATURE || secretHeaders.includes(name);
  const shown = Object.entries(headers).map(([name, value]) => [name, isSecret(name) ? "…" : value]);
  return { method, url: maskTarget({ kind: "webhook", url }), headers: Object.fromEntries(shown), body };
}

/** A text without what a receiver repeats of the URL and of secret headers, which may be secret, also with escapes or in another case. */
function withoutPartsOf({ url, headers, secretHeaders = [] }: OutgoingRequest, text: string): string {
  const { pathname, search, searchParams, username, password } = new URL(url);
  const parts = [pathname, search, ...pathname.split("/"), ...searchParams.values(), username, password];
  const values = [SIGNATURE, ...secretHeaders].flatMap((name) => partsOfHeader(headers[name] ?? ""));
  const plain = [...parts, ...parts.map(decoded), ...values];
  const secrets = [...new Set(plain.flatMap(spellingsOf))]
    .filter((part) => part.length >= SHORTEST)
    .toSorted((a, b) => b.length - a.length);
  return secrets.reduce((left, part) => left.replaceAll(new RegExp(RegExp.escape(part), "giu"), "…"), text);
}

/** A text as it is, in a URL, in JSON as JavaScript, PHP and Go write it, and in HTML. */
function spellingsOf(text: string): string[] {
  const json = JSON.stringify(text).slice(1, -1);
  const escaped = json.replaceAll(/[<>&]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`);
  return [text, encodeURIComponent(text), json, json.replaceAll("/", "\\/"), escaped, Bun.escapeHTML(text)];
}

/** The value of a header, its words, and what Basic authentication (RFC 7617) has as base64. */
function partsOfHeader(value: string): string[] {
  const words = value.split(/[\s,;=]+/);
  const pair = /^basic /i.test(value) ? Buffer.from(words[1] ?? "", "base64").toString() : "";
  return [value, ...words, pair, ...pair.split(":")];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function answered({ status, headers }: Response, answer: string | undefined, now: number): Attempt {
  if (status >= 200 && status <= 299) return delivered(status);
  return {
    outcome: status === 410 ? "gone" : "retry",
    code: status,
    error: `the answer was ${status}${status >= 300 && status <= 399 ? ", and redirects are not followed" : ""}`,
    retryAfter: parseRetryAfter(headers.get("Retry-After"), now),
    isTargetDown: DOWN.has(status),
    ...(answer !== undefined && { answer }),
  };
}

function failed(error: unknown, url: URL): Attempt {
  if (error instanceof AppError) return unanswered(error.message, error.reason === "target-unresolved");
  const code = codeOf(error);
  // Errors of a connection have a code; any other is a bug. Their messages contain the URL with its secrets.
  if (code === undefined) throw error;
  return unanswered(connectionError(code, url.hostname), true);
}

function connectionError(code: string, host: string): string {
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") return `the certificate is not valid for ${host}`;
  if (/EXPIRED|NOT_YET_VALID/.test(code))
    return `by the clock of this machine, the certificate of ${host} is not valid now (${code})`;
  if (/CERT|ISSUER|SIGNATURE|CRL/.test(code)) return `the certificate of ${host} is not trusted (${code})`;
  return `the connection to ${host} failed (${code})`;
}

function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as { code?: unknown }).code : undefined;
  return typeof code === "string" ? code : undefined;
}

/**
 * Whole seconds of a `Retry-After` header (RFC 9110, 10.2.3), at most a day; null if it is missing or malformed.
 * A fraction, which Discord sends, is rounded up.
 */
export function parseRetryAfter(header: string | null, now: number): number | null {
  if (header === null) return null;
  const isDate = /^[A-Z][a-z]{2}, .{10,30} GMT$/.test(header);
  if (!isDate && !/^\d+(\.\d+)?$/.test(header)) return null;
  const seconds = Math.ceil(isDate ? (Date.parse(header) - now) / 1000 : Number(header));
  return Number.isNaN(seconds) ? null : Math.min(Math.max(seconds, 0), MAX_RETRY_AFTER);
}
