import { Hono } from "hono";
import type { App } from "../../app.ts";
import { isLoopbackHost } from "../../base/network.ts";
import type { Backups } from "../../maintenance/status.ts";
import { type AdminEnv, identify, requires } from "../auth.ts";
import { type Report, showError } from "../errors.ts";
import { METRICS_PATH } from "../paths.ts";
import { type Metrics, type ThreadValues, valuesOf } from "./metrics.ts";
import { type Followed, createRegistry } from "./registry.ts";

export type MetricsApp = Hono<AdminEnv>;

export type MetricsOptions = {
  metrics: Metrics;
  report: Report;
  build: { version: string; commit: string };
  /** How many streams of change events are open. */
  streams: () => number;
  /** The same of the other threads of the server. */
  others?: () => Promise<ThreadValues[]>;
  /** The clients that need no token: every client, only this machine, or none. */
  openTo: "all" | "local" | "none";
  backups?: () => Backups;
  /** The server that this one follows; null for none. */
  followed?: (() => Followed) | null;
};

/** `/metrics` for Prometheus, for the clients that `openTo` allows and for tokens with the scope `read`. */
export function createMetricsApp(app: App, options: MetricsOptions): MetricsApp {
  const { report, openTo } = options;
  const { metrics, streams, others = async () => [] } = options;
  const readThreads = async (): Promise<ThreadValues[]> => [
    { ...valuesOf(metrics), streams: streams(), versionReads: app.watch.counts() },
    ...(await others()),
  ];
  let threads: ThreadValues[] = [];
  const registry = createRegistry(app, options, () => threads);
  const routes: MetricsApp = new Hono<AdminEnv>();
  routes.onError((error, c) => {
    const { status, code, message, hint, headers } = showError(error, report, c.req.raw);
    return c.json({ error: { code, message, hint } }, status, headers);
  });
  routes.get(
    METRICS_PATH,
    async (c, next) => {
      const isOpen = openTo === "all" || (openTo === "local" && c.env.client?.isLocal && isDirect(c.req.raw));
      if (isOpen) c.env.operator = () => "this machine";
      await next();
    },
    identify(app),
    requires({ scope: "read", place: "instance" }, app),
    async (c) => {
      threads = await readThreads();
      return c.body(await registry.metrics(), 200, { "Content-Type": registry.contentType });
    },
  );
  return routes;
}

/** Headers by which a proxy names its client. */
const PROXIED = /^(x-forwarded-.+|forwarded|via|x-real-ip)$/;

/**
 * Whether a request from this machine is its own. A proxy on it forwards requests of others, and a page in a browser on it
 * may send requests under the name of its own site, by letting that resolve to this machine (DNS rebinding).
 */
function isDirect({ headers, url }: Request): boolean {
  if ([...headers.keys()].some((name) => PROXIED.test(name))) return false;
  return isLoopbackHost(URL.parse(url)?.hostname ?? "");
}
