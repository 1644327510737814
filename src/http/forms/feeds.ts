import type { App } from "../../app.ts";
import { AppError } from "../../base/errors.ts";
import { sha256 } from "../../base/sum.ts";
import { parseFeedFile, type FoundFeed } from "../../forms/feeds/feed.ts";
import { noteRead } from "../../forms/feeds/feeds.ts";
import { FEED_TYPES, feedChunks, feedVersion } from "../../forms/feeds/feed-text.ts";
import { type Client, limitKey } from "../address.ts";
import { type Report, showError } from "../errors.ts";
import { streamOf, untilStalled } from "../exports.ts";
import { matches } from "../flags/etag.ts";
import { MAX_FEED_READERS, MAX_WRONG_TOKENS } from "../limits.ts";
import { type Guard, type ThreadCounts, createPlaces, createRateLimiter } from "../rate-limit.ts";
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
export function createFeedHandler(app: App, report: Report, guard: Guard, threads: ThreadCounts): Answer {
  const countMiss = createRateLimiter(app.now, "requests for feeds that are not there", threads, "feeds");
  const enter = createPlaces(threads, "feed", MAX_FEED_READERS);

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
    let isStreamed = false;
    try {
      leave = guard(client);
      const feed = await find(file).catch((error: unknown) => {
        if (error instanceof AppError && error.code === "not_found")
          countMiss(limitKey(client()) ?? "local", MAX_WRONG_TOKENS);
        throw error;
      });
      // One that cannot be noted is read all the same.
      await noteRead(app, feed).catch((error: unknown) => report.error(error));
      const now = app.now();
      const tag = `"${await feedVersion(app, feed, now)}"`;
      // Weak: what changes while it is sent is in the text of the version before.
      const headers = { ...HEADERS, ETag: `W/${tag}` };
      const known = request.headers.get("if-none-match");
      if (known !== null && matches(known, tag)) return new Response(null, { status: 304, headers });
      const ofBody = { ...headers, "Content-Type": FEED_TYPES[feed.format] };
      // Without a length, which only the whole text has; Bun would say 0.
      if (request.method === "HEAD")
        return new Response(null, { headers: { ...ofBody, "Transfer-Encoding": "chunked" } });
      const free = enter(feed.id);
      if (free === null) throw tooManyReaders();
      isStreamed = true;
      const end = leave;
      const chunks = untilStalled(feedChunks(app, feed, now), () => (free(), end()));
      return new Response(streamOf(chunks, report.error), { headers: ofBody });
    } catch (error) {
      const { status, message, headers } = showError(error, report, request);
      return refused(status, message, headers);
    } finally {
      if (!isStreamed) leave?.();
    }
  };
}

function tooManyReaders(): AppError {
  return new AppError("rate_limited", `more than ${MAX_FEED_READERS} readers read this feed at a time`, {
    retryAfter: 10,
  });
}

function refused(status: number, message: string, headers: Record<string, string>): Response {
  return Response.json(
    { error: true, code: status, message },
    { status, headers: { ...HEADERS, ...headers } },
  );
}
