import type { App } from "../../app.ts";
import { APPLICATION_SCOPES } from "../../access/scope.ts";
import { createTokenFinder } from "../../access/token-finder.ts";
import { formatBytes } from "../../base/bytes.ts";
import { AppError } from "../../base/errors.ts";
import { isDeeper } from "../../base/json.ts";
import { type EventFault, readPageEvents, readServerEvents } from "../../experiments/events.ts";
import { EVENT_LIMITS } from "../../experiments/limits.ts";
import type { Client } from "../address.ts";
import { bearerToken } from "../auth.ts";
import { openBody, parseJson, readAll, refuseAbandoned } from "../body.ts";
import { type Report, showError } from "../errors.ts";
import { idempotencyKeyOf } from "../idempotency-key.ts";
import type { Guard, ThreadCounts } from "../rate-limit.ts";
import { NO_SNIFF } from "../security.ts";
import { type Application, createIdentifyApplication } from "./application.ts";

export const EVENT_HEADERS = {
  ...NO_SNIFF,
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": "Retry-After, Idempotent-Replayed",
  "Cache-Control": "no-store",
};
const REPLAYED = { ...EVENT_HEADERS, "Idempotent-Replayed": "true" };
export const EVENT_PREFLIGHT = {
  methods: "POST, OPTIONS",
  headers: "content-type, authorization, x-api-key, idempotency-key",
};

/** Takes the exposures and events of a request, and answers how many something that runs counts. */
export function createEventTaker(
  app: App,
  report: Report,
  guard: Guard | undefined,
  threads: ThreadCounts,
): (request: Request, client: () => Client) => Promise<Response> {
  const identifyApplication = createIdentifyApplication(
    app,
    createTokenFinder(app.watch, app.store),
    threads,
    // Applications that evaluate flags themselves report what they saw.
    [...APPLICATION_SCOPES, "flags:sync"],
  );
  const identify = async (request: Request, client: () => Client): Promise<Application> => {
    const header = request.headers.get("x-api-key");
    const authorization = request.headers.get("authorization");
    const inQuery = new URL(request.url).searchParams.get("key");
    const isOfQuery = header === null && authorization === null && inQuery !== null;
    const secret = () => header ?? (isOfQuery ? inQuery : bearerToken(authorization ?? undefined));
    const application = await identifyApplication(request, secret, client);
    if (isOfQuery && !application.isBrowser)
      throw new AppError(
        "forbidden",
        "only a browser key may be in an address: send this token as X-API-Key",
      );
    return application;
  };

  const read = async (body: unknown, { keys: { environmentKey }, isBrowser }: Application) => {
    const assignments = await app.measuring.assignments();
    if (isBrowser)
      return { occurrences: readPageEvents(body, assignments, environmentKey, app.now()), faults: [] };
    return readServerEvents(body, assignments, environmentKey);
  };

  return async (request, client) => {
    const body = openBody(request);
    let leave: (() => void) | undefined;
    try {
      leave = guard?.(client);
      const { isBrowser } = await identify(request, client);
      const idempotencyKey = idempotencyKeyOf(request);
      const limit = isBrowser ? EVENT_LIMITS.pageBody : EVENT_LIMITS.serverBody;
      const tooLarge = () => new AppError("too_large", `a request has at most ${formatBytes(limit)}`);
      const json = parse(await readAll(request, limit, tooLarge, () => body));
      await refuseAbandoned(request);
      // Again, since the token may have been revoked while the body arrived.
      const application = await identify(request, client);
      const { occurrences, faults } = await read(json, application);
      if (faults.length > 0) return refuse(faults, report);
      const { environmentKey } = application.keys;
      const batch = { environmentKey, occurrences, at: app.now(), isOfPage: application.isBrowser };
      const { isRepeat, ...measured } = await app.measuring.take(batch, idempotencyKey);
      return Response.json(measured, { headers: isRepeat ? REPLAYED : EVENT_HEADERS });
    } catch (error) {
      const { status, message, headers } = showError(error, report, request);
      const connection = (await body.drain()) ? {} : { Connection: "close" };
      return answer(status, { message }, { ...headers, ...connection });
    } finally {
      leave?.();
    }
  };
}

export function wrongMethod(): Response {
  return answer(405, { message: "events are sent with POST" }, { Allow: EVENT_PREFLIGHT.methods });
}

function refuse(errors: readonly EventFault[], report: Report): Response {
  report.refused("invalid");
  const [{ index, message }] = errors as [EventFault];
  return answer(400, { message: `event ${index}: ${message}; nothing was counted`, errors }, {});
}

function answer(status: number, rest: object, headers: Record<string, string>): Response {
  const body = { error: true, code: status, ...rest };
  return Response.json(body, { status, headers: { ...EVENT_HEADERS, ...headers } });
}

/** `{"events":[{…}]}` has three levels. */
const MAX_LEVELS = 3;

function parse(bytes: Uint8Array): unknown {
  if (isDeeper(bytes, MAX_LEVELS)) throw new AppError("invalid", "the body is nested too deeply");
  return parseJson(bytes);
}
