import type { Form } from "../../forms/form.ts";
import { isAllowedOrigin } from "../../forms/origins.ts";
import { preflight } from "../preflight.ts";
import { NO_SNIFF } from "../security.ts";

/** The headers of an answer that any page may read. */
export const OPEN = { ...NO_SNIFF, "Access-Control-Allow-Origin": "*" };

/** Whether the page of a request may submit. A request without an origin may: browsers send one with every POST, and other clients could send any. */
export function isAdmittedOrigin(form: Form, request: Request): boolean {
  if (form.allowedOrigins.length === 0) return true;
  const origin = request.headers.get("origin");
  return origin === null || isAllowedOrigin(origin, form.allowedOrigins);
}

/** The headers by which the page of a request may read the answer, if it may submit; {@link OPEN} for a form of any origin. */
export function corsHeaders(request: Request, form: Form | undefined): Record<string, string> {
  if (!form || form.allowedOrigins.length === 0) return OPEN;
  const origin = request.headers.get("origin");
  if (origin === null || !isAllowedOrigin(origin, form.allowedOrigins))
    return { ...NO_SNIFF, Vary: "Origin" };
  return { ...NO_SNIFF, "Access-Control-Allow-Origin": origin, Vary: "Origin" };
}

/** Comma-separated names of headers. */
const FIELD_NAMES = /^[\w!#$%&'*+.^`|~, -]+$/;

/** Answers a preflight request; `methods` as the header names them. */
export function preflightFor(request: Request, form: Form | undefined, methods: string): Response {
  const requested = request.headers.get("access-control-request-headers") ?? "";
  const headers = FIELD_NAMES.test(requested) ? requested : "content-type, accept, idempotency-key";
  return preflight(corsHeaders(request, form), { methods, headers });
}
