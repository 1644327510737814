import { Hono } from "hono/quick";
import type { App } from "../../app.ts";
import { AppError } from "../../base/errors.ts";
import { once } from "../../base/once.ts";
import { OPERATIONS } from "../../operations/all.ts";
import { ADMIN_PATH } from "../../operations/operation.ts";
import { type AdminEnv, identify } from "../auth.ts";
import { type Report, showError } from "../errors.ts";
import { type DeploymentOptions, createDeployment } from "../deployment.ts";
import { etagOf, matches } from "../flags/etag.ts";
import { createManifestRoutes } from "../flags/manifest.ts";
import { MANIFEST_PATH, OPENAPI_PATH } from "../paths.ts";
import type { Guard } from "../rate-limit.ts";
import { addRoute } from "./routes.ts";

export type AdminApp = Hono<AdminEnv>;

type AdminOptions = DeploymentOptions & { report: Report; guard?: Guard };

/** The admin API over HTTP: a route for each operation. */
export async function createAdminApp(app: App, options: AdminOptions): Promise<AdminApp> {
  const { report, basePath = "" } = options;
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
  const deployment = createDeployment(options);
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
  // Made once, with the first request for it: any client may ask, and all answers share the bytes of a blob.
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

/** Steps of a path that are compared, so that a long one costs no more. */
const MAX_STEPS = 12;

/** The costs of leaving out a step that was sent, and of adding one that was not. */
const EXTRA = 1;
const missing = (step: string) => (step.startsWith(":") ? 0.2 : 0.6);

/**
 * The operations at the address that is nearest to a method and a path behind `ADMIN_PATH`, such as
 * `GET, PUT /api/admin/v1/projects/<project>/environments/<environment>/flags/<flag>`; null if none is near.
 */
function nearestOperation(asked: string, path: string): string | null {
  const sent = path
    .split("/")
    .filter((step) => step !== "")
    .slice(0, MAX_STEPS);
  let nearest: { path: string; cost: number } | null = null;
  for (const { path, method } of OPERATIONS) {
    const cost = costOf(sent, path.slice(1).split("/")) + (method === asked ? 0 : OTHER_METHOD);
    if (nearest === null || cost < nearest.cost) nearest = { path, cost };
  }
  if (nearest === null || nearest.cost > MAX_COST) return null;
  const methods = OPERATIONS.filter((each) => each.path === nearest.path).map(({ method }) => method);
  return `${methods.join(", ")} ${ADMIN_PATH}${nearest.path.replaceAll(/:(\w+)/g, "<$1>")}`;
}

const MAX_COST = 3;
/** The cost of a method other than the requested one. */
const OTHER_METHOD = 1;

/** The least cost of changes that make one path of the other. */
function costOf(sent: readonly string[], wanted: readonly string[]): number {
  let row = [0];
  for (const each of wanted) row.push(row.at(-1)! + missing(each));
  for (const step of sent) {
    const next = [row[0]! + EXTRA];
    for (const [at, each] of wanted.entries())
      next.push(Math.min(row[at]! + costOfStep(step, each), row[at + 1]! + EXTRA, next[at]! + missing(each)));
    row = next;
  }
  return row.at(-1)!;
}

function costOfStep(sent: string, wanted: string): number {
  if (sent === wanted) return 0;
  // A name where a noun was meant is less likely than one where a name is expected.
  if (wanted.startsWith(":")) return NOUNS.has(sent) ? 1.5 : 0.1;
  return `${sent}s` === wanted || sent === `${wanted}s` ? 0.2 : 2;
}

const NOUNS: ReadonlySet<string> = new Set(
  OPERATIONS.flatMap(({ path }) => path.split("/").filter((step) => step !== "" && !step.startsWith(":"))),
);
