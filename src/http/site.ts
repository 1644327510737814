import { Hono } from "hono";
import { matchedRoutes } from "hono/route";
import type { App } from "../app.ts";
import { clientAddress } from "./address.ts";
import type { AdminApp } from "./admin.ts";
import { showError, type Report } from "./errors.ts";
import type { FlagsService } from "./flags.ts";
import type { FormsService } from "./forms.ts";
import { missingPage } from "./pages/error.ts";
import { ADMIN_PATH, FLAGS_PATH, FLAG_PATH, HEALTH_PATH, OPENAPI_PATH, SUBMIT_PATH } from "./paths.ts";

/** One answered request. Holds no path, query or header as sent, for they may carry keys. */
export type RequestRecord = {
  method: string;
  /** The pattern that matched; `/*` where none did. */
  route: string;
  status: number;
  /** Milliseconds until the answer began. */
  ms: number;
};

/** What one address serves. */
export type Services = {
  forms?: FormsService | undefined;
  flags?: FlagsService | undefined;
  /** Loaded when first asked for: the other services start sooner. */
  admin?: (() => Promise<AdminApp>) | undefined;
};

export type SiteOptions = {
  app: App;
  isTrustedProxy: (address: string) => boolean;
  log: (record: RequestRecord) => void;
  report: Report;
};

/** `peer` tells the address at the other end of the connection: flag reads never ask. */
type Peer = () => string;
type Handler = (request: Request, parameter: string, peer: Peer) => Response | Promise<Response>;

export type Site = {
  /** Answers any request. */
  fetch: (request: Request, peer: Peer) => Response | Promise<Response>;
  /**
   * The paths that are asked most, for a router faster than Hono's, which also answers where a request names no
   * host; `fetch` answers them alike.
   */
  hot: { path: string; parameter: string; handle: Handler }[];
};

/** Puts the services of one address together, with a health check and one log record a request. */
export function createSite(services: Services, { app, isTrustedProxy, log, report }: SiteOptions): Site {
  const { forms, flags, admin } = services;
  const clientOf = (request: Request, peer: Peer) =>
    clientAddress(peer(), request.headers.get("x-forwarded-for"), isTrustedProxy);

  const logged = (route: string, handle: Handler): Handler => {
    return (request, parameter, peer) => {
      const start = performance.now();
      const finish = (answer: Response) => {
        log({ method: request.method, route, status: answer.status, ms: performance.now() - start });
        return answer;
      };
      const answer = handle(request, parameter, peer);
      return answer instanceof Promise ? answer.then(finish) : finish(answer);
    };
  };

  const checkHealth = async () => {
    try {
      await app.store.ping();
      return Response.json({ status: "ok" });
    } catch (error) {
      const { status, message } = showError(error, report);
      return Response.json({ error: true, code: status, message }, { status });
    }
  };
  const openRoot = async (withAdmin: boolean) => {
    const root = new Hono<{ Bindings: { client: string } }>();
    root.use(async (c, next) => {
      const start = performance.now();
      await next();
      // Middleware and the answer to everything else match too.
      const route = matchedRoutes(c).findLast(({ path }) => !path.endsWith("*"))?.path ?? "/*";
      log({ method: c.req.method, route, status: c.res.status, ms: performance.now() - start });
    });
    root.get(HEALTH_PATH, checkHealth);
    if (forms) root.route("/", forms.routes);
    if (flags) root.route("/", flags.routes);
    if (admin && withAdmin) root.route("/", await admin());
    root.onError((error, c) => {
      const { status, message, headers } = showError(error, report);
      return c.json({ error: true, code: status, message }, status, headers);
    });
    root.notFound((c) => {
      const isForPeople =
        forms && !/^\/api(\/|$)/.test(c.req.path) && c.req.header("accept")?.includes("text/html");
      if (isForPeople) return missingPage();
      return c.json({ error: true, code: 404, message: "there is nothing at this address" }, 404);
    });
    return root;
  };
  const roots = new Map<boolean, ReturnType<typeof openRoot>>();
  const rootFor = async (request: Request) => {
    const path = URL.parse(request.url, "http://localhost")?.pathname ?? "";
    const withAdmin = path === OPENAPI_PATH || `${path}/`.startsWith(`${ADMIN_PATH}/`);
    const root = roots.get(withAdmin) ?? openRoot(withAdmin);
    roots.set(withAdmin, root);
    try {
      return await root;
    } catch (error) {
      // What could not be loaded now may be loaded later.
      roots.delete(withAdmin);
      throw error;
    }
  };

  const hot: Site["hot"] = [{ path: HEALTH_PATH, parameter: "", handle: logged(HEALTH_PATH, checkHealth) }];
  if (forms) {
    const submit: Handler = (request, formKey, peer) =>
      forms.submit(request, formKey, () => clientOf(request, peer));
    hot.push({ path: SUBMIT_PATH, parameter: "form_key", handle: logged(SUBMIT_PATH, submit) });
  }
  if (flags) {
    hot.push(
      { path: FLAGS_PATH, parameter: "", handle: logged(FLAGS_PATH, (request) => flags.readFlags(request)) },
      {
        path: FLAG_PATH,
        parameter: "slug",
        handle: logged(FLAG_PATH, (request, slug) => flags.readFlag(request, slug)),
      },
    );
  }
  return {
    async fetch(request, peer) {
      const client = clientOf(request, peer);
      return (await rootFor(request)).fetch(request, { client });
    },
    hot,
  };
}
