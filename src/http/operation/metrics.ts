import type { App } from "../../app.ts";
import { clock } from "../../base/clock.ts";
import { type Distribution, addUp, createDistribution, observe, repeat } from "../../base/metrics.ts";
import type { Shown } from "../errors.ts";
import type { ServiceName } from "../request-record.ts";

/** Counters of the HTTP services; a restart resets them. */
export type Metrics = {
  /** The counters of a route, which belongs to one service. */
  route: (service: ServiceName, path: string) => RouteMetrics;
  refused: (service: ServiceName, reason: Shown["code"]) => void;
  /** Counts a submission that is spam. Which word it held does not matter. */
  spam: (reason: string) => void;
  /** Counts an attempt to deliver a submission, by what became of the delivery. */
  delivered: (kind: string, status: string) => void;
  /** Counts a feedback about a preview that was stored. */
  feedbackStored: () => void;
  /** Counts a request with an `X-Forwarded-For` that is ignored, because no trusted proxy sent it. */
  forwardedIgnored: () => void;
  /** By service, route and status: seconds until the answer began. */
  requests: () => { labels: Labels<"service" | "route" | "status">; seconds: Distribution }[];
  refusals: () => { labels: Labels<"service" | "reason">; count: number }[];
  spamReasons: () => { labels: Labels<"reason">; count: number }[];
  deliveries: () => { labels: Labels<"kind" | "status">; count: number }[];
  /** Feedback about previews that was stored. */
  feedback: () => number;
  /** Requests with an `X-Forwarded-For` that no trusted proxy sent. */
  forwarded: () => number;
};

export type RouteMetrics = {
  service: ServiceName;
  /** The pattern of the path, behind the base path; `/*` if none matched. */
  path: string;
  /** Counts an answer that began after so many milliseconds. */
  add: (status: number, ms: number) => void;
  /**
   * Counts an answer to a request that came at `start` on the steady clock. Only one of `READS_PER_SAMPLE` is
   * timed, and the others count as if they took as long as the last one: the clock would cost more than counting.
   */
  addRead: (status: number, start: number) => void;
};

type Labels<Name extends string> = Record<Name, string>;

/** The metrics of a thread as numbers. */
export type MetricValues = {
  [Name in "requests" | "refusals" | "spamReasons" | "deliveries" | "feedback" | "forwarded"]: ReturnType<
    Metrics[Name]
  >;
};

/** Values of one of several threads. */
export type ThreadValues = MetricValues & {
  streams: number;
  versionReads: ReturnType<App["watch"]["counts"]>;
};

export function valuesOf(metrics: Metrics): MetricValues {
  return {
    requests: metrics.requests(),
    refusals: metrics.refusals(),
    spamReasons: metrics.spamReasons(),
    deliveries: metrics.deliveries(),
    feedback: metrics.feedback(),
    forwarded: metrics.forwarded(),
  };
}

/** The values of all threads of a server together. */
export function sumOf(threads: MetricValues[]): MetricValues {
  const [only] = threads;
  if (only && threads.length === 1) return only;
  const counted = <T extends { labels: object; count: number }>(list: T[]): T[] =>
    merge(list, (sum, { count }) => ({ ...sum, count: sum.count + count }));
  return {
    requests: merge(
      threads.flatMap(({ requests }) => requests),
      ({ labels, seconds }, each) => ({ labels, seconds: addUp(seconds, each.seconds) }),
    ),
    refusals: counted(threads.flatMap(({ refusals }) => refusals)),
    spamReasons: counted(threads.flatMap(({ spamReasons }) => spamReasons)),
    deliveries: counted(threads.flatMap(({ deliveries }) => deliveries)),
    feedback: threads.reduce((sum, { feedback }) => sum + feedback, 0),
    forwarded: threads.reduce((sum, { forwarded }) => sum + forwarded, 0),
  };
}

/** One entry for each set of labels. */
function merge<T extends { labels: object }>(list: T[], add: (sum: T, each: T) => T): T[] {
  const sums = new Map<string, T>();
  for (const each of list) {
    const key = JSON.stringify(each.labels);
    const sum = sums.get(key);
    sums.set(key, sum ? add(sum, each) : each);
  }
  return [...sums.values()];
}

const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const READS_PER_SAMPLE = 64;

export function createMetrics(): Metrics {
  type Series = ReturnType<Metrics["requests"]>[number] & { untimed: number };
  type Route = RouteMetrics & { series: Map<number, Series> };
  const routes = new Map<string, Route>();
  const refusals = new Map<string, ReturnType<Metrics["refusals"]>[number]>();
  const spam = new Map<string, number>();
  const deliveries = new Map<string, ReturnType<Metrics["deliveries"]>[number]>();
  let feedback = 0;
  let forwarded = 0;

  const createRoute = (service: ServiceName, path: string): Route => {
    const series = new Map<number, Series>();
    const create = (status: number): Series => {
      const labels = { service, route: path, status: String(status) };
      const created = { labels, seconds: createDistribution(SECONDS), untimed: 0 };
      series.set(status, created);
      return created;
    };
    return {
      service,
      path,
      series,
      add: (status, ms) => observe((series.get(status) ?? create(status)).seconds, ms / 1000),
      addRead(status, start) {
        const each = series.get(status) ?? create(status);
        if (each.untimed > 0) repeat(each.seconds);
        else observe(each.seconds, (clock.steady() - start) / 1000);
        each.untimed = (each.untimed + 1) % READS_PER_SAMPLE;
      },
    };
  };
  return {
    route(service, path) {
      const route = routes.get(path) ?? createRoute(service, path);
      routes.set(path, route);
      return route;
    },
    refused(service, reason) {
      const key = `${service} ${reason}`;
      const entry = refusals.get(key) ?? { labels: { service, reason }, count: 0 };
      entry.count += 1;
      refusals.set(key, entry);
    },
    spam(reason) {
      const kind = reason.split(":")[0]!;
      spam.set(kind, (spam.get(kind) ?? 0) + 1);
    },
    delivered(kind, status) {
      const key = `${kind} ${status}`;
      const entry = deliveries.get(key) ?? { labels: { kind, status }, count: 0 };
      entry.count += 1;
      deliveries.set(key, entry);
    },
    feedbackStored: () => (feedback += 1),
    forwardedIgnored: () => (forwarded += 1),
    requests: () => [...routes.values()].flatMap(({ series }) => [...series.values()]),
    refusals: () => [...refusals.values()],
    spamReasons: () => [...spam].map(([reason, count]) => ({ labels: { reason }, count })),
    deliveries: () => [...deliveries.values()],
    feedback: () => feedback,
    forwarded: () => forwarded,
  };
}
