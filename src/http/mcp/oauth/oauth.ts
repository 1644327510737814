import { Hono } from "hono";
import { ACCESS_PREFIX, GRANT_SCOPES } from "../../../access/oauth/grant.ts";
import { assistantCaller, exchangeCode, refreshTokens, revokeByToken } from "../../../access/oauth/grants.ts";
import { OAUTH_ERRORS, errorOf, refusal, wrongTarget } from "../../../access/oauth/refusal.ts";
import { registerClient } from "../../../access/oauth/registration.ts";
import { needed, parametersIn } from "../../../access/oauth/request.ts";
import type { AccessApp } from "../../../access/store.ts";
import { AppError } from "../../../base/errors.ts";
import { once } from "../../../base/once.ts";
import { type Client, limitKey } from "../../address.ts";
import type { Assistant } from "../../auth.ts";
import { parseJson, readAll } from "../../body.ts";
import { type Report, showError } from "../../errors.ts";
import { MAX_OAUTH_BODY, MAX_OAUTH_REQUESTS, MAX_WRONG_TOKENS } from "../../limits.ts";
import {
  AUTHORIZE_PATH,
  DASHBOARD_PATH,
  MCP_PATH,
  OAUTH_PATH,
  RESOURCE_METADATA_PATH,
  SERVER_METADATA_PATH,
} from "../../paths.ts";
import { type Guard, createRateLimiter } from "../../rate-limit.ts";
import { NO_SNIFF } from "../../security.ts";
import { type Sites, resourceOf, siteOf, sitesOf } from "./site.ts";

export type OAuthOptions = Sites & {
  app: AccessApp;
  guard: Guard;
  /** URL of the dashboard, with the base path; null if it is at the address of the request. */
  dashboardUrl: string | null;
  /** Whether clients may register. */
  registers: boolean;
};

type Env = { Bindings: { client: Client } };

const HEADERS = { ...NO_SNIFF, "Cache-Control": "no-store" } as const;

type Act = (request: Request, client: Client) => Promise<Response>;

/** The authorization server of `/mcp` (OAuth 2.1), except for the page where a person allows a client. */
export function createOAuth(options: OAuthOptions, report: Report) {
  const { app, guard, basePath } = options;
  const routes = new Hono<Env>();
  for (const [name, act] of Object.entries(actsOf(options)))
    routes.all(`${basePath}${OAUTH_PATH}/${name}`, async (c) => {
      if (c.req.method !== "POST") return c.body(null, 405, { Allow: "POST" });
      let leave = () => {};
      try {
        leave = guard(() => c.env.client);
        const answer = await act(c.req.raw, c.env.client);
        for (const [header, value] of Object.entries(HEADERS)) answer.headers.set(header, value);
        return answer;
      } catch (error) {
        return refused(error, report, c.req.raw);
      } finally {
        leave();
      }
    });
  // Of an issuer or a resource with a path, the metadata are before that (RFC 8414, 3.1; RFC 9728, 3.1).
  const publish = (paths: readonly string[], describe: (site: string) => object) => {
    for (const path of new Set(paths.flatMap((each) => [each, `${basePath}${each}`])))
      routes.get(path, (c) => {
        const site = siteOf(c.req.raw, options);
        if (site === null) throw new AppError("not_found", "this is not an address of this server");
        return c.json(describe(site), 200, HEADERS);
      });
  };
  const [resource, server] = [RESOURCE_METADATA_PATH, SERVER_METADATA_PATH];
  publish([resource, `${resource}${MCP_PATH}`, `${resource}${basePath}${MCP_PATH}`], resourceMetadata);
  publish([server, `${server}${basePath}`], (site) => serverMetadata(site, options));

  return {
    routes,
    /** The caller that sends an access token; null for any other token. */
    assistantOf(request: Request, authorization: string | null): Assistant | null {
      const secret = /^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
      const site = secret?.startsWith(ACCESS_PREFIX) ? siteOf(request, options) : null;
      return site === null ? null : once(() => assistantCaller(app, secret!, resourceOf(site)));
    },
    /** The part of a challenge that says what was wrong, and where the metadata are (RFC 6750, 3; RFC 9728, 5.1). */
    challengeTo(request: Request): string {
      const site = siteOf(request, options);
      const wrong = request.headers.has("authorization") ? ', error="invalid_token"' : "";
      return site === null ? wrong : `${wrong}, resource_metadata="${site}${RESOURCE_METADATA_PATH}"`;
    },
  };
}

function resourceMetadata(site: string) {
  return {
    resource: resourceOf(site),
    authorization_servers: [site],
    scopes_supported: GRANT_SCOPES,
    bearer_methods_supported: ["header"],
    resource_name: "formflag",
  };
}

