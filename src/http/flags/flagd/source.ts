import { gzip } from "node:zlib";
import { promisify } from "node:util";
import { Hono } from "hono";
import { requireScope } from "../../../access/rights.ts";
import type { App } from "../../../app.ts";
import { AppError } from "../../../base/errors.ts";
import { type Counted, type Reader, type SourceFile, sourceFile } from "../../../flags/flagd/source.ts";
import { createHeldFlags } from "../../../experiments/held-flags.ts";
import { countedRule } from "../../../experiments/split.ts";
import { OMITTED } from "../../../operations/operation.ts";
import type { Client } from "../../address.ts";
import { acceptsGzip } from "../../codings.ts";
import { bearerToken, createFailureCount } from "../../auth.ts";
import { type Report, showError } from "../../errors.ts";
import { FLAGD_OWN_PATH, FLAGD_SOURCE_PATH } from "../../paths.ts";
import type { Guard, ThreadCounts } from "../../rate-limit.ts";
import { NO_SNIFF } from "../../security.ts";
import { etagOf, matches } from "../etag.ts";
import { STREAM_HEADERS, createEventStreams } from "../event-streams.ts";
import { createStaleness } from "../stale.ts";
import type { Caller } from "../../../access/caller.ts";
import type { EnvironmentKeys } from "../../../access/place.ts";
import { createTokenFinder } from "../../../access/token-finder.ts";
import { tokenCaller } from "../../../access/tokens.ts";
import { createCache } from "../../../base/changes.ts";
import { once } from "../../../base/once.ts";
import { type FlagSource, createFlagViews } from "../../../flags/reads/snapshots.ts";

/** The file of an environment for flagd's HTTP source: https://flagd.dev/reference/sync-configuration/ */
export type FlagdSource = {
  routes: Hono<{ Bindings: { client: Client } }>;
  /** How many streams of changes are open. */
  streams: () => number;
  /** Ends every stream, so that the server can stop. */
  close: () => void;
};

/** The file that readers of an environment get until a flag changes or expires. */
type Prepared = SourceFile & { body: Blob; etag: string; gzipped: () => Promise<Blob> };

const HEADERS = { ...NO_SNIFF, "Cache-Control": "no-cache", Vary: "Accept, Accept-Encoding" } as const;
const ENDING = ".json";
/** The type of a file for the providers of this product. */
const OWN_TYPE = "application/vnd.formflag+json";

/** A reader's token, and the environment that its address names; empty if it names none. */
type Asked = { secret: string; scope: string };

/**
 * The flags of an environment as a file for flagd and for providers that evaluate in their own process, from memory, with a
 * stream of its changes at the same address. `maxStale` is the age in milliseconds up to which it is answered while the
 * database does not answer.
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
    gzipped: once(() => gzipped(file.text)),
  }));

  /** The file of an environment that a token reads; undefined if there is no such environment. */
  const fileFor = async ({ secret, scope }: Asked, reader: Reader): Promise<Prepared | undefined> => {
    const caller = await files.identify(secret);
    const place = scope === "" ? onlyPlaceOf(caller) : scope;
    const [project, environment] = place.split("/");
    requireScope(caller, "flags:sync", { project, environment });
    return files.find(place, reader);
  };
  const streams = createEventStreams<Asked & { etag: string }>(app, { report, threads }, async (state) => {
    const file = await fileFor(state, "formflag").catch(unlessGone);
    if (!file) return null;
    if (file.etag === state.etag) return undefined;
    state.etag = file.etag;
    return changed(file);
  });
  const read: Read = async (request, scope, client) => {
    try {
      guard?.(client)();
      const accept = request.headers.get("accept") ?? "";
      const isStream = accept.includes("text/event-stream");
      const isOwn = isStream || accept.includes(OWN_TYPE);
      const asked = { secret: bearerToken(request.headers.get("authorization") ?? undefined), scope };
      const file = await fileFor(asked, isOwn ? "formflag" : "flagd");
      if (!file) {
        staleness.requireFresh();
        throw new AppError(
          "not_found",
          `there is no environment ${scope}: the address ends in <project>/<environment>.json`,
        );
      }
      if (!isStream) return staleness.mark(await send(request, file, isOwn ? OWN_TYPE : "application/json"));
      const stream = streams.open(
        `${asked.secret} ${scope}`,
        { ...asked, etag: file.etag },
        changed(file),
        client(),
      );
      return new Response(stream, { headers: { ...HEADERS, ...STREAM_HEADERS } });
    } catch (error) {
      try {
        countFailure(error, client);
      } catch (limited) {
        return refused(showError(limited, report, request));
      }
      return refused(showError(error, report, request));
    }
  };

  return { routes: routesOf(read), streams: streams.count, close: streams.close };
}

/** Nothing, for a reader whose token is gone. Throws any other error. */
function unlessGone(error: unknown): undefined {
  if (error instanceof AppError && error.code !== "unavailable") return undefined;
  throw error;
}

/** An event with the tag that the file has now. */
function changed({ etag }: Prepared): Uint8Array {
  return Buffer.from(`event: change\ndata: ${JSON.stringify({ etag: `W/${etag}` })}\n\n`);
}

/** The environment of a token that is limited to one. Throws `invalid`. */
export function onlyPlaceOf({ grants }: Caller): string {
  const [grant, ...others] = grants;
  const { project, environments = [] } = grant ?? {};
  if (others.length === 0 && project !== undefined && environments.length === 1)
    return `${project}/${environments[0]}`;
  throw new AppError("invalid", "the token reads several environments: select one, such as shop/production");
}

