import { Hono } from "hono";
import type { App } from "../../app.ts";
import type { Client } from "../address.ts";
import type { Report } from "../errors.ts";
import { DRAFT_PATH, PINNED_SCRIPT_PATH, SCRIPT_PATH, VISITS_PATH } from "../paths.ts";
import { preflight } from "../preflight.ts";
import type { Guard, ThreadCounts } from "../rate-limit.ts";
import { answerDraft, answerPinned, answerScript } from "./page-script.ts";
import { EVENT_HEADERS, EVENT_PREFLIGHT, createEventTaker, wrongMethod } from "./events.ts";

export type PagesService = {
  /** The script that pages load and the events that they send, at the address of flags, as a Hono app, which gets the client as a binding. */
  routes: Hono<{ Bindings: { client: Client } }>;
};

type PagesOptions = { guard?: Guard | undefined; threads?: ThreadCounts };

export function createPagesService(
  app: App,
  report: Report,
  { guard, threads = null }: PagesOptions,
): PagesService {
  const take = createEventTaker(app, report, guard, threads);
  const routes: PagesService["routes"] = new Hono();
  routes.get(SCRIPT_PATH, (c) => answerScript(c.req.raw));
  routes.get(DRAFT_PATH, (c) => answerDraft(c.req.raw));
  routes.get(PINNED_SCRIPT_PATH, (c) => answerPinned(c.req.raw, c.req.param("script")));
  routes.post(VISITS_PATH, (c) => take(c.req.raw, () => c.env.client));
  routes.options(VISITS_PATH, (c) => preflight(c.req.raw, EVENT_HEADERS, EVENT_PREFLIGHT));
  routes.all(VISITS_PATH, wrongMethod);
  return { routes };
}
