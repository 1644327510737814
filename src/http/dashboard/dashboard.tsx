import { settleForm } from "./form-parameter.ts";
import { Hono } from "hono/quick";
import { endSessionBySecret, instanceId } from "../../access/sessions.ts";
import type { Caller } from "../../access/caller.ts";
import { requireScope, requireScopeAt } from "../../access/rights.ts";
import type { Scope } from "../../access/scope.ts";
import type { App } from "../../app.ts";
import { AppError } from "../../base/errors.ts";
import { showError } from "../errors.ts";
import { MAX_KEPT_FORM, MAX_SIGN_IN_BODY } from "../limits.ts";
import { DASHBOARD_PATH } from "../paths.ts";
import { type AssetName, answerAsset, createAssets } from "./assets.ts";
import { createCookies } from "./cookies.ts";
import type { DashboardContext, DashboardEnv, DashboardOptions } from "./dashboard-env.ts";
import { createEntry } from "./entry.ts";
import { createEvents } from "./events.ts";
import { errorPage } from "./error-page.tsx";
import { readFields, textOf } from "./fields.ts";
import { codeRoutes } from "./factors/code.tsx";
import { isJsonPath, passkeyRoutes } from "./factors/passkey-routes.ts";
import { totpRoutes } from "./factors/totp.tsx";
import type { ParametersOf } from "./paths.ts";
import { createActs } from "./perform.ts";
import { createRendering } from "./rendering.tsx";
import type { Dashboard } from "./routes.ts";
import { SECTIONS } from "./sections.ts";
import { SECURITY_HEADERS, requireOwnForm } from "./security.ts";
import { invitationRoutes } from "./access/invitation.tsx";
import { identityRoutes } from "./access/identity.tsx";
import { signInRoutes } from "./access/sign-in.tsx";
import { addressOf, reachOf } from "./view.ts";

export type DashboardApp = Hono<DashboardEnv>;

/** Creates the dashboard: its pages, their files and their stream of events. */
export async function createDashboard(app: App, options: DashboardOptions): Promise<DashboardApp> {
  const root = `${options.basePath}${DASHBOARD_PATH}`;
  const assets = createAssets(root);
  const cookies = createCookies(await instanceId(app), root, options.dashboardUrl);
  const rendering = createRendering({ app, options, root, assets, cookies });
  const entry = createEntry(app, options, cookies);
  const site = new Hono<DashboardEnv>();
  const events = createEvents(app, options.report.error);
  options.onStop(() => events.close());
  const parts: Parts = { app, options, root, cookies, ...rendering, ...entry, site, events };
  const dashboard = dashboardOn(parts);

  answerErrors(parts);
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
  const oidc = options.oidc && { ...options.oidc, pages: await import("./access/oidc.tsx") };
  // Before the check of where forms come from: it is called by the provider, and signed.
  if (oidc)
    site.post(`${DASHBOARD_PATH}/sign-in/oidc/logout`, oidc.pages.backChannel({ app, options }, oidc));
  site.use(`${DASHBOARD_PATH}/*`, async (c, next) => {
    const takesJson = isJsonPath(c.req.path.slice(root.length));
    if (c.req.method === "POST" && !takesJson) requireOwnForm(c.req.raw, options.dashboardUrl);
    await entry.resume(c);
    await next();
  });
  site.get(`${DASHBOARD_PATH}/`, (c) => c.redirect(root, 302));
  site.route(DASHBOARD_PATH, signInRoutes(dashboard));
  site.route(DASHBOARD_PATH, codeRoutes(dashboard));
  site.route(DASHBOARD_PATH, totpRoutes(dashboard));
  site.route(DASHBOARD_PATH, passkeyRoutes(dashboard, entry.callerOf));
  if (oidc) {
    const { callerOf } = entry;
    site.route(DASHBOARD_PATH, oidc.pages.oidcRoutes({ ...dashboard, callerOf }, oidc));
    identityRoutes(dashboard, oidc);
  }
  site.route(`${DASHBOARD_PATH}/invitation`, invitationRoutes({ ...dashboard, callerOf: entry.callerOf }));
  site.post(`${DASHBOARD_PATH}/sign-out`, async (c) => {
    const fields = await readFields(c.req.raw, MAX_SIGN_IN_BODY);
    const session = c.get("session") ?? c.get("unready");
    if (session) await endSessionBySecret(app, session.secret, c.env.client.address);
    cookies.endSession(c);
    if (oidc && session?.signedIn.session.method === "oidc") {
      const url = await oidc.pages.endSessionUrl(oidc);
      if (url !== null) return rendering.render(c, oidc.pages.awayPage("Signed out", url));
    }
    return c.redirect(addressOf({ root }, "/sign-in", { next: textOf(fields, "next") }), 303);
  });
  site.get(`${DASHBOARD_PATH}/events`, (c) => {
    return sent(c, events.open(entry.callerOf(c), c.req.query("since")));
  });
  for (const add of SECTIONS) add(dashboard);
  site.all(`${DASHBOARD_PATH}/*`, () => {
    throw new AppError("not_found", "there is no such page");
  });
  return site;
}