/** Finds the flags of an environment that experiments and guards measure, with spaces between them. */
function createMeasuredFlags(app: App): (scope: string, environmentKey: string) => Promise<string> {
  const findHeld = createHeldFlags(app);
  return async (scope, environmentKey) => {
    const measured: string[] = [];
    for (const flag of (await findHeld(scope)) ?? [])
      if ((await app.measuring.measurementOf(environmentKey, flag)) !== null) measured.push(flag);
    return measured.join(" ");
  };
}

/** The users of a measured flag who are counted. */
function countedIn(rules: string | null): Counted {
  try {
    const counted = countedRule(rules);
    return counted === null ? true : { rule: counted.targeting };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    // A rule of another kind, which pauses the experiment in a moment.
    return true;
  }
}

/** The file, packed where the reader takes that, or 304 if the reader has it. */
async function send(request: Request, prepared: Prepared, type: string): Promise<Response> {
  const { etag, omitted, body, gzipped } = prepared;
  const headers = new Headers({
    ...HEADERS,
    "Content-Type": type,
    // Weak, since it is the same for every encoding (RFC 9110, 8.8.1).
    ETag: `W/${etag}`,
    [OMITTED]: String(omitted),
  });
  const known = request.headers.get("if-none-match");
  if (known !== null && matches(known, etag)) return new Response(null, { status: 304, headers });
  const isGzip = acceptsGzip(request.headers.get("accept-encoding"));
  const sent = isGzip ? await gzipped() : body;
  if (isGzip) headers.set("Content-Encoding", "gzip");
  headers.set("Content-Length", String(sent.size));
  return new Response(sent, { headers });
}

type Read = (request: Request, scope: string, client: () => Client) => Promise<Response>;

function routesOf(read: Read): FlagdSource["routes"] {
  const routes: FlagdSource["routes"] = new Hono();
  routes.get(FLAGD_OWN_PATH, (c) => read(c.req.raw, "", () => c.env.client));
  routes.get(FLAGD_SOURCE_PATH, (c) => {
    const { project, file } = c.req.param();
    const environment = file.endsWith(ENDING) ? file.slice(0, -ENDING.length) : "";
    return read(c.req.raw, `${project}/${environment}`, () => c.env.client);
  });
  const wrongMethod = () =>
    refused({
      status: 405,
      code: "method_not_allowed",
      message: "the flags of an environment are read with GET",
      headers: { Allow: "GET, HEAD" },
    });
  for (const path of [FLAGD_OWN_PATH, FLAGD_SOURCE_PATH]) routes.all(path, wrongMethod);
  return routes;
}

async function gzipped(text: string): Promise<Blob> {
  return new Blob([await promisify(gzip)(text)]);
}

function refused({ status, code, message, headers }: Refusal): Response {
  return Response.json(
    { error: { code, message } },
    { status, headers: { ...HEADERS, "Cache-Control": "no-store", ...headers } },
  );
}

type Refusal = { status: number; code: string; message: string; headers?: Record<string, string> };

/** The flags of environments as flagd files, and the tokens that read them. */
type FlagdFiles<T> = {
  /** The caller with a token. Throws `unauthenticated`, `unavailable`. */
  identify: (secret: string) => Promise<Caller>;
  /**
   * The file of an environment such as `shop/production` for a reader, from memory: the same object until it changes or one
   * of its flags expires. Undefined if there is no such environment. Throws `unavailable`.
   */
  find: (scope: string, reader: Reader) => Promise<T | undefined>;
};

type View<T> = {
  source: FlagSource;
  prepared: Partial<Record<Reader, () => Promise<T>>>;
  until: number;
  /** The flags that experiments and guards measured when the file for the providers of this product was made. */
  measured: string;
};

/** `prepare` makes of a file what is sent, once for all its readers. */
export function createFlagdFiles<T>(app: App, prepare: (file: SourceFile) => T): FlagdFiles<T> {
  const findToken = createTokenFinder(app.watch, app.store);
  const findKeys = createCache<EnvironmentKeys>(app.watch, async (scope) => {
    const [slug, environment] = scope.split("/");
    const project = await app.store.projects.find(slug!);
    const found = project?.environments.find((each) => each.slug === environment);
    return found && { projectKey: project!.key, environmentKey: found.key };
  });
  const findView = createFlagViews<View<T>>(app, async (source) => ({
    source,
    prepared: {},
    until: Infinity,
    measured: "",
  }));
  const findMeasured = createMeasuredFlags(app);
  const make = async (view: View<T>, scope: string, reader: Reader): Promise<T> => {
    const counted = new Map<string, Counted>();
    for (const { slug, rules } of view.source.records)
      if (view.measured.split(" ").includes(slug)) counted.set(slug, countedIn(rules));
    const file = await sourceFile(view.source, scope, app.now(), reader, counted);
    view.until = Math.min(view.until, file.until);
    return prepare(file);
  };
  return {
    identify: (secret) => tokenCaller(app, secret, findToken, { hasConfirmed: () => false }),
    async find(scope, reader) {
      const keys = await findKeys(scope);
      const view = keys && (await findView(keys.projectKey, keys.environmentKey));
      if (!view) return undefined;
      const measured = reader === "formflag" ? await findMeasured(scope, keys.environmentKey) : view.measured;
      if (app.now() >= view.until || measured !== view.measured)
        Object.assign(view, { prepared: {}, until: Infinity, measured });
      return await (view.prepared[reader] ??= once(() => make(view, scope, reader)))();
    },
  };
}
