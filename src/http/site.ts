import { clock } from "../base/clock.ts";
import type { App } from "../app.ts";
import type { Telemetry } from "../delivery/trace.ts";
import { normalise } from "../base/network.ts";
import { findClient } from "./address.ts";
import { type Report, showError } from "./errors.ts";
import { type Answer, type Finish, type HotRoute, type Peer, createHotRoutes } from "./hot.ts";
import type { Services } from "./services.ts";
import { type Check, FORWARDED, createHealth } from "./operation/health.ts";
import type { Metrics } from "./operation/metrics.ts";
import { type Part, isEverywhere, partOf, policyOf } from "./parts.ts";
import { CODE_REFS_PATH, FEEDBACK_PATH, FLAGS_PATH, READY_PATH, VISITS_PATH } from "./paths.ts";
import { REQUEST_ID, requestId, sentRequestId } from "./request-id.ts";
import type { RequestRecord } from "./request-record.ts";
import type { Root } from "./root.ts";

export type SiteOptions = {
  app: App;
  /** Prefix of every path, such as `/formflag`, or empty. */
  basePath: string;
  /** Whether paths without the prefix are answered too. */
  isBaseOptional?: boolean;
  /** Seconds for which browsers use only HTTPS (RFC 6797); null sends no such header. */
  hsts: number | null;
  isTrustedProxy: (address: string) => boolean;
  log: (record: RequestRecord) => void;
  /** Counts the requests. */
  counted: Metrics;
  /** Whether flag reads that succeed are logged too. */
  logsReads: boolean;
  report: Report;
  /** Whether the server is about to stop, and answers that it is not ready. */
  isDraining?: () => boolean;
  /** Gets every request that was answered; null for no observer. */
  served?: Telemetry["served"] | null;
  /** The paths that are answered here if there is an `elsewhere`; by default those of every thread. */
  isHere?: (path: string) => boolean;
  /** The readiness of a server that follows another one, which is no failure while it has no flags. */
  isReady?: Check | null;
  /** Answers the requests to services that only the main thread of a server has; null in that thread. */
  elsewhere?: ((request: Request, peer: Peer) => Promise<Response>) | null;
};

export type Site = {
  /** Answers any request. */
  fetch: (request: Request, peer: Peer) => Answer;
  /**
   * The most requested paths, for a router that is faster than Hono's and also answers requests without a host;
   * `fetch` gives the same answers.
   */
  hot: HotRoute[];
  /** Loads the services that are otherwise loaded with the first request to them, apart from the dashboard. */
  warm: () => Promise<void>;
};

/** Requests to the flag service that store something: they are logged as any other. */
const FLAG_WRITES: ReadonlySet<string> = new Set([CODE_REFS_PATH, FEEDBACK_PATH, VISITS_PATH]);

/** Combines the services of one address, with health checks and one log record for each request. */
export function createSite(services: Services, options: SiteOptions): Site {
  const { app, basePath, hsts, isTrustedProxy, counted, log, logsReads, report } = options;
  const { isDraining = () => false, isBaseOptional = false, elsewhere = null, served = null } = options;
  const { isReady: isOwn = null, isHere = isEverywhere } = options;
  const { isHealthy, isReady } = createHealth(app, report, isDraining);
  const strictTransport = hsts === null ? null : `max-age=${hsts}`;

  const pathIn = (path: string) => {
    const joined = joinedPath(path, basePath);
    return isBaseOptional && !`${joined}/`.startsWith(`${basePath}/`) ? basePath + joined : joined;
  };
  const clientOf = (request: Request, peer: Peer) => {
    const [address, forwarded] = [normalise(peer(request)), request.headers.get("x-forwarded-for")];
    if (forwarded !== null && !isTrustedProxy(address)) counted.forwardedIgnored();
    return findClient(address, forwarded, isTrustedProxy);
  };
  /** The answer shows whether the proxy in front is trusted, so that this can be checked before anyone uses it. */
  const checkHealth = async (request: Request, peer: Peer) => {
    const answer = await isHealthy(request);
    if (request.headers.has("x-forwarded-for"))
      answer.headers.set(FORWARDED, isTrustedProxy(normalise(peer(request))) ? "trusted" : "ignored");
    return answer;
  };
  /** Adds the headers of every answer, and counts and logs the request. A flag read that succeeds is only counted. */
  const finish: Finish = (answer, request, route, start, client) => {
    const { status } = answer;
    const isRead = route.service === "flags" && status < 400 && !FLAG_WRITES.has(route.path);
    const isLogged = !isRead || logsReads;
    const id = isLogged ? requestId(request) : sentRequestId(request);
    if (id !== null) answer.headers.set(REQUEST_ID, id);
    if (strictTransport !== null) answer.headers.set("Strict-Transport-Security", strictTransport);
    if (isLogged) {
      const ms = clock.steady() - start;
      route.add(status, ms);
      const isFailure = status >= 500 && !(route.path === READY_PATH && (isDraining() || isOwn !== null));
      log({ method: request.method, route: route.path, status, ms, id: id!, isRead, isFailure, client });
    } else route.addRead(status, start);
    if (served !== null)
      served(request, { method: request.method, route: route.path, status, ms: clock.steady() - start });
    return answer;
  };

  /** Its router and pages are loaded with the first request that is not for a hot path. */
  const createRoot = async (part: Part) => {
    const { createRoot } = await import("./root.ts");
    return createRoot(part, services, {
      basePath,
      pathIn,
      counted,
      report,
      finish,
      checkHealth,
      isReady: isOwn ?? isReady,
    });
  };
  const roots = new Map<Part, Promise<Root>>();
  /** The path behind the base path. */
  const pathOf = ({ url }: Request): string => {
    const path = pathIn(URL.parse(url, "http://localhost")?.pathname ?? "");
    return path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : path;
  };
  const rootFor = async (part: Part) => {
    const root = roots.get(part) ?? createRoot(part);
    roots.set(part, root);
    try {
      return await root;
    } catch (error) {
      // Removed, so that the next request tries to load it again.
      roots.delete(part);
      throw error;
    }
  };

  return {
    async fetch(request, peer) {
      const path = pathOf(request);
      if (elsewhere !== null && !isHere(path)) return elsewhere(request, peer);
      const client = clientOf(request, peer);
      const part = partOf(path);
      try {
        return await (await rootFor(part)).fetch(request, { client, peer });
      } catch (error) {
        // A service that cannot be loaded now, such as the dashboard while the database is locked.
        const { status, message, headers } = showError(error, report, request);
        const body = { error: true, code: status, message };
        return Response.json(body, { status, headers: { ...policyOf(part), ...headers } });
      }
    },
    warm: async () => void (await rootFor("late")),
    hot: createHotRoutes(services, { basePath, counted, clientOf, finish, checkHealth }),
  };
}

/**
 * A path with one slash if several follow each other, and none at its end, as base addresses and typing leave them. The
 * address of a flag without its slug keeps it.
 */
function joinedPath(path: string, basePath: string): string {
  const joined = path.includes("//") ? path.replaceAll(/\/{2,}/g, "/") : path;
  if (joined.endsWith(`${FLAGS_PATH}/`)) return joined;
  const isHome = joined === "/" || joined === `${basePath}/`;
  return joined.endsWith("/") && !isHome ? joined.slice(0, -1) : joined;
}
