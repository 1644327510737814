import { Hono } from "hono";
import { type Metric, Registry } from "prom-client";
import type { App } from "../../app.ts";
import type { Distribution } from "../../base/metrics.ts";
import { isLoopbackHost } from "../../base/network.ts";
import { type Backups, NO_BACKUPS } from "../../maintenance/status.ts";
import { type AdminEnv, identify, requires } from "../auth.ts";
import { type Report, showError } from "../errors.ts";
import { METRICS_PATH } from "../paths.ts";
import { type MetricValues, type Metrics, sumOf, valuesOf } from "./metrics.ts";

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
};

/** Values of one of several threads. */
export type ThreadValues = MetricValues & {
  streams: number;
  versionReads: ReturnType<App["watch"]["counts"]>;
};

/** How long the size of all stored files is cached, in milliseconds: the query reads every row. */
const FILE_BYTES_TTL = 60_000;

/** Queued deliveries that a scrape counts. */
const MAX_QUEUED_COUNTED = 100_000;

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
    requires({ scope: "read", place: "instance" }),
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

type Value = { value: number; labels?: Record<string, string | number>; metricName?: string };

/** The metrics are read at each scrape, so that counting costs a request almost nothing. */
function createRegistry(
  app: App,
  { build, backups = () => NO_BACKUPS }: MetricsOptions,
  threads: () => ThreadValues[],
): Registry {
  const metrics = () => sumOf(threads());
  const totalOf = (numberOf: (each: ThreadValues) => number) =>
    threads().reduce((sum, each) => sum + numberOf(each), 0);
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

  add("gauge", "formflag_build_info", "The version that runs.", () => [{ value: 1, labels: build }]);
  add(
    "histogram",
    "formflag_http_request_duration_seconds",
    "Time until an answer began, by service, route and status.",
    () =>
      metrics().requests.flatMap(({ labels, seconds }) =>
        spread("formflag_http_request_duration_seconds", seconds, labels),
      ),
  );
  add("counter", "formflag_refused_total", "Requests refused or failed, by service and reason.", () =>
    metrics().refusals.map(({ labels, count }) => ({ labels, value: count })),
  );
  add("counter", "formflag_spam_total", "Submissions that are spam, stored or refused, by reason.", () =>
    metrics().spamReasons.map(({ labels, count }) => ({ labels, value: count })),
  );
  add(
    "counter",
    "formflag_delivery_attempts_total",
    "Attempts to deliver submissions, by kind and what became of the delivery.",
    () => metrics().deliveries.map(({ labels, count }) => ({ labels, value: count })),
  );
  add("gauge", "formflag_deliveries_queued", "Deliveries that are queued, at most 100,000.", async () =>
    one(await app.store.deliveries.countQueued(MAX_QUEUED_COUNTED)),
  );
  add("counter", "formflag_feedback_total", "Feedback about previews that was stored.", () =>
    one(totalOf(({ feedback }) => feedback)),
  );
  add(
    "counter",
    "formflag_forwarded_ignored_total",
    "Requests with an X-Forwarded-For that no trusted proxy sent.",
    () => one(totalOf(({ forwarded }) => forwarded)),
  );

  add("gauge", "formflag_sse_clients", "Open streams of change events.", () =>
    one(totalOf(({ streams }) => streams)),
  );

  add("counter", "formflag_looks_total", "Looks at the database for changes, by result.", () => {
    return [
      { labels: { result: "succeeded" }, value: totalOf(({ versionReads }) => versionReads.succeeded) },
      { labels: { result: "failed" }, value: totalOf(({ versionReads }) => versionReads.failed) },
    ];
  });
  add(
    "gauge",
    "formflag_stale_seconds",
    "Age of what is answered from memory while the database does not answer; else 0.",
    () => one(app.watch.staleFor() / 1000),
  );

  add("gauge", "formflag_write_queue_writes", "Writes that wait for the disk.", async () =>
    one((await app.store.stats()).queued),
  );
  add("gauge", "formflag_write_queue_bytes", "Approximate bytes of those writes.", async () =>
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
      files = { bytes: await app.store.submissions.fileBytes(), until: app.now() + FILE_BYTES_TTL };
    return [
      { labels: { kind: "database" }, value: (await app.store.stats()).bytes },
      { labels: { kind: "files" }, value: files.bytes },
    ];
  });

  const lastBackup = (value: (last: NonNullable<Backups["last"]>) => number) => () => {
    const { last } = backups();
    return last === null ? [] : one(value(last));
  };
  add(
    "gauge",
    "formflag_backup_last_success_timestamp_seconds",
    "When the last backup was made, since 1970.",
    lastBackup(({ at }) => Date.parse(at) / 1000),
  );
  add(
    "gauge",
    "formflag_backup_last_size_bytes",
    "Size of the last backup.",
    lastBackup(({ bytes }) => bytes),
  );
  add("gauge", "formflag_backup_failing", "1 if the last backup of the server failed, else 0.", () =>
    one(backups().failure === null ? 0 : 1),
  );

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

/** Empty if memory cannot be read: Linux has it in a file, and at the limit of open files the other metrics matter most. */
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
