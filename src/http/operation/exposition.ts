import { Hono } from "hono";
import { type Metric, Registry } from "prom-client";
import type { App } from "../../app.ts";
import type { Distribution } from "../../base/metrics.ts";
import { isLoopbackHost } from "../address.ts";
import { type AdminEnv, identify, requires } from "../auth.ts";
import { type Report, showError } from "../errors.ts";
import { METRICS_PATH } from "../paths.ts";
import type { Metrics } from "./metrics.ts";

export type MetricsApp = Hono<AdminEnv>;

export type MetricsOptions = {
  metrics: Metrics;
  report: Report;
  about: { version: string; commit: string };
  /** How many streams of change events are open. */
  streams: () => number;
  /** Who may read them without a token: every client, only this machine, or none. */
  openTo: "all" | "local" | "none";
};

/** How long the sum over all stored files is taken to hold, in milliseconds: it takes a look at each row. */
const KEEP_SUM = 60_000;

/** `/metrics` for Prometheus: for those whom `openTo` names, and for a token with the scope `read`. */
export function createMetricsApp(app: App, options: MetricsOptions): MetricsApp {
  const { report, openTo } = options;
  const registry = createRegistry(app, options);
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
    requires("read"),
    async (c) => c.body(await registry.metrics(), 200, { "Content-Type": registry.contentType }),
  );
  return routes;
}

/** Headers with which a proxy says for whom it asks. */
const PROXIED = /^(x-forwarded-.+|forwarded|via|x-real-ip)$/;

/**
 * Whether a request that came from this machine was made for it: a proxy on it passes others' on, and a page in a browser
 * on it asks under the name of its own site, for which it may have let this machine stand.
 */
function isDirect({ headers, url }: Request): boolean {
  if ([...headers.keys()].some((name) => PROXIED.test(name))) return false;
  return isLoopbackHost(URL.parse(url)?.hostname ?? "");
}

type Value = { value: number; labels?: Record<string, string | number>; metricName?: string };

/** Metrics that are read when they are asked for, so that counting costs a request next to nothing. */
function createRegistry(app: App, { metrics, about, streams }: MetricsOptions): Registry {
  const registry = new Registry();
  const add = (
    type: "counter" | "gauge" | "histogram",
    name: string,
    help: string,
    read: () => Value[] | Promise<Value[]>,
  ) => {
    const get = async () => ({ name, help, type, values: await read(), aggregator: "sum" });
    registry.registerMetric({ name, get } as unknown as Metric);
  };
  const one = (value: number): Value[] => [{ value }];

  add("gauge", "formflag_build_info", "The version that runs.", () => [{ value: 1, labels: about }]);
  add(
    "histogram",
    "formflag_http_request_duration_seconds",
    "Time until an answer began, by service, route and status.",
    () =>
      metrics
        .requests()
        .flatMap(({ labels, seconds }) => spread("formflag_http_request_duration_seconds", seconds, labels)),
  );
  add("counter", "formflag_refused_total", "Requests refused or failed, by service and reason.", () =>
    metrics.refusals().map(({ labels, count }) => ({ labels, value: count })),
  );
  add(
    "counter",
    "formflag_forwarded_ignored_total",
    "Requests with an X-Forwarded-For that no trusted proxy sent.",
    () => one(metrics.forwarded()),
  );

  add("gauge", "formflag_sse_clients", "Open streams of change events.", () => one(streams()));

  add("gauge", "formflag_write_queue_writes", "Writes that wait for the disk.", async () =>
    one((await app.store.stats()).queued),
  );
  add("gauge", "formflag_write_queue_bytes", "About how many bytes those hold.", async () =>
    one((await app.store.stats()).queuedBytes),
  );
  add("histogram", "formflag_commit_duration_seconds", "Time a commit took.", async () =>
    spread("formflag_commit_duration_seconds", (await app.store.stats()).commitSeconds),
  );
  add("histogram", "formflag_commit_writes", "Writes that one commit took together.", async () =>
    spread("formflag_commit_writes", (await app.store.stats()).commitWrites),
  );
  let files = { bytes: 0, until: 0 };
  add("gauge", "formflag_stored_bytes", "Bytes of the database and of all uploaded files.", async () => {
    if (app.now() >= files.until)
      files = { bytes: await app.store.submissions.fileBytes(), until: app.now() + KEEP_SUM };
    return [
      { labels: { kind: "database" }, value: (await app.store.stats()).bytes },
      { labels: { kind: "files" }, value: files.bytes },
    ];
  });

  add("gauge", "process_resident_memory_bytes", "Resident memory.", residentMemory);
  add("gauge", "process_start_time_seconds", "When the process started, since 1970.", () =>
    one(performance.timeOrigin / 1000),
  );
  add("counter", "process_cpu_seconds_total", "Processor time, user and system.", () => {
    const { user, system } = process.cpuUsage();
    return one((user + system) / 1e6);
  });
  return registry;
}

/** Nothing at the limit of open files, since Linux has it in a file: the other metrics are needed most then. */
function residentMemory(): Value[] {
  try {
    return [{ value: process.memoryUsage.rss() }];
  } catch {
    return [];
  }
}

/** A distribution as cumulative buckets with their sum and count. */
function spread(
  name: string,
  { bounds, counts, sum }: Distribution,
  labels: Record<string, string> = {},
): Value[] {
  let count = 0;
  const buckets = counts.map((each, index) => {
    count += each;
    const le = bounds[index] ?? "+Inf";
    return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: count };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
}
