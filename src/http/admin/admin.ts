import { Hono } from "hono/quick";
import type { App } from "../../app.ts";
import { AppError } from "../../base/errors.ts";
import { once } from "../../base/once.ts";
import type { Outgoing } from "../../delivery/outgoing.ts";
import type { CommitMinute } from "../../maintenance/commit-latency.ts";
import { NO_BACKUPS, type ServerFacts } from "../../maintenance/status.ts";
import { OPERATIONS } from "../../operations/all.ts";
import type { Download } from "../../operations/deployment.ts";
import { ADMIN_PATH } from "../../operations/operation.ts";
import { type AdminEnv, identify } from "../auth.ts";
import { type Report, showError } from "../errors.ts";
import { etagOf, matches } from "../flags/etag.ts";
import { createManifestRoutes } from "../flags/manifest.ts";
import { feedUrl, formUrl } from "../forms/links.ts";
import { MANIFEST_PATH, OPENAPI_PATH, dashboardLink, pageLink } from "../paths.ts";
import type { Guard } from "../rate-limit.ts";
import { nearestOperation } from "./nearest-operation.ts";
import { addRoute } from "./routes.ts";

export type AdminApp = Hono<AdminEnv>;

type AdminOptions = {
  version: string;
  report: Report;
  publicUrl?: string | null;
  basePath?: string;
  /** URL of the dashboard for browsers, with the base path; null if unknown. */
  dashboardUrl?: string | null;
  guard?: Guard;
  /** Opens connections to targets and the mail server, on demand. */
  outgoing: () => Promise<Outgoing>;
  /** How long the commits of a server took: see `createCommitLatency`. */
  commitMinutes?: () => readonly CommitMinute[];
  status?: () => ServerFacts;
  /** Begins a backup that is downloaded. */
  backup?: () => Promise<Download>;
};

/** The admin API over HTTP: a route for each operation. */
export async function createAdminApp(app: App, options: AdminOptions): Promise<AdminApp> {
  const {
    report,
    outgoing,
    publicUrl = null,
    basePath = "",
    dashboardUrl,
    commitMinutes = () => [],
    status = () => factsWithout(options),
    backup,
  } = options;
  const admin = new Hono<AdminEnv>();
  admin.onError((error, c) => {
    const { status, code, reason, message, hint, headers } = showError(error, report, c.req.raw);
    if (status === 401) headers["WWW-Authenticate"] = 'Bearer realm="formflag"';
    return c.json({ error: { code, reason, message, hint } }, status, headers);
  });
  for (const prefix of [ADMIN_PATH, MANIFEST_PATH])
    admin.use(`${prefix}/*`, async (c, next) => {
      const leave = c.env?.client && options.guard?.(() => c.env.client!);
      await next();
      leave?.();
      c.header("Cache-Control", "no-store");
    });
  const deployment = {
    outgoing,
    sendsMail: async () => (await outgoing()).mail !== null,
    formUrl: (key: string) => formUrl(publicUrl, basePath, key),
    feedUrl: (token: string, format: string) => feedUrl(publicUrl, basePath, token, format),
    signInUrl: (secret: string) => dashboardLink(dashboardUrl ?? basePath, secret),
    pageUrl: (path: string) => pageLink(dashboardUrl ?? basePath, path),
    commitMinutes,
    status,
    backup,
  };
  const server = { app, deployment, report };
  for (const operation of OPERATIONS) if (operation.isOpen) await addRoute(admin, server, operation);
  admin.use(`${ADMIN_PATH}/*`, identify(app));
  for (const operation of OPERATIONS) if (!operation.isOpen) await addRoute(admin, server, operation);
  admin.all(`${ADMIN_PATH}/*`, (c) => {
    const nearest = nearestOperation(
      c.req.method,
      c.req.path.slice(c.req.path.indexOf(ADMIN_PATH) + ADMIN_PATH.length),
    );
    const near = nearest === null ? "" : `the nearest is ${nearest}; `;
    throw new AppError("not_found", "the admin API has no such address or method", {
      hint: `${near}GET ${OPENAPI_PATH} lists the operations`,
    });
  });

  admin.route("/", createManifestRoutes(app, report));
  // Made once, with the first request for it: anybody may ask, and all answers share the bytes of a blob.
  const document = once(async () => {
    const { describeApi } = await import("./openapi.ts");
    const text = JSON.stringify(await describeApi(options.version, basePath));
    return { body: new Blob([text]), etag: etagOf(text) };
  });
  admin.get(OPENAPI_PATH, async (c) => {
    const { body, etag } = await document();
    const headers = { ETag: etag, "Cache-Control": "no-cache" };
    if (matches(c.req.header("if-none-match") ?? "", etag))
      return new Response(null, { status: 304, headers });
    const ofBody = { "Content-Type": "application/json", "Content-Length": String(body.size) };
    return new Response(body, { headers: { ...headers, ...ofBody } });
  });
  return admin;
}

/** For an API without a server around it. */
function factsWithout({ version }: AdminOptions): ServerFacts {
  const nowhere = { startedAt: null, address: null, dashboard: null, data: null };
  return { version, ...nowhere, database: { kind: "sqlite", name: "" }, backup: NO_BACKUPS };
}
