import { type Distribution, createDistribution, observe } from "../../base/metrics.ts";
import type { Shown } from "../errors.ts";
import type { RequestRecord, ServiceName } from "../request-record.ts";

/** Counters of the HTTP services; a restart resets them. */
export type Metrics = {
  request: (record: RequestRecord) => void;
  refused: (service: ServiceName, reason: Shown["code"]) => void;
  forwardedIgnored: () => void;
  /** By service, route and status: seconds until the answer began. */
  requests: () => { labels: Labels<"service" | "route" | "status">; seconds: Distribution }[];
  refusals: () => { labels: Labels<"service" | "reason">; count: number }[];
  /** Requests with an `X-Forwarded-For` that no trusted proxy sent. */
  forwarded: () => number;
};

type Labels<Name extends string> = Record<Name, string>;

const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export function createMetrics(): Metrics {
  type Series = ReturnType<Metrics["requests"]>[number];
  /** By route, which belongs to only one service, and status; two maps, so that a request builds no key. */
  const requests = new Map<string, Map<number, Series>>();
  const refusals = new Map<string, ReturnType<Metrics["refusals"]>[number]>();
  let forwarded = 0;
  return {
    request({ service, route, status, ms }) {
      let ofRoute = requests.get(route);
      if (!ofRoute) requests.set(route, (ofRoute = new Map()));
      let series = ofRoute.get(status);
      if (!series) {
        const labels = { service, route, status: String(status) };
        ofRoute.set(status, (series = { labels, seconds: createDistribution(SECONDS) }));
      }
      observe(series.seconds, ms / 1000);
    },
    refused(service, reason) {
      const key = `${service} ${reason}`;
      const entry = refusals.get(key) ?? { labels: { service, reason }, count: 0 };
      entry.count += 1;
      refusals.set(key, entry);
    },
    forwardedIgnored: () => (forwarded += 1),
    requests: () => [...requests.values()].flatMap((ofRoute) => [...ofRoute.values()]),
    refusals: () => [...refusals.values()],
    forwarded: () => forwarded,
  };
}
