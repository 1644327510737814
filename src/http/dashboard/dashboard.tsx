import { Hono } from "hono/quick";
import { endSessionBySecret, instanceId, resumeSession, userCaller } from "../../access/sessions.ts";
import { type SignedIn, signInByProxy } from "../../access/sign-in.ts";
import { hasScope, requireScope } from "../../access/token.ts";
import { isTimeZone } from "../../access/user.ts";
import { readWhy } from "../../access/why.ts";
import type { App } from "../../app.ts";
import { AppError } from "../../base/errors.ts";
import { normalise } from "../../base/network.ts";
import { showError } from "../errors.ts";
import { MAX_SIGN_IN_BODY } from "../limits.ts";
import { DASHBOARD_PATH } from "../paths.ts";
import { type AssetName, answerAsset, createAssets } from "./assets.ts";
import { type Flash, createCookies } from "./cookies.ts";
import type { DashboardContext, DashboardEnv, DashboardOptions } from "./dashboard-env.ts";
import { createEvents } from "./events.ts";
import { errorPage } from "./error-page.tsx";
import { type Fields, readFields, textOf, textsOf } from "./fields.ts";
import { type Page, Document } from "./page.tsx";
import type { ParametersOf } from "./paths.ts";
import { type Dashboard, browserOf } from "./routes.ts";
import { SECTIONS } from "./sections.ts";
import { SECURITY_HEADERS, requireOwnForm, requireOwnHost } from "./security.ts";
import { signInRoutes } from "./access/sign-in.tsx";
import { type View, addressOf } from "./view.ts";

export type DashboardApp = Hono<DashboardEnv>;

