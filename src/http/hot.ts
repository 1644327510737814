import { clock } from "../base/clock.ts";
import type { Client } from "./address.ts";
import type { OfrepService } from "./flags/ofrep.ts";
import type { Metrics, RouteMetrics } from "./operation/metrics.ts";
import {
  CODE_REFS_PATH,
  FLAGS_PATH,
  FLAG_PATH,
  HEALTH_PATH,
  OFREP_FLAGS_PATH,
  OFREP_FLAG_PATH,
  PREVIEWS_PATH,
  SUBMIT_PATH,
} from "./paths.ts";
import type { ServiceName } from "./request-record.ts";
import type { Services } from "./services.ts";

/** Returns the address at the other end of the connection; a function, since flag reads rarely need it. */
export type Peer = (request: Request) => string;

export type Answer = Response | Promise<Response>;

type Seal = (answer: Response) => Response;

/** Adds the headers of every answer, and counts and logs the request, which came at `start` on the steady clock. */
export type Finish = (
  answer: Response,
  request: Request,
  route: RouteMetrics,
  start: number,
  client: () => Client,
) => Response;

/** A path that is requested so often that its answer does not go through Hono. */
export type HotRoute = {
  /** GET stands for HEAD too. The router reads the method for less than `request.method` takes. */
  method: "GET" | "POST";
  path: string;
  /** The name of the parameter in the path; empty if it has none. */
  parameter: string;
  /** `seal` gets the finished answer, so that nothing has to wait for the promise of it once more. */
  handle: (request: Request, parameter: string, peer: Peer, seal: Seal) => Answer;
};

type Parts = {
  basePath: string;
  counted: Metrics;
  clientOf: (request: Request, peer: Peer) => Client;
  finish: Finish;
  checkHealth: (request: Request, peer: Peer) => Answer;
};

type Handler = (request: Request, parameter: string, client: () => Client, peer: Peer) => Answer;

/** The hot routes of the services at one address. */
export function createHotRoutes(
  { forms, flags, previews, codeReferences, ofrep }: Services,
  { basePath, counted, clientOf, finish, checkHealth }: Parts,
): HotRoute[] {
  // Functions of their own: in `handle`, what they capture would cost each flag read three objects more.
  const laterClient = (request: Request, peer: Peer) => () => clientOf(request, peer);
  const finishLater = (
    answer: Promise<Response>,
    request: Request,
    route: RouteMetrics,
    start: number,
    client: () => Client,
    seal: Seal,
  ) => answer.then((answer) => seal(finish(answer, request, route, start, client)));
  const hot: HotRoute[] = [];
  const addHot = (
    service: ServiceName,
    method: "GET" | "POST",
    route: string,
    parameter: string,
    handle: Handler,
  ) => {
    const metrics = counted.route(service, route);
    hot.push({
      method,
      path: `${basePath}${route}`,
      parameter,
      handle(request, value, peer, seal) {
        const start = clock.steady();
        const client = laterClient(request, peer);
        // Counts an address that is ignored, also if no limit needs the client.
        if (service === "forms" && request.headers.has("x-forwarded-for")) client();
        const answer = handle(request, value, client, peer);
        return answer instanceof Promise
          ? finishLater(answer, request, metrics, start, client, seal)
          : seal(finish(answer, request, metrics, start, client));
      },
    });
  };
  addHot("operation", "GET", HEALTH_PATH, "", (request, _parameter, _client, peer) =>
    checkHealth(request, peer),
  );
  if (forms) addHot("forms", "POST", SUBMIT_PATH, "form_key", forms.submit);
  if (flags) {
    addHot("flags", "GET", FLAGS_PATH, "", (request, _, client) => flags.readFlags(request, client));
    addHot("flags", "GET", FLAG_PATH, "slug", flags.readFlag);
  }
  if (flags && codeReferences)
    addHot("flags", "POST", CODE_REFS_PATH, "", async (request, _, client) =>
      (await codeReferences()).upload(request, client),
    );
  if (previews)
    addHot("flags", "GET", PREVIEWS_PATH, "", (request, _, client) => previews.readPreviews(request, client));
  if (ofrep) {
    let loaded: OfrepService | undefined;
    const use = (answer: (service: OfrepService) => Answer) =>
      loaded ? answer(loaded) : ofrep().then((service) => answer((loaded = service)));
    addHot("flags", "POST", OFREP_FLAGS_PATH, "", (request, _, client) =>
      use((service) => service.evaluateAll(request, client)),
    );
    addHot("flags", "POST", OFREP_FLAG_PATH, "key", (request, key, client) =>
      use((service) => service.evaluateOne(request, key, client)),
    );
  }
  return hot;
}