function serverMetadata(site: string, { dashboardUrl, registers }: OAuthOptions) {
  return {
    issuer: site,
    authorization_endpoint: `${dashboardUrl ?? site}${DASHBOARD_PATH}${AUTHORIZE_PATH}`,
    token_endpoint: `${site}${OAUTH_PATH}/token`,
    revocation_endpoint: `${site}${OAUTH_PATH}/revoke`,
    ...(registers && { registration_endpoint: `${site}${OAUTH_PATH}/register` }),
    scopes_supported: GRANT_SCOPES,
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none"],
    revocation_endpoint_auth_methods_supported: ["none"],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  };
}

/** The requests of clients, by the last part of their paths. */
function actsOf({ app, registers, ...sites }: OAuthOptions): Readonly<Record<string, Act>> {
  const count = createRateLimiter(app.now, "requests to sign an assistant in");
  const countRefused = createRateLimiter(app.now, "requests for tokens that were refused");
  const countAt = (client: Client, isRefused = false) => {
    const network = limitKey(client);
    if (network === null) return;
    if (isRefused) countRefused(network, MAX_WRONG_TOKENS);
    else count(network, MAX_OAUTH_REQUESTS);
  };
  const register: Act = async (request, client) => {
    countAt(client);
    const { id, name, redirects } = await registerClient(app, await jsonIn(request));
    const registered = {
      client_id: id,
      client_id_issued_at: Math.floor(app.now() / 1000),
      client_name: name,
      redirect_uris: redirects,
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    };
    return Response.json(registered, { status: 201 });
  };
  return {
    async token(request, client) {
      try {
        const form = await formIn(request);
        const resource = form.get("resource") ?? null;
        const resources = sitesOf(request, sites).map(resourceOf);
        if (resource !== null && !resources.includes(resource)) throw wrongTarget(resources[0]);
        return Response.json(await tokensFor(app, form, resource, client.address));
      } catch (error) {
        if (errorOf(error) !== undefined) countAt(client, true);
        throw error;
      }
    },
    async revoke(request, client) {
      countAt(client);
      const form = await formIn(request);
      await revokeByToken(app, needed(form, "token"), needed(form, "client_id"), client.address);
      return new Response(null);
    },
    ...(registers && { register }),
  };
}

/** Tokens for a code or a refresh token (RFC 6749, 4.1.3 and 6). */
function tokensFor(
  app: AccessApp,
  form: ReadonlyMap<string, string>,
  resource: string | null,
  address: string,
) {
  const grantType = needed(form, "grant_type");
  const client = needed(form, "client_id");
  if (grantType === "authorization_code") {
    const redirect = form.get("redirect_uri") ?? null;
    const [code, verifier] = [needed(form, "code"), needed(form, "code_verifier")];
    return exchangeCode(app, { code, verifier, client, redirect, resource }, address);
  }
  if (grantType !== "refresh_token")
    throw refusal("unsupported_grant_type", "the grant_type is authorization_code or refresh_token");
  return refreshTokens(app, { token: needed(form, "refresh_token"), client, resource }, address);
}

function tooLarge(): AppError {
  return new AppError("too_large", "this request has at most 16 KB");
}

async function formIn(request: Request): Promise<ReadonlyMap<string, string>> {
  if (request.headers.has("authorization"))
    throw refusal("invalid_client", "clients have no secret here: send client_id in the body alone");
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(request.headers.get("content-type") ?? ""))
    throw refusal("invalid_request", "send Content-Type: application/x-www-form-urlencoded");
  const bytes = await readAll(request, MAX_OAUTH_BODY, tooLarge);
  return parametersIn(new URLSearchParams(new TextDecoder().decode(bytes)));
}

async function jsonIn(request: Request): Promise<unknown> {
  if (!/^application\/json\s*(;|$)/i.test(request.headers.get("content-type") ?? ""))
    throw refusal("invalid_client_metadata", "send Content-Type: application/json");
  return parseJson(await readAll(request, MAX_OAUTH_BODY, tooLarge));
}

/** An error as clients of OAuth read it (RFC 6749, 5.2). */
function refused(error: unknown, report: Report, request: Request): Response {
  const { status, reason, message, headers } = showError(error, report, request);
  const known = OAUTH_ERRORS.find((each) => each === reason);
  const code = known ?? (status < 500 ? "invalid_request" : "server_error");
  return Response.json(
    { error: code, error_description: message },
    { status: known === "invalid_client" ? 401 : status, headers: { ...HEADERS, ...headers } },
  );
}
