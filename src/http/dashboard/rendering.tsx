import { hasScopeSomewhere, visibleProjects } from "../../access/rights.ts";
import { isTimeZone } from "../../access/user.ts";
import type { Caller } from "../../access/caller.ts";
import type { App } from "../../app.ts";
import type { Asset, AssetName } from "./assets.ts";
import type { Cookies, Flash } from "./cookies.ts";
import type { DashboardContext, DashboardOptions } from "./dashboard-env.ts";
import { needsFor } from "./overview/needs-of.ts";
import { type Page, Document } from "./page.tsx";
import { type View, reachOf, renderFor } from "./view.ts";

/** Failed deliveries that are counted beside their section. */
const MOST_FAILED = 100;

type Parts = {
  app: App;
  options: DashboardOptions;
  root: string;
  assets: Record<AssetName, Asset>;
  cookies: Cookies;
};

/** A page becomes 3 % smaller at level 6, which takes three times as long. */
const LEVEL = 3;

/** Makes documents of pages, for the person who asks. */
export function createRendering({ app, options, root, assets, cookies }: Parts) {
  const viewOf = (c: DashboardContext): View => {
    const session = c.get("session");
    return {
      root,
      path: c.req.path.slice(root.length) || "/",
      now: app.now(),
      since: c.get("since"),
      timeZone: timeZoneOf(session?.signedIn.user.settings.timeZone ?? cookies.timeZone(c)),
      caller: (session && c.get("caller")) ?? null,
      reach: reachOf(c),
      shortcuts: session?.signedIn.user.settings.shortcuts ?? true,
      counts: {},
      project: null,
    };
  };
  const countsFor = async (caller: Caller): Promise<View["counts"]> => {
    const today = needsFor(app, options).countFor(caller);
    if (!hasScopeSomewhere(caller, "forms:read")) return { today };
    const projects = visibleProjects(caller, "forms:read");
    const [inbox, deliveries] = await Promise.all([
      app.store.submissions.unread(projects),
      app.store.deliveries.countFailed(MOST_FAILED, projects),
    ]);
    return { today, inbox, deliveries };
  };
  const render = async (c: DashboardContext, page: Page): Promise<Response> => {
    const [view, session] = [viewOf(c), c.get("session")];
    if (view.caller) {
      const { project } = view.reach;
      [view.counts, view.project] = await Promise.all([
        countsFor(view.caller),
        project === undefined ? null : app.store.projects.find(project).then((found) => found ?? null),
      ]);
    }
    // An update of an open page that comes just before the answer to an action shows no message.
    const isUpdate = c.req.header("x-update") !== undefined;
    return answer(c, page, view, session && !isUpdate ? cookies.takeFlash(c, session.secret) : null);
  };
  const answer = (c: DashboardContext, page: Page, view: View, flash: Flash | null): Response => {
    const document = <Document page={page} view={view} flash={flash} assets={assets} />;
    for (const [name, value] of Object.entries(page.headers ?? {})) c.header(name, value);
    c.header("Content-Type", "text/html; charset=utf-8");
    const text = `<!doctype html>${renderFor(view, document)}`;
    if (page.isSecret || !/\bgzip\b/.test(c.req.header("accept-encoding") ?? ""))
      return c.body(text, page.status ?? 200);
    c.header("Content-Encoding", "gzip");
    c.header("Vary", "Accept-Encoding");
    return c.body(Bun.gzipSync(Buffer.from(text), { level: LEVEL }), page.status ?? 200);
  };
  return { viewOf, render, answer };
}

const zones = new Map<string, boolean>();

/** A time zone that `Intl` knows. */
function timeZoneOf(name: string | undefined): string {
  if (name === undefined || name.length > 50) return "UTC";
  let isKnown = zones.get(name);
  if (isKnown === undefined) {
    isKnown = isTimeZone(name);
    if (zones.size < 1000) zones.set(name, isKnown);
  }
  return isKnown ? name : "UTC";
}
