import { NO_SNIFF } from "../security.ts";
import { matches } from "./etag.ts";
import { ASSIGNMENT } from "./ofrep-assign.ts";

export const HEADERS = {
  ...NO_SNIFF,
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": `ETag, Retry-After, ${ASSIGNMENT}`,
} as const;

export const PREFLIGHT = {
  methods: "GET, POST, OPTIONS",
  headers:
    "content-type, x-project-key, x-environment-key, authorization, x-api-key, if-none-match, last-event-id",
};

/** The headers of an answer that a client may keep, if it asks each time whether it has changed. */
const CHECKED = { ...HEADERS, "Cache-Control": "no-cache" };

/** Shared by answers, since an answer that builds its own headers takes three times as long. */
const CHECKED_JSON = new Headers({ ...CHECKED, "Content-Type": "application/json" });
const PLAIN = new Headers({ ...HEADERS, "Cache-Control": "no-store", "Content-Type": "application/json" });

/**
 * `etag` is a hash of the answer, not the revision: the answer depends on the context and the time too. Where a reader has it,
 * `unsent` is called instead of `body`.
 */
export function sendChecked(
  request: Request,
  body: string | (() => ReadableStream<Uint8Array>),
  etag: string,
  unsent: () => void = () => {},
): Response {
  const known = request.headers.get("if-none-match");
  if (known !== null && matches(known, etag)) {
    unsent();
    return new Response(null, { status: 304, headers: { ...CHECKED, ETag: etag } });
  }
  const answer = new Response(typeof body === "string" ? body : body(), { headers: CHECKED_JSON });
  answer.headers.set("ETag", etag);
  return answer;
}

export function sendText(status: number, json: string): Response {
  return new Response(json, { status, headers: PLAIN });
}

export function wrongMethod(subject: { key?: string }): Response {
  const body = { ...subject, errorDetails: "flags are evaluated with POST" };
  return send(405, body, { Allow: "POST, OPTIONS" });
}

/** An error, or another body without a flag. It has metadata, which the provider for Java reads of every answer. */
export function send(status: number, body: object, headers?: Record<string, string>): Response {
  const text = JSON.stringify({ ...body, metadata: {} });
  if (!headers) return sendText(status, text);
  return new Response(text, { status, headers: { ...headers, ...Object.fromEntries(PLAIN) } });
}