/** Creates the dashboard: its pages, their files and their stream of events. */
export async function createDashboard(app: App, options: DashboardOptions): Promise<DashboardApp> {
  const root = `${options.basePath}${DASHBOARD_PATH}`;
  const assets = createAssets(root);
  const cookies = createCookies(await instanceId(app), root, options.dashboardUrl);

  const viewOf = (c: DashboardContext): View => {
    const session = c.get("session");
    return {
      root,
      path: c.req.path.slice(root.length) || "/",
      now: app.now(),
      timeZone: timeZoneOf(session?.signedIn.user.settings.timeZone ?? cookies.timeZone(c)),
      caller: (session && c.get("caller")) ?? null,
      shortcuts: session?.signedIn.user.settings.shortcuts ?? true,
      unread: 0,
    };
  };
  const render = async (c: DashboardContext, page: Page): Promise<Response> => {
    const [view, session] = [viewOf(c), c.get("session")];
    if (view.caller && hasScope(view.caller, "forms:read"))
      view.unread = await app.store.submissions.unread();
    return answer(c, page, view, session ? cookies.takeFlash(c, session.secret) : null);
  };
  const answer = (c: DashboardContext, page: Page, view: View, flash: Flash | null): Response => {
    const { version } = options;
    const document: { toString: () => string } = (
      <Document page={page} view={view} flash={flash} assets={assets} version={version} />
    );
    for (const [name, value] of Object.entries(page.headers ?? {})) c.header(name, value);
    c.header("Content-Type", "text/html; charset=utf-8");
    const text = `<!doctype html>${document.toString()}`;
    if (page.isSecret || !/\bgzip\b/.test(c.req.header("accept-encoding") ?? ""))
      return c.body(text, page.status ?? 200);
    c.header("Content-Encoding", "gzip");
    c.header("Vary", "Accept-Encoding");
    return c.body(Bun.gzipSync(Buffer.from(text), { level: 6 }), page.status ?? 200);
  };

  /** The user that a trusted proxy names; null for none. Throws `forbidden` at an address that is not the dashboard's. */
  const proxiedIn = (c: DashboardContext): string | null => {
    const { proxy, dashboardUrl } = options;
    if (proxy === null || !proxy.isTrusted(normalise(c.env.peer(c.req.raw)))) return null;
    const name = c.req.header(proxy.header)?.trim() || null;
    if (name !== null && dashboardUrl !== null) requireOwnHost(c.req.raw, dashboardUrl);
    return name;
  };
  /** Sets who is signed in, if anybody is. A session that a proxy began ends where the proxy no longer names its user. */
  const resume = async (c: DashboardContext): Promise<void> => {
    const secret = cookies.session(c);
    const proxied = proxiedIn(c);
    const known = secret === undefined ? null : await resumed(app, secret);
    const isNamed = proxied === null ? known?.session.method !== "proxy" : known?.user.name === proxied;
    if (known && isNamed) {
      c.set("session", { signedIn: known, secret: secret! });
      return;
    }
    if (proxied === null) {
      if (!known) return;
      await endSessionBySecret(app, secret!);
      return cookies.endSession(c);
    }
    const entered = await signInByProxy(app, proxied, browserOf(c), { createAs: options.proxy!.createAs });
    await enter(c, entered);
  };
  const enter: Dashboard["enter"] = async (c, { secret, ...signedIn }) => {
    // The browser forgets its session before this one, which would stay open.
    const before = cookies.session(c);
    if (before !== undefined) await endSessionBySecret(app, before);
    cookies.setSession(c, secret);
    c.set("session", { signedIn, secret });
  };

  /** The caller, with the confirmations of a form. Throws `unauthenticated` without a session. */
  const callerOf = (c: DashboardContext, fields?: Fields) => {
    const session = c.get("session");
    if (!session) throw new AppError("unauthenticated", "you are not signed in", { reason: "signed-out" });
    const confirmed = fields ? textsOf(fields, "confirm").map((name) => name.trim()) : [];
    const why = fields && readWhy(textOf(fields, "why"));
    const hasConfirmed = (environment: string) => confirmed.includes(environment);
    return userCaller(app, session.signedIn, session.secret, hasConfirmed, why);
  };

  const site = new Hono<DashboardEnv>();
  const dashboard: Dashboard = {
    app,
    options,
    root,
    viewOf,
    render,
    enter,
    get(path, scope, show) {
      site.get(placeOf(path), async (c) => {
        if (!c.get("session"))
          return c.redirect(addressOf({ root }, "/sign-in", { next: nextOf(c, root) }), 303);
        const caller = callerOf(c);
        if (scope !== null) requireScope(caller, scope);
        c.set("caller", caller);
        const shown = await show(c, c.req.param() as ParametersOf<typeof path>);
        return shown instanceof Response ? shown : render(c, shown);
      });
    },
    post(path, scope, act, maxBody) {
      site.post(placeOf(path), async (c) => {
        const sender = callerOf(c);
        if (scope !== null) requireScope(sender, scope);
        const fields = await readFields(c.req.raw, maxBody);
        const caller = callerOf(c, fields);
        await caller.verify();
        c.set("caller", caller);
        const done = await act(c, fields, c.req.param() as ParametersOf<typeof path>);
        if (done instanceof Response) return done;
        if ("content" in done) return render(c, done);
        const { text, undo } = done;
        if (text !== undefined) cookies.setFlash(c, c.get("session")!.secret, { text, undo });
        return c.redirect(addressOf({ root }, done.to, done.query), 303);
      });
    },
  };

  site.onError(async (error, c) => {
    const shown = showError(error, options.report, c.req.raw);
    for (const [name, value] of Object.entries(shown.headers)) c.header(name, value);
    if (c.get("session") && !c.get("caller")) c.set("caller", callerOf(c));
    const page = errorPage(shown, c, root);
    try {
      return await render(c, page);
    } catch (error) {
      // Reading the view failed too: the error page is shown without it.
      showError(error, options.report, c.req.raw);
      return answer(c, page, { ...viewOf(c), caller: null }, null);
    }
  });
  site.use(`${DASHBOARD_PATH}/*`, async (c, next) => {
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) c.header(name, value);
    const leave = options.guard(() => c.env.client);
    try {
      await next();
    } finally {
      leave();
    }
  });
  site.get(`${DASHBOARD_PATH}/assets/:hash/:name`, (c) => {
    const found = (Object.keys(assets) as AssetName[]).find((name) => assets[name].path === c.req.path);
    if (!found) throw new AppError("not_found", "there is no such file: load the page again");
    return sent(c, answerAsset(assets[found], c.req.header("accept-encoding")));
  });
  site.use(`${DASHBOARD_PATH}/*`, async (c, next) => {
    if (c.req.method === "POST") requireOwnForm(c.req.raw, options.dashboardUrl);
    await resume(c);
    await next();
  });
  site.get(`${DASHBOARD_PATH}/`, (c) => c.redirect(root, 302));
  site.route(DASHBOARD_PATH, signInRoutes(dashboard));
  site.post(`${DASHBOARD_PATH}/sign-out`, async (c) => {
    await readFields(c.req.raw, MAX_SIGN_IN_BODY);
    const session = c.get("session");
    if (session) await endSessionBySecret(app, session.secret);
    cookies.endSession(c);
    return c.redirect(addressOf({ root }, "/sign-in"), 303);
  });
  const events = createEvents(app, options.report.error);
  options.onStop(() => events.close());
  site.get(`${DASHBOARD_PATH}/events`, (c) => {
    return sent(c, events.open(callerOf(c)));
  });
  for (const add of SECTIONS) add(dashboard);
  site.all(`${DASHBOARD_PATH}/*`, () => {
    throw new AppError("not_found", "there is no such page");
  });
  return site;
}

/** The path of a page behind the base path of the server. */
function placeOf(path: string): string {
  return `${DASHBOARD_PATH}${path === "/" ? "" : path}`;
}

/** An answer whose own headers win over those of pages. */
function sent(c: DashboardContext, answer: Response): Response {
  for (const [name, value] of answer.headers) c.header(name, value);
  return c.newResponse(answer.body, answer.status as 200);
}

/** Undefined for a session that has ended. */
async function resumed(app: App, secret: string): Promise<SignedIn | undefined> {
  try {
    return await resumeSession(app, secret);
  } catch (error) {
    if (error instanceof AppError && error.code === "unauthenticated") return undefined;
    throw error;
  }
}

/** The page to show after sign-in, behind the dashboard's path. */
function nextOf(c: DashboardContext, root: string): string | null {
  const { pathname, search } = new URL(c.req.url);
  const path = pathname.slice(root.length);
  return path === "" || path === "/" ? null : `${path}${search}`;
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
