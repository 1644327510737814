import { preflight } from "../preflight.ts";
import { Hono } from "hono";
import { createTokenFinder } from "../../access/token-finder.ts";
import type { App } from "../../app.ts";
import type { Telemetry } from "../../delivery/trace.ts";
import type { Assigned } from "../../experiments/assignment.ts";
import { ContextError } from "../../flags/rules/context.ts";
import { type Context, subjectOf } from "../../flags/flagd/evaluate.ts";
import { requestBudget, withinRequest } from "../../flags/flagd/budget.ts";
import type { NoteRead } from "../../flags/reads/reads.ts";
import type { Client } from "../address.ts";
import { type Report, showError } from "../errors.ts";
import { MAX_OWN_ANSWERS } from "../limits.ts";
import { EVENTS_PATH, OFREP_FLAGS_PATH, OFREP_FLAG_PATH, OFREP_PATH } from "../paths.ts";
import type { Guard, ThreadCounts } from "../rate-limit.ts";
import { matches, quickEtagOf } from "./etag.ts";
import { STREAM_HEADERS } from "./event-streams.ts";
import { chunksInTurns, createRoom, isLarge, ownBodyOf } from "./large-body.ts";
import { type Access, createIdentify } from "./ofrep-access.ts";
import { FLAG_CONFIG_ETAG, catchUp } from "./ofrep-catch-up.ts";
import { readContext } from "./ofrep-context.ts";
import { ASSIGNMENT, createAssign, mayCount, noteExposure } from "./ofrep-assign.ts";
import { createFlagEvents } from "./ofrep-events.ts";
import { type FlagSet, createFlagSets } from "./ofrep-flags.ts";
import { createStaleness } from "./stale.ts";
import { NO_SNIFF } from "../security.ts";

const HEADERS = {
  ...NO_SNIFF,
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": `ETag, Retry-After, ${ASSIGNMENT}`,
} as const;

const PREFLIGHT = {
  methods: "GET, POST, OPTIONS",
  headers:
    "content-type, x-project-key, x-environment-key, authorization, x-api-key, if-none-match, last-event-id",
};

/** The headers of an answer that a client may keep, if it asks each time whether it has changed. */
const CHECKED = { ...HEADERS, "Cache-Control": "no-cache" };

/** Shared by answers, since an answer that builds its own headers takes three times as long. */
const CHECKED_JSON = new Headers({ ...CHECKED, "Content-Type": "application/json" });
const PLAIN = new Headers({ ...HEADERS, "Cache-Control": "no-store", "Content-Type": "application/json" });

/**
 * `etag` is a hash of the answer, not the revision: the answer depends on the context and the time too. Where a reader has it,
 * `unsent` is called instead of `body`.
 */
function sendChecked(
  request: Request,
  body: string | (() => ReadableStream<Uint8Array>),
  etag: string,
  unsent: () => void = () => {},
): Response {
  const known = request.headers.get("if-none-match");
  if (known !== null && matches(known, etag)) {
    unsent();
    return new Response(null, { status: 304, headers: { ...CHECKED, ETag: etag } });
  }
  const answer = new Response(typeof body === "string" ? body : body(), { headers: CHECKED_JSON });
  answer.headers.set("ETag", etag);
  return answer;
}

function sendText(status: number, json: string): Response {
  return new Response(json, { status, headers: PLAIN });
}

function wrongMethod(subject: { key?: string }): Response {
  const body = { ...subject, errorDetails: "flags are evaluated with POST" };
  return send(405, body, { Allow: "POST, OPTIONS" });
}

/** An error, or another body without a flag. It has metadata, which the provider for Java reads of every answer. */
function send(status: number, body: object, headers?: Record<string, string>): Response {
  const text = JSON.stringify({ ...body, metadata: {} });
  if (!headers) return sendText(status, text);
  return new Response(text, { status, headers: { ...headers, ...Object.fromEntries(PLAIN) } });
}

