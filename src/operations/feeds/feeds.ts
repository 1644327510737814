import { MAX_LIST, nextOf } from "../../base/pages.ts";
import { createFeed, listFeeds, revokeFeed } from "../../forms/feeds/feeds.ts";
import { type FoundFeed, viewFeed } from "../../forms/feeds/feed.ts";
import { formIn, selectionIn } from "../form-query.ts";
import { noun } from "../operation.ts";

/** Addresses at which spreadsheets and readers get the submissions of a form. */
export const feeds = noun("feeds", () => import("./feeds-operations-schema.ts"), {
  list: {
    method: "GET",
    path: "/feeds",
    summary: "List feeds, the oldest first, without their addresses",
    scope: "forms:read",
    place: "seen",
    defaults: { limit: MAX_LIST },
    run: async ({ app, caller, query: { limit, after, ...query } }) => {
      const page = await listFeeds(app, caller, { ...selectionIn(query), limit, after: cursorIn(after) });
      return { feeds: page.items.map(viewFeed), next: nextOf(page, cursorOf) };
    },
  },
  create: {
    method: "POST",
    path: "/forms/:form/feeds",
    summary: "Create a feed of the submissions of a form; its address is shown once",
    scope: "forms:write",
    place: "form",
    status: 201,
    defaults: {},
    run: async ({ app, deployment, caller, names, query, body }) => {
      const { token, ...feed } = await createFeed(app, caller, formIn(names, query), body);
      return { ...feed, url: await deployment.feedUrl(token, feed.format) };
    },
  },
  revoke: {
    method: "DELETE",
    path: "/feeds/:feed",
    summary: "Revoke a feed, whose address answers 404 from then on",
    scope: "forms:write",
    place: "form",
    run: ({ app, caller, names }) => revokeFeed(app, caller, names.feed),
  },
});

function cursorOf({ createdAt, id }: FoundFeed): string {
  return `${createdAt}.${id}`;
}

/** The feed that a cursor names; null for anything that is none. */
function cursorIn(cursor: string | undefined) {
  const [, createdAt, id] = /^(\d{1,15})\.(.+)$/.exec(cursor ?? "") ?? [];
  return id === undefined ? null : { createdAt: Number(createdAt), id };
}