/** Dependencies of the routes of the dashboard. */
type Parts = {
  app: App;
  options: DashboardOptions;
  root: string;
  cookies: ReturnType<typeof createCookies>;
  site: DashboardApp;
  events: ReturnType<typeof createEvents>;
} & ReturnType<typeof createRendering> &
  ReturnType<typeof createEntry>;

/** The routes of pages and their forms. */
function dashboardOn(parts: Parts): Dashboard {
  const { app, options, root, cookies, viewOf, render, enter, callerOf, site, events } = parts;
  const settled = (c: DashboardContext) => settleForm(app, c.get("caller"), c.req.param());
  return {
    ...createActs(app, options),
    app,
    options,
    root,
    cookies,
    viewOf,
    render,
    enter,
    get(path, scope, show) {
      site.get(placeOf(path), async (c) => {
        if (!c.get("session")) {
          const gate = c.get("unready") ? "/me/totp" : "/sign-in";
          return c.redirect(addressOf({ root }, gate, { next: nextOf(c, root) }), 303);
        }
        const caller = callerOf(c);
        if (scope !== null) requireHere(c, caller, scope);
        c.set("caller", caller);
        c.set("since", await events.since(caller));
        const shown = await show(c, (await settled(c)) as ParametersOf<typeof path>);
        return shown instanceof Response ? shown : render(c, shown);
      });
    },
    post(path, scope, act, maxBody) {
      site.post(placeOf(path), async (c) => {
        const sender = callerOf(c);
        if (scope !== null) requireHere(c, sender, scope);
        const fields = await readFields(c.req.raw, maxBody);
        const caller = callerOf(c, fields);
        await caller.verify();
        c.set("caller", caller);
        const done = await act(c, fields, (await settled(c)) as ParametersOf<typeof path>);
        if (done instanceof Response) return done;
        if ("content" in done) return render(c, done);
        const { text, undo } = done;
        if (text !== undefined) cookies.setFlash(c, c.get("session")!.secret, { text, undo });
        return c.redirect(addressOf({ root }, done.to, done.query), 303);
      });
    },
  };
}

/**
 * Checks that a caller has a scope in the project of the path; on a page of no project, anywhere, since that shows only what
 * the caller sees. Throws `forbidden`, and `not_found` for a project that the caller does not see.
 */
function requireHere(c: DashboardContext, caller: Caller, scope: Scope): void {
  const reach = reachOf(c);
  if (reach.project === undefined && scope !== "admin") requireScopeAt(caller, scope, c.req.param());
  else requireScope(caller, scope, reach);
}

/** Errors become pages. */
function answerErrors({ options, root, callerOf, viewOf, render, answer, site }: Parts): void {
  site.onError(async (error, c) => {
    const shown = showError(error, options.report, c.req.raw);
    for (const [name, value] of Object.entries(shown.headers)) c.header(name, value);
    if (isJsonPath(c.req.path.slice(root.length))) {
      const { status, code, reason, message, hint } = shown;
      return c.json({ error: { code, reason, message, hint } }, status);
    }
    if (c.get("session") && !c.get("caller")) c.set("caller", callerOf(c));
    const isKept =
      shown.status === 401 && c.req.method === "POST" && KEPT.test(c.req.path.slice(root.length));
    const kept = isKept ? await keptForm(c.req.raw) : null;
    const page = errorPage(shown, c, root, kept);
    try {
      return await render(c, page);
    } catch (error) {
      // Reading the view failed too: the error page is shown without it.
      showError(error, options.report, c.req.raw);
      return answer(c, page, { ...viewOf(c), caller: null }, null);
    }
  });
}

/** Paths of forms with long texts and without passwords. */
const KEPT = /^\/(?:projects|forms|inbox)\//;

/** The form of a user whose session has ended, to be sent again after a sign-in; null if it has a file or is large. */
async function keptForm(request: Request): Promise<[name: string, value: string][] | null> {
  const fields = request.bodyUsed ? null : await readFields(request, MAX_KEPT_FORM).catch(() => null);
  const pairs = [...(fields ?? [])];
  const isText = (pair: (typeof pairs)[number]): pair is [string, string] => typeof pair[1] === "string";
  return pairs.length > 0 && pairs.every(isText) ? pairs : null;
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

/** The page to show after sign-in and a second factor, behind the dashboard's path. */
function nextOf(c: DashboardContext, root: string): string | null {
  // Without a host that is one, the runtime gives the path alone.
  const { pathname, search } = new URL(c.req.url, "http://no-host.invalid");
  const path = pathname.slice(root.length);
  return path === "" || path === "/" ? null : `${path}${search}`;
}
