import { AppError } from "../../base/errors.ts";
import type { Form } from "../../forms/form.ts";
import { isAllowedOrigin } from "../../base/origins.ts";
import { preflight } from "../preflight.ts";
import { NO_SNIFF } from "../security.ts";

/** The headers of an answer that any page may read. */
export const OPEN = { ...NO_SNIFF, "Access-Control-Allow-Origin": "*" };

/**
 * Throws `forbidden` if the page of a request may not submit. A request without an origin may: browsers send one with
 * every POST, and other clients could send any.
 */
export function checkOrigin(form: Form, request: Request): void {
  if (form.allowedOrigins.length === 0) return;
  const origin = request.headers.get("origin");
  if (origin === null || isAllowedOrigin(origin, form.allowedOrigins)) return;
  throw new AppError(
    "forbidden",
    origin === "null" ? HIDDEN : "this form takes no submissions from that website",
    {
      reason: "origin-not-allowed",
    },
  );
}

const HIDDEN =
  "the page hides its origin, so that this form cannot tell whether it may submit: a Referrer-Policy of no-referrer does that, a sandboxed frame, and a page that is a file";

/**
 * Whether a page of this server sends a request: its `Sec-Fetch-Site` is `same-origin`, or its origin is the public one or
 * has the host that the request names. A page of another server cannot send any of these.
 */
export function isOwnOrigin({ headers }: Request, publicOrigin: string | null): boolean {
  // Browsers send this header only to secure origins: https://w3c.github.io/webappsec-fetch-metadata/
  if (headers.get("sec-fetch-site") === "same-origin") return true;
  const origin = headers.get("origin");
  if (origin === null || !URL.canParse(origin)) return false;
  return origin === publicOrigin || new URL(origin).host === headers.get("host");
}

/**
 * The headers by which the page of a request may read the answer, if it may submit. They name its origin, since a browser
 * keeps the answer from a page that sends cookies along unless they do; {@link OPEN} for a form of any origin if the request has none.
 */
export function corsHeaders(request: Request, form: Form | undefined): Record<string, string> {
  const origin = request.headers.get("origin");
  const isOpen = !form || form.allowedOrigins.length === 0;
  const isNamed = origin !== null && ORIGIN.test(origin);
  if (isOpen && !isNamed) return OPEN;
  return isNamed && (isOpen || isAllowedOrigin(origin, form.allowedOrigins)) ? readableBy(origin) : CLOSED;
}

/** Lets the page of a request read a page that this server redirected it to. */
export function letRead(request: Request, page: Response): Response {
  const origin = request.headers.get("origin");
  if (origin === null || !ORIGIN.test(origin)) return page;
  const { Vary, ...headers } = readableBy(origin);
  for (const [name, value] of Object.entries(headers)) page.headers.set(name, value);
  page.headers.append("Vary", Vary);
  return page;
}

/** An origin as browsers send it, also `null`; anything else is not repeated in a header. */
const ORIGIN = /^[!-~]{1,1000}$/;

const CLOSED = { ...NO_SNIFF, Vary: "Origin" };

/** No answer to a form depends on a cookie, so every page may send some. */
function readableBy(origin: string) {
  return { ...CLOSED, "Access-Control-Allow-Origin": origin, "Access-Control-Allow-Credentials": "true" };
}

/** Answers a preflight request; `methods` as the header names them. */
export function preflightFor(request: Request, form: Form | undefined, methods: string): Response {
  const headers = "content-type, accept, idempotency-key";
  return preflight(request, corsHeaders(request, form), { methods, headers });
}