export type OfrepService = {
  /** Answers POST to evaluate one flag. */
  evaluateOne: (request: Request, key: string, client: () => Client) => Promise<Response>;
  /** Answers POST to evaluate all flags. */
  evaluateAll: (request: Request, client: () => Client) => Promise<Response>;
  /** How many streams of change events are open. */
  streams: () => number;
  /** Ends every stream, so that the server can stop. */
  close: () => void;
  /**
   * The same answers, those to other methods and the change events as a Hono app, which gets the client as a binding; JSON
   * for all below `/ofrep`.
   */
  routes: Hono<{ Bindings: { client: Client } }>;
};

export type OfrepOptions = {
  basePath?: string;
  guard?: Guard | undefined;
  noteRead?: NoteRead;
  /** The age in milliseconds up to which flags are evaluated while the database does not answer; null for any age. */
  maxStale?: number | null;
  threads?: ThreadCounts;
  /** Records evaluations; null for none. */
  evaluated?: Telemetry["evaluated"];
};

const ELSEWHERE = `there is nothing at this address: flags are evaluated with POST to ${OFREP_FLAGS_PATH} and ${OFREP_FLAGS_PATH}/<key>`;

/**
 * The OpenFeature remote evaluation protocol, 0.3, which every OpenFeature SDK speaks:
 * https://github.com/open-feature/protocol
 */
