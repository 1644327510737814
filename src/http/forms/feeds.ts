import type { App } from "../../app.ts";
import { AppError } from "../../base/errors.ts";
import { sha256 } from "../../base/sum.ts";
import { parseFeedFile, type FoundFeed } from "../../forms/feeds/feed.ts";
import { noteRead } from "../../forms/feeds/feeds.ts";
import { FEED_TYPES, feedText } from "../../forms/feeds/feed-text.ts";
import { type Client, limitKey } from "../address.ts";
import { type Report, showError } from "../errors.ts";
import { etagOf, matches } from "../flags/etag.ts";
import { MAX_WRONG_TOKENS } from "../limits.ts";
import { type Guard, createRateLimiter } from "../rate-limit.ts";
import { NO_SNIFF } from "../security.ts";

/** Readers are those who know the address: no page of a browser, no search engine and no cache in between. */
const HEADERS = {
  ...NO_SNIFF,
  "Cache-Control": "private, no-cache",
  "X-Robots-Tag": "noindex",
  "Referrer-Policy": "no-referrer",
} as const;

type Answer = (request: Request, file: string, client: () => Client) => Promise<Response>;

/**
 * Answers the addresses of feeds. The store is asked for each request, so that one that is revoked is gone at once on
 * every server.
 */
export function createFeedHandler(app: App, report: Report, guard: Guard): Answer {
  const countMiss = createRateLimiter(app.now, "requests for feeds that are not there", null, "feeds");

  const find = async (file: string): Promise<FoundFeed> => {
    const asked = parseFeedFile(file);
    const feed = asked && (await app.store.feeds.findByHash(sha256(asked.token)));
    const isOver = feed?.expiresAt != null && feed.expiresAt <= app.now();
    if (!feed || isOver || feed.format !== asked.format)
      throw new AppError("not_found", "there is nothing at this address");
    return feed;
  };
  return async (request, file, client) => {
    if (request.method !== "GET" && request.method !== "HEAD")
      return refused(405, "a feed is read with GET", { Allow: "GET, HEAD" });
    let leave: (() => void) | undefined;
    try {
      leave = guard(client);
      const feed = await find(file).catch((error: unknown) => {
        if (error instanceof AppError && error.code === "not_found")
          countMiss(limitKey(client()) ?? "local", MAX_WRONG_TOKENS);
        throw error;
      });
      const text = await feedText(app, feed, app.now());
      // One that cannot be noted is read all the same.
      await noteRead(app, feed).catch((error: unknown) => report.error(error));
      const etag = etagOf(text);
      const headers = { ...HEADERS, ETag: etag };
      const known = request.headers.get("if-none-match");
      if (known !== null && matches(known, etag)) return new Response(null, { status: 304, headers });
      const body = new Blob([text]);
      const ofBody = { "Content-Type": FEED_TYPES[feed.format], "Content-Length": String(body.size) };
      return new Response(body, { headers: { ...headers, ...ofBody } });
    } catch (error) {
      const { status, message, headers } = showError(error, report, request);
      return refused(status, message, headers);
    } finally {
      leave?.();
    }
  };
}

function refused(status: number, message: string, headers: Record<string, string>): Response {
  return Response.json(
    { error: true, code: status, message },
    { status, headers: { ...HEADERS, ...headers } },
  );
}
