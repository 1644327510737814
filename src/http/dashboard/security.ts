import { AppError } from "../../base/errors.ts";
import { isLoopbackHost } from "../../base/network.ts";
import { NO_SNIFF } from "../security.ts";

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types formflag",
].join("; ");

/** The policy of a page whose form leads on to an address, which browsers check by `form-action` too. */
export function policyFor(address: string): string {
  const { protocol, origin, hostname } = new URL(address);
  // No source of the policy can name an IPv6 address, nor the host of an app's scheme.
  const isNamed = /^https?:$/.test(protocol) && !hostname.startsWith("[");
  return POLICY.replace("form-action 'self'", `form-action 'self' ${isNamed ? origin : protocol}`);
}

/**
 * Headers of every answer of the dashboard. Pages need the referrer within the site: with `no-referrer` Chrome posts forms
 * with `Origin: null`.
 */
export const SECURITY_HEADERS = {
  ...NO_SNIFF,
  "Content-Security-Policy": POLICY,
  "X-Frame-Options": "DENY",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "same-origin",
  "Cache-Control": "no-store",
} as const;

/**
 * Throws `forbidden` for a request that a page of another origin may have sent (OWASP, cross-site request forgery), and
 * `unsupported` for a body that is not a form's. `Origin` decides, if it is sent.
 */
export function requireOwnForm(request: Request, dashboardUrl: string | null): void {
  requireOwn(request, dashboardUrl);
  const type = request.headers.get("content-type") ?? "";
  if (!/^(application\/x-www-form-urlencoded|multipart\/form-data)\s*(;|$)/i.test(type))
    throw new AppError("unsupported", "the dashboard takes forms alone: programs use the admin API");
}

/** As {@link requireOwnForm} for JSON, and returns the origin. */
export function requireOwnJson(request: Request, dashboardUrl: string | null): string {
  requireOwn(request, dashboardUrl);
  const origin = request.headers.get("origin");
  if (origin === null)
    throw new AppError("forbidden", "the request names no origin", { reason: "foreign-origin" });
  if (!/^application\/json\s*(;|$)/i.test(request.headers.get("content-type") ?? ""))
    throw new AppError("unsupported", "this takes JSON: send Content-Type: application/json");
  return new URL(origin).origin;
}

function requireOwn(request: Request, dashboardUrl: string | null): void {
  const isOwn = dashboardUrl === null ? isOfItsHost(request) : isOfUrl(request, dashboardUrl);
  if (!isOwn)
    throw new AppError("forbidden", "this form was not sent by a page of this dashboard", {
      reason: "foreign-origin",
      hint: `open the dashboard at ${dashboardUrl ?? "its own address"} and try again`,
    });
}

/** If the URL is known, no other host is accepted: after DNS rebinding, an attacker's page sends a matching `Host`. */
function isOfUrl(request: Request, dashboardUrl: string): boolean {
  return URL.parse(request.headers.get("origin") ?? "")?.origin === new URL(dashboardUrl).origin;
}

/** A scheme of `https` is right for `http` too, since a proxy in front may speak TLS. */
function isOfItsHost(request: Request): boolean {
  const origin = request.headers.get("origin");
  if (origin === null) return request.headers.get("sec-fetch-site") === "same-origin";
  const sender = URL.parse(origin);
  const host = request.headers.get("host");
  if (!sender || !/^https?:$/.test(sender.protocol) || host === null) return false;
  // The port of a scheme is left out of both, so each is read with the scheme of the sender.
  const own = URL.parse(`${sender.protocol}//${host}`);
  const isDowngrade = new URL(request.url).protocol === "https:" && sender.protocol === "http:";
  return own !== null && own.host === sender.host && !isDowngrade;
}

/**
 * Throws `forbidden` for a request to another name than that of the dashboard, which anyone can point at the proxy that
 * signs people in. An address is no such name.
 */
export function requireOwnHost(request: Request, dashboardUrl: string): void {
  const host = URL.parse(`http://${request.headers.get("host") ?? ""}`)?.hostname ?? "";
  const isAddress = /^(\[.+\]|[\d.]+)$/.test(host) || isLoopbackHost(host);
  if (isAddress || host === new URL(dashboardUrl).hostname) return;
  throw new AppError("forbidden", "this is not the address of the dashboard", {
    reason: "foreign-host",
    hint: `open it at ${dashboardUrl}; the proxy has to pass the header Host on`,
  });
}
