/** Paths of the services, without the base path. */
export const OPENAPI_PATH = "/openapi.json";
export const HEALTH_PATH = "/healthz";
export const READY_PATH = "/readyz";
export const METRICS_PATH = "/metrics";
export const FLAGS_PATH = "/api/v1/flags";
export const FLAG_PATH = "/api/v1/flags/:slug";
export const CODE_REFS_PATH = "/api/v1/flags/code-refs";
export const PREVIEWS_PATH = "/api/v1/flags/preview";
export const FEEDBACK_PATH = "/api/v1/flags/preview/feedback";
/** https://github.com/open-feature/protocol */
export const OFREP_PATH = "/ofrep";
export const OFREP_FLAGS_PATH = "/ofrep/v1/evaluate/flags";
export const OFREP_FLAG_PATH = "/ofrep/v1/evaluate/flags/:key";
export const EVENTS_PATH = "/ofrep/v1/events";
/** The script of pages, as it is now and as it is for good, and what it sends of visitors. */
export const SCRIPT_PATH = "/v1/flags.js";
export const PINNED_SCRIPT_PATH = "/v1/:script{flags\\.[0-9a-f]{16}\\.js}";
/** The script of drafts in forms. */
export const DRAFT_PATH = "/v1/draft.js";
export const VISITS_PATH = "/v1/events";
/** https://flagd.dev/reference/sync-configuration/ */
export const FLAGD_PATH = "/flagd";
export const FLAGD_SOURCE_PATH = "/flagd/v1/:project/:file";
/** The same of the one environment that a token reads. */
export const FLAGD_OWN_PATH = "/flagd/v1.json";
/** Where servers that follow this one get flags, and send what they have counted. */
export const FOLLOW_PATH = "/api/v1/follow";
/** https://github.com/open-feature/cli */
export const MANIFEST_PATH = "/openfeature/v0/manifest";
/** https://modelcontextprotocol.io */
export const MCP_PATH = "/mcp";
/** Where clients of `/mcp` learn how to sign in (RFC 9728, RFC 8414), and get tokens. */
export const RESOURCE_METADATA_PATH = "/.well-known/oauth-protected-resource";
export const SERVER_METADATA_PATH = "/.well-known/oauth-authorization-server";
export const OAUTH_PATH = "/oauth";
/** Where people let an assistant act for them, behind the path of the dashboard. */
export const AUTHORIZE_PATH = "/authorize";
export const SUBMIT_PATH = "/v1/s/:form_key";
export const CHALLENGE_PATH = "/v1/s/:form_key/challenge";
/** The widget that solves challenges, and the script of its workers. */
export const WIDGET_PATH = "/v1/altcha.js";
export const WIDGET_WORKER_PATH = "/v1/altcha-worker.js";
/** The submissions of a form for readers that know the address. */
export const FEED_PATH = "/v1/feeds/:file";
/** The pages of forms. */
export const PAGE_PATH = "/v1/f/:form_key";
/** The pages of the dashboard, under which everything of it stands. */
export const DASHBOARD_PATH = "/dashboard";
/** The answer of an OpenID provider, behind the path of the dashboard. */
export const OIDC_CALLBACK_PATH = "/sign-in/oidc/callback";
/** The built-in pages. */
export const THANKS_PATH = "/v1/thanks";
export const ERROR_PATH = "/v1/error";

/** The address of a sign-in link, under the address of the dashboard or the base path. */
export function dashboardLink(base: string, secret: string): string {
  return `${base}${DASHBOARD_PATH}/link/${secret}`;
}

/** The address of a page of the dashboard, under the address of the dashboard or the base path. */
export function pageLink(base: string, path: string): string {
  return `${base}${DASHBOARD_PATH}${path}`;
}

/** The page of a submission of a form, by its short name, under the address of the dashboard or the base path. */
export function submissionLink(base: string, form: string, id: string): string {
  return `${base}${DASHBOARD_PATH}/inbox/${encodeURIComponent(form).replaceAll("%3A", ":")}/${id}`;
}
