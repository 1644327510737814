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
  throw new AppError("forbidden", "this form takes no submissions from that website", {
    reason: "origin-not-allowed",
  });
}

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

/** The headers by which the page of a request may read the answer, if it may submit; {@link OPEN} for a form of any origin. */
export function corsHeaders(request: Request, form: Form | undefined): Record<string, string> {
  if (!form || form.allowedOrigins.length === 0) return OPEN;
  const origin = request.headers.get("origin");
  if (origin === null || !isAllowedOrigin(origin, form.allowedOrigins))
    return { ...NO_SNIFF, Vary: "Origin" };
  return { ...NO_SNIFF, "Access-Control-Allow-Origin": origin, Vary: "Origin" };
}

/** Answers a preflight request; `methods` as the header names them. */
export function preflightFor(request: Request, form: Form | undefined, methods: string): Response {
  const headers = "content-type, accept, idempotency-key";
  return preflight(request, corsHeaders(request, form), { methods, headers });
}
