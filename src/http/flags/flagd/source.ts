import { gzip } from "node:zlib";
import { promisify } from "node:util";
import { Hono } from "hono";
import { requireScope } from "../../../access/rights.ts";
import type { App } from "../../../app.ts";
import { AppError } from "../../../base/errors.ts";
import { type SourceFile, sourceFile } from "../../../flags/flagd/source.ts";
import { OMITTED } from "../../../operations/operation.ts";
import type { Client } from "../../address.ts";
import { acceptsGzip } from "../../codings.ts";
import { bearerToken, createFailureCount } from "../../auth.ts";
import { type Report, showError } from "../../errors.ts";
import { FLAGD_SOURCE_PATH } from "../../paths.ts";
import type { Guard, ThreadCounts } from "../../rate-limit.ts";
import { NO_SNIFF } from "../../security.ts";
import { etagOf, matches } from "../etag.ts";
import { createStaleness } from "../stale.ts";
import type { Caller } from "../../../access/caller.ts";
import type { EnvironmentKeys } from "../../../access/place.ts";
import { createTokenFinder } from "../../../access/token-finder.ts";
import { tokenCaller } from "../../../access/tokens.ts";
import { createCache } from "../../../base/changes.ts";
import { type FlagSource, createFlagViews } from "../../../flags/reads/snapshots.ts";

/** The file of an environment for flagd's HTTP source: https://flagd.dev/reference/sync-configuration/ */
export type FlagdSource = { routes: Hono<{ Bindings: { client: Client } }> };

/** The file that readers of an environment get until a flag changes or expires. */
type Prepared = SourceFile & { body: Blob; etag: string; gzipped?: Promise<Blob> };

const HEADERS = { ...NO_SNIFF, "Cache-Control": "no-cache", Vary: "Accept-Encoding" } as const;
const ENDING = ".json";

/**
 * The flags of an environment as a flagd file, from memory: for flagd itself, and for providers that evaluate in their own
 * process. `maxStale` is the age in milliseconds up to which it is answered while the database does not answer.
 */
export function createFlagdSource(
  app: App,
  report: Report,
  { guard, maxStale, threads }: { guard?: Guard | undefined; maxStale: number | null; threads: ThreadCounts },
): FlagdSource {
  const staleness = createStaleness(app.watch, maxStale);
  const countFailure = createFailureCount(app.now, threads);
  const files = createFlagdFiles<Prepared>(app, (file) => ({
    ...file,
    body: new Blob([file.text]),
    etag: etagOf(file.text),
  }));

  const authorize = async (request: Request, project: string, environment: string, client: () => Client) => {
    try {
      const secret = bearerToken(request.headers.get("authorization") ?? undefined);
      requireScope(await files.identify(secret), "flags:sync", { project, environment });
    } catch (error) {
      countFailure(error, client);
      throw error;
    }
  };
  const read: Read = async (request, project, file, client) => {
    try {
      guard?.(client)();
      const environment = file.endsWith(ENDING) ? file.slice(0, -ENDING.length) : "";
      await authorize(request, project, environment, client);
      const scope = `${project}/${environment}`;
      const prepared = await files.find(scope);
      if (!prepared) {
        staleness.requireFresh();
        throw new AppError(
          "not_found",
          `there is no environment ${scope}: the address ends in <project>/<environment>.json`,
        );
      }
      return staleness.mark(await send(request, prepared));
    } catch (error) {
      const { status, code, message, headers } = showError(error, report, request);
      return refused(status, code, message, headers);
    }
  };

  return { routes: routesOf(read) };
}

/** The file, packed where the reader takes that, or 304 if the reader has it. */
async function send(request: Request, prepared: Prepared): Promise<Response> {
  const { etag, omitted, body } = prepared;
  const headers = new Headers({
    ...HEADERS,
    "Content-Type": "application/json",
    // Weak, since it is the same for every encoding (RFC 9110, 8.8.1).
    ETag: `W/${etag}`,
    [OMITTED]: String(omitted),
  });
  const known = request.headers.get("if-none-match");
  if (known !== null && matches(known, etag)) return new Response(null, { status: 304, headers });
  const isGzip = acceptsGzip(request.headers.get("accept-encoding"));
  const sent = isGzip ? await (prepared.gzipped ??= gzipped(prepared.text)) : body;
  if (isGzip) headers.set("Content-Encoding", "gzip");
  headers.set("Content-Length", String(sent.size));
  return new Response(sent, { headers });
}

type Read = (request: Request, project: string, file: string, client: () => Client) => Promise<Response>;

function routesOf(read: Read): FlagdSource["routes"] {
  const routes: FlagdSource["routes"] = new Hono();
  routes.get(FLAGD_SOURCE_PATH, (c) =>
    read(c.req.raw, c.req.param("project"), c.req.param("file"), () => c.env.client),
  );
  routes.all(FLAGD_SOURCE_PATH, () =>
    refused(405, "method_not_allowed", "the flags of an environment are read with GET", {
      Allow: "GET, HEAD",
    }),
  );
  return routes;
}

async function gzipped(text: string): Promise<Blob> {
  return new Blob([await promisify(gzip)(text)]);
}

function refused(
  status: number,
  code: string,
  message: string,
  headers: Record<string, string> = {},
): Response {
  return Response.json(
    { error: { code, message } },
    { status, headers: { ...HEADERS, "Cache-Control": "no-store", ...headers } },
  );
}

/** The flags of environments as flagd files, and the tokens that read them. */
type FlagdFiles<T> = {
  /** The caller with a token. Throws `unauthenticated`, `unavailable`. */
  identify: (secret: string) => Promise<Caller>;
  /**
   * The file of an environment such as `shop/production`, from memory: the same object until it changes or one of its flags
   * expires. Undefined if there is no such environment. Throws `unavailable`.
   */
  find: (scope: string) => Promise<T | undefined>;
};

type View<T> = { source: FlagSource; prepared?: Promise<T>; until: number };

/** `prepare` makes of a file what is sent, once for all its readers. */
export function createFlagdFiles<T>(app: App, prepare: (file: SourceFile) => T): FlagdFiles<T> {
  const findToken = createTokenFinder(app.watch, app.store);
  const findKeys = createCache<EnvironmentKeys>(app.watch, async (scope) => {
    const [slug, environment] = scope.split("/");
    const project = await app.store.projects.find(slug!);
    const found = project?.environments.find((each) => each.slug === environment);
    return found && { projectKey: project!.key, environmentKey: found.key };
  });
  const findView = createFlagViews<View<T>>(app, async (source) => ({ source, until: Infinity }));
  const make = async (view: View<T>, scope: string): Promise<T> => {
    const file = await sourceFile(view.source, scope, app.now());
    view.until = file.until;
    return prepare(file);
  };
  return {
    identify: (secret) => tokenCaller(app, secret, findToken, { hasConfirmed: () => false }),
    async find(scope) {
      const keys = await findKeys(scope);
      const view = keys && (await findView(keys.projectKey, keys.environmentKey));
      if (!view) return undefined;
      if (app.now() >= view.until) delete view.prepared;
      return await (view.prepared ??= make(view, scope));
    },
  };
}
