import { gzip } from "node:zlib";
import { promisify } from "node:util";
import { Hono } from "hono";
import { requireScope } from "../../../access/rights.ts";
import type { App } from "../../../app.ts";
import { AppError } from "../../../base/errors.ts";
import type { Reader, SourceFile } from "../../../flags/flagd/source.ts";
import { type ReadableFlags, countReads, flagsIn } from "../../../flags/reads/reported.ts";
import { OMITTED } from "../../../operations/operation.ts";
import type { Client } from "../../address.ts";
import { acceptsGzip } from "../../codings.ts";
import { bearerToken, createFailureCount } from "../../auth.ts";
import { type Report, showError } from "../../errors.ts";
import { FLAGD_OWN_PATH, FLAGD_SOURCE_PATH } from "../../paths.ts";
import type { Guard, ThreadCounts } from "../../rate-limit.ts";
import { NO_SNIFF } from "../../security.ts";
import { etagOf, matches } from "../etag.ts";
import { createFlagdFiles, onlyPlaceOf } from "./files.ts";
import { readCounts } from "./counts.ts";
import { STREAM_HEADERS, createEventStreams } from "../event-streams.ts";
import { createStaleness } from "../stale.ts";
import { lazy, once } from "../../../base/once.ts";

/** The file of an environment for flagd's HTTP source: https://flagd.dev/reference/sync-configuration/ */
export type FlagdSource = {
  routes: Hono<{ Bindings: { client: Client } }>;
  /** How many streams of changes are open. */
  streams: () => number;
  /** Ends every stream, so that the server can stop. */
  close: () => void;
};

/** The file that readers of an environment get until a flag changes or expires. */
type Prepared = SourceFile & {
  body: Blob;
  etag: string;
  gzipped: () => Promise<Blob>;
  flags: () => ReadableFlags;
};

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
  const files = createFlagdFiles<Prepared>(app, (file) => ({
    ...file,
    body: new Blob([file.text]),
    etag: etagOf(file.text),
    gzipped: once(() => gzipped(file.text)),
    flags: lazy(() => flagsIn(file.text)),
  }));

  /** The place that a token reads, and its name. */
  const placeFor = async ({ secret, scope }: Asked): Promise<{ place: string; client: string }> => {
    const caller = await files.identify(secret);
    const place = scope === "" ? onlyPlaceOf(caller) : scope;
    const [project, environment] = place.split("/");
    requireScope(caller, "flags:sync", { project, environment });
    return { place, client: caller.name };
  };
  /** The file of an environment that a token reads; undefined for an unknown environment. */
  const fileFor = async (asked: Asked, reader: Reader): Promise<Prepared | undefined> =>
    files.find((await placeFor(asked)).place, reader);
  const streams = createEventStreams<Asked & { etag: string }>(app, { report, threads }, async (state) => {
    const file = await fileFor(state, "formflag").catch(unlessGone);
    if (!file) return null;
    if (file.etag === state.etag) return undefined;
    state.etag = file.etag;
    return changed(file);
  });
  const notFound = (scope: string) =>
    new AppError(
      "not_found",
      `there is no environment ${scope}: the address ends in <project>/<environment>.json`,
    );
  const answer = answering(report, createFailureCount(app.now, threads), guard);
  const read = answer(async (request, asked, client) => {
    const accept = request.headers.get("accept") ?? "";
    const isStream = accept.includes("text/event-stream");
    const isOwn = isStream || accept.includes(OWN_TYPE);
    const file = await fileFor(asked, isOwn ? "formflag" : "flagd");
    if (!file) {
      staleness.requireFresh();
      throw notFound(asked.scope);
    }
    if (!isStream) return staleness.mark(await send(request, file, isOwn ? OWN_TYPE : "application/json"));
    const stream = streams.open(
      `${asked.secret} ${asked.scope}`,
      { ...asked, etag: file.etag },
      changed(file),
      client(),
    );
    return new Response(stream, { headers: { ...HEADERS, ...STREAM_HEADERS } });
  });
  const take = answer(async (request, asked) => {
    await placeFor(asked);
    const reads = await readCounts(request);
    // Again, since the token may have been revoked while the body arrived.
    const { place, client } = await placeFor(asked);
    const [file, environmentKey] = [await files.find(place, "formflag"), await files.keyOf(place)];
    if (!file || environmentKey === undefined) throw notFound(place);
    await countReads(app, reads, { environmentKey, client, flags: file.flags() });
    return new Response(null, { status: 204, headers: { ...HEADERS, "Cache-Control": "no-store" } });
  });

  return { routes: routesOf(read, take), streams: streams.count, close: streams.close };
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

/** Answers requests with tokens, or refuses them. */
function answering(report: Report, countFailure: ReturnType<typeof createFailureCount>, guard?: Guard) {
  return (run: (request: Request, asked: Asked, client: () => Client) => Promise<Response>): Answer =>
    async (request, scope, client) => {
      try {
        guard?.(client)();
        const secret = bearerToken(request.headers.get("authorization") ?? undefined);
        return await run(request, { secret, scope }, client);
      } catch (error) {
        try {
          countFailure(error, client);
        } catch (limited) {
          return refused(showError(limited, report, request));
        }
        return refused(showError(error, report, request));
      }
    };
}

type Answer = (request: Request, scope: string, client: () => Client) => Promise<Response>;

function routesOf(read: Answer, take: Answer): FlagdSource["routes"] {
  const routes: FlagdSource["routes"] = new Hono();
  for (const [method, answer] of [
    ["get", read],
    ["post", take],
  ] as const) {
    routes[method](FLAGD_OWN_PATH, (c) => answer(c.req.raw, "", () => c.env.client));
    routes[method](FLAGD_SOURCE_PATH, (c) => {
      const { project, file } = c.req.param();
      const environment = file.endsWith(ENDING) ? file.slice(0, -ENDING.length) : "";
      return answer(c.req.raw, `${project}/${environment}`, () => c.env.client);
    });
  }
  const wrongMethod = () =>
    refused({
      status: 405,
      code: "method_not_allowed",
      message: "the flags of an environment are read with GET, and their reads are counted with POST",
      headers: { Allow: "GET, HEAD, POST" },
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