export function createOfrepService(
  app: App,
  report: Report,
  {
    basePath = "",
    guard,
    noteRead = () => {},
    maxStale = null,
    threads = null,
    evaluated = null,
  }: OfrepOptions = {},
): OfrepService {
  const staleness = createStaleness(app.watch, maxStale);
  const findFlags = createFlagSets(app);
  const findToken = createTokenFinder(app.watch, app.store);
  const events = createFlagEvents(app, findFlags, findToken, { basePath, report, threads });
  const identify = createIdentify(app, findFlags, findToken, threads);
  const assign = createAssign(app);
  const takeRoom = createRoom(MAX_OWN_ANSWERS);

  /** Answers a request with an evaluation or an error; the body of an error carries the members of `subject`. */
  const answer = async (
    request: Request,
    client: () => Client,
    subject: { key?: string },
    evaluate: (access: Access, context: Context) => Response | Promise<Response>,
  ): Promise<Response> => {
    let leave: (() => void) | undefined;
    try {
      leave = guard?.(client);
      let context: Context | undefined;
      let fault: unknown;
      try {
        context = await readContext(request);
      } catch (error) {
        fault = error;
      }
      if (request.url.includes(`${FLAG_CONFIG_ETAG}=`)) await catchUp(app.watch, request.url);
      // After the body, since a token may be revoked while it arrives. Faults of the body are shown only to an identified caller.
      const identifying = identify(request, client);
      const access = identifying instanceof Promise ? await identifying : identifying;
      if (!context) throw fault;
      const answered = evaluate(access, context);
      return staleness.mark(answered instanceof Promise ? await answered : answered);
    } catch (error) {
      if (error instanceof ContextError) {
        report.refused("invalid");
        return send(400, { ...subject, errorCode: error.errorCode, errorDetails: error.message });
      }
      const { status, code, message, headers } = showError(error, report, request);
      const isInvalid = code === "invalid" || code === "too_large" || code === "unsupported";
      return send(
        status,
        { ...subject, ...(isInvalid ? { errorCode: "GENERAL" } : {}), errorDetails: message },
        headers,
      );
    } finally {
      leave?.();
    }
  };

  const evaluateOne: OfrepService["evaluateOne"] = (request, key, client) =>
    answer(request, client, { key }, ({ flags, reader, isBrowser, token }, context) => {
      const evaluate = (isBrowser ? flags.forBrowsers : flags.all).byKey.get(key);
      if (!evaluate) {
        staleness.requireFresh();
        const errorDetails = `there is no flag ${key} in this environment`;
        const error = { key, errorCode: "FLAG_NOT_FOUND", errorDetails };
        evaluated?.(request, { flag: key, set: flags.place, json: JSON.stringify(error) });
        return send(404, error);
      }
      const now = app.now();
      const readable = flags.readables.get(key)!;
      noteRead(readable, reader.keys.environmentKey, readable.slug, now, token);
      const subject = subjectOf(context);
      const { isError, json, variant } = evaluate(subject, now);
      evaluated?.(request, { flag: key, set: flags.place, json });
      const answered = sendText(isError ? 400 : 200, json);
      if (variant === undefined) return answered;
      const exposure = { environmentKey: reader.keys.environmentKey, flag: key, variant };
      const noting = noteExposure(app, report, exposure, subject, flags);
      return noting ? noting.then(() => answered) : answered;
    });

  const evaluateAll: OfrepService["evaluateAll"] = (request, client) =>
    answer(request, client, {}, (access, context) => {
      const preparing = access.flags.prepare();
      const variants: Assigned[] | null = access.isBrowser ? [] : null;
      const answerAll = () => {
        const answered = allFor(request, client, access, context, variants);
        return variants === null ? answered : assign(answered, access, context, variants);
      };
      return preparing ? preparing.then(answerAll) : answerAll();
    });

  const noteReads = ({ flags, reader: { keys }, isBrowser, token }: Access, now: number) => {
    if (!isBrowser) return noteRead(flags.everyFlag, keys.environmentKey, null, now, token);
    for (const [key] of flags.forBrowsers.inOrder) {
      const readable = flags.readables.get(key)!;
      if (readable.slug === key) noteRead(readable, keys.environmentKey, key, now, token);
    }
  };

  /** Adds the variant of each flag to `variants`. */
  const allFor = (
    request: Request,
    client: () => Client,
    access: Access,
    context: Context,
    variants: Assigned[] | null,
  ): Response | Promise<Response> => {
    const { flags, reader, isBrowser } = access;
    const now = app.now();
    const { size, metadata, place } = flags;
    const { inOrder } = isBrowser ? flags.forBrowsers : flags.all;
    noteReads(access, now);
    const subject = subjectOf(context);
    const jsonOf = ([key, evaluate]: FlagSet["all"]["inOrder"][number]) => {
      const { json, variant } = evaluate(subject, now);
      evaluated?.(request, { flag: key, set: place, json });
      if (variant !== undefined && variants !== null && mayCount(app, reader, key, subject, flags))
        variants.push([key, variant]);
      return json;
    };
    const rest = { metadata, eventStreams: events.streamsOf(reader) };
    if (isLarge(size)) {
      const leave = takeRoom(size);
      const budget = requestBudget();
      const texts = inOrder.values().map((each) => withinRequest(() => jsonOf(each), budget));
      return chunksInTurns(texts, rest)
        .then(async ({ chunks, etag }) => {
          // The token may have been revoked while other requests took their turns.
          await identify(request, client);
          return sendChecked(request, () => ownBodyOf(chunks, leave), etag, leave);
        })
        .catch((error: unknown) => {
          leave();
          throw error;
        });
    }
    const results = withinRequest(() => inOrder.map(jsonOf));
    const text = `{"flags":[${results.join(",")}],${JSON.stringify(rest).slice(1)}`;
    return sendChecked(request, text, quickEtagOf(text));
  };

  const routes: OfrepService["routes"] = new Hono();
  routes.post(OFREP_FLAGS_PATH, (c) => evaluateAll(c.req.raw, () => c.env.client));
  routes.post(OFREP_FLAG_PATH, (c) => evaluateOne(c.req.raw, c.req.param("key"), () => c.env.client));
  routes.get(EVENTS_PATH, async (c) => {
    try {
      const stream = await events.open(c.req.query("ticket") ?? "", c.env.client);
      return new Response(stream, { headers: { ...HEADERS, ...STREAM_HEADERS } });
    } catch (error) {
      const { status, message, headers } = showError(error, report, c.req.raw);
      return send(status, { errorDetails: message }, headers);
    }
  });
  routes.options(`${OFREP_PATH}/*`, (c) => preflight(c.req.raw, HEADERS, PREFLIGHT));
  routes.all(OFREP_FLAGS_PATH, () => wrongMethod({}));
  routes.all(OFREP_FLAG_PATH, (c) => wrongMethod({ key: c.req.param("key") }));
  routes.all(`${OFREP_PATH}/*`, () => send(404, { errorDetails: ELSEWHERE }));
  return { evaluateOne, evaluateAll, routes, streams: events.count, close: events.close };
}
