import type { Hono } from "hono";
import type { App } from "../../app.ts";
import { once } from "../../base/once.ts";
import { FILE_LINK_PATH, type FileLinks } from "../../forms/inbox/file-links.ts";
import { OPT_IN_PATHS } from "../../forms/inbox/link-tokens.ts";
import { SPAM_LINK_PATH, createSpamLinks } from "../../forms/inbox/spam-links.ts";
import type { Client } from "../address.ts";
import type { Report } from "../errors.ts";
import { FEED_PATH } from "../paths.ts";
import { type Guard, type RateLimiter, type ThreadCounts, createRateLimiter } from "../rate-limit.ts";
import { answerFileLink } from "./files.ts";
import type { Links } from "./links.ts";
import { answerSpamLink } from "./spam-link.ts";

export type Routes = Hono<{ Bindings: { client: Client } }>;

/** Links in mail and the addresses of feeds, each with a token. */
export function addTokenLinks(
  routes: Routes,
  {
    app,
    links,
    fileLinks,
    report,
    guard,
    threads,
  }: {
    app: App;
    links: Links;
    fileLinks: FileLinks;
    report: Report;
    guard: Guard;
    threads: ThreadCounts | null;
  },
): void {
  const spamLinks = createSpamLinks(app, links.base);
  const countSpamLink = createRateLimiter(app.now, "requests", threads, "spam links");
  const optInLinks = once(async () =>
    (await import("../../forms/opt-in/links.ts")).createOptInLinks(app, links.base),
  );
  routes.get(`${FILE_LINK_PATH}/:token`, (c) => {
    const enter = () => guard(() => c.env.client);
    return answerFileLink(c.req.raw, c.req.param("token"), { links: fileLinks, enter, report });
  });
  const partsFor = (client: () => Client, count: RateLimiter) => ({
    client,
    count,
    enter: () => guard(client),
    report,
  });
  routes.on(["GET", "POST"], `${SPAM_LINK_PATH}/:token`, (c) => {
    const parts = partsFor(() => c.env.client, countSpamLink);
    return answerSpamLink(c.req.raw, c.req.param("token"), { ...parts, links: spamLinks });
  });
  const countOptIn = createRateLimiter(app.now, "requests", threads, "opt-in links");
  for (const action of ["confirm", "unsubscribe"] as const)
    routes.on(["GET", "POST"], `${OPT_IN_PATHS[action]}/:token`, async (c) => {
      const parts = partsFor(() => c.env.client, countOptIn);
      // Loaded with the first request for one.
      const { answerOptIn } = await import("./opt-in.ts");
      return answerOptIn(c.req.raw, action, c.req.param("token"), { ...parts, links: await optInLinks() });
    });
  // Loaded with the first request for one.
  const feeds = once(async () => (await import("./feeds.ts")).createFeedHandler(app, report, guard, threads));
  routes.all(FEED_PATH, async (c) => (await feeds())(c.req.raw, c.req.param("file"), () => c.env.client));
}
