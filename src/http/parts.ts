import { ADMIN_PATH } from "../operations/operation.ts";
import { SECURITY_HEADERS } from "./dashboard/security.ts";
import {
  CODE_REFS_PATH,
  DASHBOARD_PATH,
  FLAGD_PATH,
  FLAGS_PATH,
  FOLLOW_PATH,
  HEALTH_PATH,
  MANIFEST_PATH,
  MCP_PATH,
  METRICS_PATH,
  OAUTH_PATH,
  OFREP_PATH,
  OPENAPI_PATH,
  RESOURCE_METADATA_PATH,
  SERVER_METADATA_PATH,
  VISITS_PATH,
} from "./paths.ts";
import type { ServiceName } from "./request-record.ts";

/** Part of the site that a path needs: the first to start, the whole API, or the dashboard. */
export type Part = "first" | "late" | "mcp" | "dashboard";

export function partOf(path: string): Part {
  const isUnder = (each: string) => `${path}/`.startsWith(`${each}/`);
  if (isUnder(DASHBOARD_PATH)) return "dashboard";
  if ([MCP_PATH, OAUTH_PATH, RESOURCE_METADATA_PATH, SERVER_METADATA_PATH].some(isUnder)) return "mcp";
  if (isForPages(path)) return "late";
  return [
    OPENAPI_PATH,
    MANIFEST_PATH,
    METRICS_PATH,
    ADMIN_PATH,
    OFREP_PATH,
    FLAGD_PATH,
    FOLLOW_PATH,
    CODE_REFS_PATH,
  ].some(isUnder)
    ? "late"
    : "first";
}

/** Whether every thread of a server answers a path: those of forms and of readers of flags. */
export function isEverywhere(path: string): boolean {
  const isUnder = (each: string) => `${path}/`.startsWith(`${each}/`);
  return (
    ["/v1", FLAGS_PATH, OFREP_PATH, FLAGD_PATH, FOLLOW_PATH, HEALTH_PATH].some(isUnder) &&
    !isUnder(CODE_REFS_PATH) &&
    !isUnder("/v1/feeds")
  );
}

/** Whether a path belongs to the script of pages, which the address of flags has. */
export function isForPages(path: string): boolean {
  return path === VISITS_PATH || /^\/v1\/(?:flags[.\w]*\.js|draft\.js$|:script)/.test(path);
}

export function serviceOf(route: string): ServiceName {
  if (isForPages(route)) return "flags";
  if (route.startsWith("/v1/")) return "forms";
  if ([FLAGS_PATH, OFREP_PATH, FLAGD_PATH, FOLLOW_PATH].some((path) => route.startsWith(path)))
    return "flags";
  if (route.startsWith(DASHBOARD_PATH)) return "dashboard";
  return route.startsWith(ADMIN_PATH) ||
    route === OPENAPI_PATH ||
    route.startsWith(MANIFEST_PATH) ||
    route === MCP_PATH ||
    route.startsWith(OAUTH_PATH) ||
    route.startsWith("/.well-known/oauth-")
    ? "admin"
    : "operation";
}

/** The headers that every answer of the dashboard has, also if its pages cannot be loaded. */
export function policyOf(part: Part): Record<string, string> {
  return part === "dashboard" ? SECURITY_HEADERS : {};
}
