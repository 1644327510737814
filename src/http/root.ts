import { Hono } from "hono";
import { matchedRoutes } from "hono/route";
import { getPath } from "hono/utils/url";
import { clock } from "../base/clock.ts";
import type { Client } from "./address.ts";
import { type Report, showError } from "./errors.ts";
import { missingPage } from "./forms/pages/error.ts";
import type { Answer, Finish, Peer } from "./hot.ts";
import { insteadOf } from "./instead.ts";
import type { Metrics } from "./operation/metrics.ts";
import { type Part, policyOf, serviceOf } from "./parts.ts";
import { DASHBOARD_PATH, HEALTH_PATH, READY_PATH } from "./paths.ts";
import { NO_SNIFF } from "./security.ts";
import type { Services } from "./services.ts";

type RootOptions = {
  basePath: string;
  /** The path of a request as routes have it, with the base path. */
  pathIn: (path: string) => string;
  counted: Metrics;
  report: Report;
  finish: Finish;
  checkHealth: (request: Request, peer: Peer) => Answer;
  isReady: (request: Request) => Promise<Response>;
};

export type Root = Awaited<ReturnType<typeof createRoot>>;

/** The router of a part of a site. */
export async function createRoot(
  part: Part,
  services: Services,
  { basePath, pathIn, counted, report, finish, checkHealth, isReady }: RootOptions,
) {
  const {
    forms,
    flags,
    previews,
    codeReferences,
    ofrep,
    pages,
    flagdSource,
    following,
    admin,
    mcp,
    dashboard,
    metrics,
  } = services;
  const isWhole = part === "late";
  const root = new Hono<{ Bindings: { client: Client; peer: Peer } }>({
    getPath: (request) => pathIn(getPath(request)),
  });
  root.use(async (c, next) => {
    const start = clock.steady();
    await next();
    // Middleware and the wildcard routes match too, and the route for one flag matches the address for code references.
    const paths = matchedRoutes(c).flatMap(({ path }) => (path.endsWith("*") ? [] : [path]));
    const matched = paths.find((path) => !path.includes(":")) ?? paths.at(-1);
    const route = matched?.slice(matched.startsWith(`${basePath}/`) ? basePath.length : 0) ?? "/*";
    c.header("X-Content-Type-Options", NO_SNIFF["X-Content-Type-Options"]);
    // Hono answers HEAD by the route of GET and drops the body, which would leave its file or stream open.
    if (c.req.method === "HEAD" && c.res.body) {
      await c.res.body.cancel();
      // The length of the body, if the answer does not have it, is not 0, which Bun would say.
      if (!c.res.headers.has("Content-Length")) c.header("Transfer-Encoding", "chunked");
    }
    finish(c.res, c.req.raw, counted.route(serviceOf(route), route), start, () => c.env.client);
  });
  // Monitoring on the machine itself uses these paths without the base path.
  for (const base of new Set(["", basePath])) {
    root.get(`${base}${HEALTH_PATH}`, (c) => checkHealth(c.req.raw, c.env.peer));
    root.get(`${base}${READY_PATH}`, (c) => isReady(c.req.raw));
    if (metrics && isWhole) root.route(base, await metrics());
  }
  if (forms) root.route(basePath, forms.routes);
  // Before the flags, whose route for one flag matches these addresses too.
  if (previews) root.route(basePath, previews.routes);
  if (codeReferences && isWhole) root.route(basePath, (await codeReferences()).routes);
  if (flags) root.route(basePath, flags.routes);
  for (const load of isWhole ? [pages, ofrep, flagdSource, following] : [])
    if (load) root.route(basePath, (await load()).routes);
  if (admin && isWhole) root.route(basePath, await admin());
  // With the base path: clients look for metadata before it.
  if (mcp && part === "mcp") root.route("", (await mcp()).routes);
  if (dashboard) {
    const home = `${basePath}${DASHBOARD_PATH}`;
    for (const path of new Set([`${basePath}/`, basePath || "/"]))
      root.get(path, (c) => c.redirect(home, 302));
    if (part === "dashboard") root.route(basePath, await dashboard());
  }
  root.onError((error, c) => {
    const { status, message, headers } = showError(error, report, c.req.raw);
    return c.json({ error: true, code: status, message }, status, { ...policyOf(part), ...headers });
  });
  root.notFound((c) => {
    const isForPeople =
      forms &&
      !`${c.req.path}/`.startsWith(`${basePath}/api/`) &&
      c.req.header("accept")?.includes("text/html");
    const path = c.req.path.startsWith(`${basePath}/`) ? c.req.path.slice(basePath.length) : c.req.path;
    const instead = insteadOf(path, services, basePath);
    if (isForPeople) return missingPage(instead);
    const message = `there is nothing at this address${instead === null ? "" : `: ${instead}`}`;
    return c.json({ error: true, code: 404, message }, 404);
  });
  return root;
}
