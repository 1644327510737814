import { Hono } from "hono";
import type { Caller } from "../../access/caller.ts";
import type { Reach } from "../../access/place.ts";
import { requireScope } from "../../access/rights.ts";
import { createTokenFinder } from "../../access/token-finder.ts";
import { tokenCaller } from "../../access/tokens.ts";
import type { App } from "../../app.ts";
import { MiB, formatBytes, utf8Text } from "../../base/bytes.ts";
import { notInMemory } from "../../base/changes.ts";
import { AppError } from "../../base/errors.ts";
import { lazy } from "../../base/once.ts";
import { takeCounted } from "../../following/batches.ts";
import { createFollowing } from "../../following/following.ts";
import { lineOf } from "../../following/lines.ts";
import type { Client } from "../address.ts";
import { bearerToken, createFailureCount } from "../auth.ts";
import { readAll, refuseAbandoned } from "../body.ts";
import { type Report, showError } from "../errors.ts";
import { streamOf, untilStalled } from "../exports.ts";
import { MAX_FOLLOWERS } from "../limits.ts";
import { FOLLOW_PATH } from "../paths.ts";
import type { ThreadCounts } from "../rate-limit.ts";
import { NO_SNIFF } from "../security.ts";

export type FollowingService = {
  routes: Hono<{ Bindings: { client: Client } }>;
  /** Ends every stream, so that the server can stop. */
  close: () => void;
};

/** Bytes of a batch. */
const MAX_BATCH = 8 * MiB;

const HEADERS = { ...NO_SNIFF, "Cache-Control": "no-store", "X-Accel-Buffering": "no" } as const;

type Follower = { caller: Caller; reach: Reach };

/**
 * The service for servers that follow this one: a stream of what their token may read, as JSON lines, and batches of what
 * they have counted.
 */
export function createFollowingService(app: App, report: Report, threads: ThreadCounts): FollowingService {
  const following = lazy(() => createFollowing(app));
  const findToken = createTokenFinder(app.watch, app.store);
  const countFailure = createFailureCount(app.now, threads);
  let [open, isClosed] = [0, false];

  const identify = async (secret: string): Promise<Follower> => {
    const caller = await tokenCaller(app, secret, findToken, { hasConfirmed: () => false });
    const [grant] = caller.grants;
    const [environment] = grant!.environments ?? [];
    const reach = { project: grant!.project, environment };
    requireScope(caller, "flags:sync", reach);
    return { caller, reach };
  };
  const answer =
    (run: (request: Request, follower: Follower, secret: string) => Promise<Response>) =>
    async (request: Request, client: () => Client): Promise<Response> => {
      try {
        const secret = bearerToken(request.headers.get("authorization") ?? undefined);
        return await run(request, await identify(secret), secret);
      } catch (error) {
        return refused(error, request, client);
      }
    };
  const refused = (error: unknown, request: Request, client: () => Client): Response => {
    // A token that is not known may be new: a server that is refused forgets what it has.
    let shown = app.watch.staleFor() > 0 ? notInMemory(error) : error;
    try {
      countFailure(error, client);
    } catch (limited) {
      shown = limited;
    }
    const { status, code, message, headers } = showError(shown, report, request);
    return Response.json({ error: { code, message } }, { status, headers: { ...HEADERS, ...headers } });
  };
  /** Counted from its first line on: a stream that is never read has no end. */
  const counted = async function* (lines: AsyncGenerator<string>): AsyncGenerator<string> {
    open += 1;
    try {
      yield* lines;
    } finally {
      open -= 1;
    }
  };
  const follow = answer(async (_, { reach }, secret) => {
    if (open >= MAX_FOLLOWERS)
      throw new AppError("unavailable", "too many servers follow this one", { retryAfter: 60 });
    const verify = async () => void (await identify(secret));
    const lines = counted(untilRefused(following().linesFor(reach, verify, () => isClosed)));
    const headers = { ...HEADERS, "Content-Type": "application/x-ndjson" };
    const taken = untilStalled(lines, () => void lines.return(undefined));
    return new Response(streamOf(taken, report.error), { headers });
  });
  const take = answer(async (request, _, secret) => {
    const tooLarge = () => new AppError("too_large", `a batch has at most ${formatBytes(MAX_BATCH)}`);
    const text = utf8Text(await readAll(request, MAX_BATCH, tooLarge), "the batch");
    await refuseAbandoned(request);
    // Again, since the token may have been revoked while the body arrived.
    const { reach } = await identify(secret);
    await takeCounted(app, text, await following().keysIn(reach));
    return new Response(null, { status: 204, headers: HEADERS });
  });

  const routes: FollowingService["routes"] = new Hono();
  routes.get(FOLLOW_PATH, (c) => follow(c.req.raw, () => c.env.client));
  routes.post(FOLLOW_PATH, (c) => take(c.req.raw, () => c.env.client));
  routes.all(FOLLOW_PATH, () => {
    const error = { code: "method_not_allowed", message: "servers that follow this one send GET and POST" };
    return Response.json({ error }, { status: 405, headers: { ...HEADERS, Allow: "GET, POST" } });
  });
  return { routes, close: () => void (isClosed = true) };
}

/** Lines with a last one that says why the reader may read no more. */
async function* untilRefused(lines: AsyncGenerator<string>): AsyncGenerator<string> {
  try {
    yield* lines;
  } catch (error) {
    if (!(error instanceof AppError) || !["unauthenticated", "forbidden"].includes(error.code)) throw error;
    yield lineOf({ ended: error.message });
  }
}
