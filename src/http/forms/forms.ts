import { type Context, Hono } from "hono";
import type { App } from "../../app.ts";
import { once } from "../../base/once.ts";
import type { Outgoing } from "../../delivery/outgoing.ts";
import type { Telemetry } from "../../delivery/trace.ts";
import { createChallengerSource } from "../../forms/intake/challenge.ts";
import { type FileLinks, createFileLinks } from "../../forms/inbox/file-links.ts";
import { FORM_KEY, type Form } from "../../forms/form.ts";
import { createFormFinder } from "../../forms/forms.ts";
import type { Judge } from "../../forms/spam/external-checks.ts";
import type { Client } from "../address.ts";
import type { Report, Shown } from "../errors.ts";
import {
  CHALLENGE_PATH,
  ERROR_PATH,
  PAGE_PATH,
  SUBMIT_PATH,
  THANKS_PATH,
  WIDGET_PATH,
  WIDGET_WORKER_PATH,
} from "../paths.ts";
import { createHourly } from "../hourly.ts";
import { type Guard, type ThreadCounts, createSharedRateLimiter } from "../rate-limit.ts";
import { altchaWidget, altchaWorker, answerChallenge } from "./challenge.ts";
import { OPEN, checkOrigin, corsHeaders, letRead, preflightFor } from "./cors.ts";
import { createFormPage } from "./form-page.ts";
import { type Links, hasOwnPages, withError } from "./links.ts";
import { errorPage, formErrorPage, methodPage, type Visit, thanksPage } from "./pages/error.ts";
import { detailOf, problemOf } from "./pages/problem.ts";
import type { Problem } from "./pages/texts/texts.ts";
import { type Routes, addTokenLinks } from "./token-links.ts";
import { type Route, createSubmissionHandler, noSuchAddress } from "./receive.ts";

export type FormsService = {
  /** Answers POST to the address of a form; `client` returns the sender. */
  submit: (request: Request, formKey: string, client: () => Client) => Promise<Response>;
  /** The same answers, those to other methods and the built-in pages as a Hono app, which gets the client as a binding. */
  routes: Routes;
};

type FindForm = ReturnType<typeof createFormFinder>;

/** The form submission service: design.md, section 2. */
export function createFormsService(
  app: App,
  links: Links,
  report: Report,
  guard: Guard,
  outgoing: () => Promise<Pick<Outgoing, "ask">>,
  { threads = null, spanOf = null }: { threads?: ThreadCounts; spanOf?: Telemetry["spanOf"] | null } = {},
): FormsService {
  const countSubmission = createSharedRateLimiter(app.now, "submissions", app.store.shared, threads);
  const countChallenge = createSharedRateLimiter(app.now, "challenges", app.store.shared, threads);
  const challenger = createChallengerSource(app);
  const fileLinks = createFileLinks(app, links.base);
  const findForm = createFormFinder(app);
  const handler = createSubmissionHandler({
    app,
    links,
    report,
    guard,
    challenger,
    judge: judgeSource(app, outgoing, fileLinks, report),
    findForm,
    countSubmission,
    spanOf,
  });
  const { rest, redirect } = routesOf(links);

  // Not an async function, whose promise would cost each submission one more turn.
  const submit = (request: Request, formKey: string, client: () => Client): Promise<Response> => {
    const mode = modeOf(request);
    if (mode === "rest") return handler.receive(request, formKey, client, rest);
    const answer = handler.receive(request, formKey, client, redirect);
    return mode || PREFERS_JSON.test(request.headers.get("accept") ?? "")
      ? answer.then(withModeHint)
      : answer;
  };

  const routes: Routes = new Hono();
  for (const path of [SUBMIT_PATH, `${SUBMIT_PATH}/`, SUBMIT_PATH.replace(":form_key", "")]) {
    const formKeyOf = (c: Context) => c.req.param("form_key") ?? "";
    routes.post(path, (c) => submit(c.req.raw, formKeyOf(c), () => c.env.client));
    routes.options(path, async (c) => preflightFor(c.req.raw, await findForm(formKeyOf(c)), "POST, OPTIONS"));
    routes.all(path, (c) => notPosted(c.req.raw, links));
  }
  routes.on(["GET", "OPTIONS"], CHALLENGE_PATH, (c) => {
    const client = () => c.env.client;
    const admitted = (form: Form | undefined) => {
      if (!form) throw noSuchAddress();
      return handler.admit(form, c.req.raw, client, countChallenge, rest);
    };
    return answerChallenge(c.req.raw, c.req.param("form_key"), {
      findForm,
      admit: admitted,
      enter: () => guard(client),
      challenger,
      flags: app.flags,
      report,
    });
  });
  const formPage = createFormPage({ app, links, report, guard, findForm, handler });
  routes.all(PAGE_PATH, (c) => formPage(c.req.raw, c.req.param("form_key"), () => c.env.client));
  addTokenLinks(routes, { app, links, fileLinks, report, guard, threads });
  routes.get(WIDGET_PATH, altchaWidget);
  routes.get(WIDGET_WORKER_PATH, altchaWorker);
  addPages(routes, links, findForm);
  return { submit, routes };
}

/** Loads external checks with the first submission to a form that has some. */
function judgeSource(
  app: App,
  outgoing: () => Promise<Pick<Outgoing, "ask">>,
  { earlyUrl }: FileLinks,
  { warn }: Report,
): () => Promise<Judge> {
  return once(async () => {
    const { createJudge } = await import("../../forms/spam/external-checks.ts");
    return createJudge(app, outgoing, earlyUrl, createHourly(app.now, warn));
  });
}

/** The two ways to answer a submission. */
function routesOf(links: Links): { rest: Route; redirect: Route } {
  const errorUrl = (shown: Shown, form: Form | undefined): string => {
    const { status, message, plain, errors } = shown;
    if (form?.errorUrl) return withError(form.errorUrl, status, message);
    if (!form || !hasOwnPages(form)) return links.error(status, plain);
    const details = (errors ?? []).slice(0, MAX_SHOWN_ERRORS).map(detailOf);
    return links.formError(form, status, problemOf(shown), details);
  };
  return {
    rest: {
      admit: checkOrigin,
      keeps: false,
      stored(form, { restPrefix }, { id, isReplay }, request) {
        const cors = corsHeaders(request, form);
        const headers =
          cors === OPEN && !isReplay ? JSON_TO_ALL : { ...JSON_TYPE, ...cors, ...(isReplay && REPLAYED) };
        return new Response(`${restPrefix}${id}"}`, { headers });
      },
      refused(shown, { request, form, headers }) {
        const { status, message } = shown;
        const errors = shown.errors?.map(({ field, code, message }) => ({ field, code, message }));
        const body = {
          error: true,
          code: status,
          message,
          url: errorUrl(shown, form),
          ...(errors && { errors }),
        };
        return Response.json(body, { status, headers: { ...headers, ...corsHeaders(request, form) } });
      },
    },
    redirect: {
      admit: checkOrigin,
      keeps: false,
      stored(form, { url }, { isReplay }, request) {
        const headers = { ...corsHeaders(request, form), ...(isReplay && REPLAYED), Location: url };
        return new Response(null, { status: 303, headers });
      },
      refused(shown, { request, form, headers }) {
        const Location = errorUrl(shown, form);
        return new Response(null, {
          status: 303,
          headers: { ...headers, ...corsHeaders(request, form), Location },
        });
      },
    },
  };
}

/** The pages after a submission. */
function addPages(routes: Routes, links: Links, findForm: FindForm): void {
  const visitOf = (c: Context): Visit => ({
    referer: c.req.header("referer"),
    acceptLanguage: c.req.header("accept-language"),
  });
  /** The form that the address of a page names; undefined also for one without texts of its own. */
  const findOwn = async (key: string) => {
    const form = FORM_KEY.test(key) ? await findForm(key) : undefined;
    return form && hasOwnPages(form) ? form : undefined;
  };
  routes.get(THANKS_PATH, async (c) => {
    const form = await findOwn(c.req.query("form") ?? "");
    return letRead(c.req.raw, await thanksPage(visitOf(c), form));
  });
  routes.get(ERROR_PATH, async (c) => {
    const { form: key, code = "", message = "", problem = "", signature = "" } = c.req.query();
    const details = c.req.queries("detail") ?? [];
    const status = Number(code);
    if (key === undefined) {
      const isOurs = links.isOurs({ code, message, details }, signature);
      const page = await errorPage(isOurs ? { status, message, details } : null, visitOf(c));
      return letRead(c.req.raw, page);
    }
    const isOurs = links.isOurs({ form: key, code, problem, details }, signature);
    const shown = isOurs ? { status, problem: problem as Problem, details } : null;
    return letRead(c.req.raw, await formErrorPage(shown, await findOwn(key), visitOf(c)));
  });
}

/** The `mode` in the query of a request; null without one. */
function modeOf({ url }: Request): string | null {
  // The address of a request without a `Host` is only a path.
  const query = url.indexOf("?");
  if (query === -1) return null;
  // Compared first, since parsing costs a fifth of a submission (`npm run bench -- submissions`).
  const text = url.slice(query + 1);
  return text === "mode=rest" ? "rest" : new URLSearchParams(text).get("mode");
}

/** An `Accept` that names JSON first. Browsers that send a form name HTML first, programs without a preference everything. */
const PREFERS_JSON = /^\s*application\/json\s*(?:[,;]|$)/i;

/** Text for a program that expects JSON without `mode=rest`. */
const MODE_HINT = "mode=rest is answered with JSON, any other mode with this redirect";

/** A redirect with the hint: as its text, which curl prints, and as a header, which the tools of a browser show. */
function withModeHint(answer: Response): Response {
  if (answer.status !== 303) return answer;
  const headers = new Headers(answer.headers);
  headers.set("Content-Type", "text/plain;charset=utf-8");
  headers.set("X-Formflag-Hint", MODE_HINT);
  return new Response(`${MODE_HINT}\n`, { status: 303, headers });
}

/** Answers a request other than POST: someone opened the address in a browser, or used the wrong method. */
async function notPosted(request: Request, links: Links): Promise<Response> {
  if (modeOf(request) !== "rest") return methodPage("POST, OPTIONS");
  const message = "submissions are sent with POST";
  const body = { error: true, code: 405, message, url: links.error(405, message) };
  return Response.json(body, {
    status: 405,
    headers: { ...corsHeaders(request, undefined), Allow: "POST, OPTIONS" },
  });
}

const JSON_TYPE = { "Content-Type": "application/json;charset=utf-8" };
/** Prepared headers and text take a third of the time of `Response.json`: `npm run bench -- submissions`. */
const JSON_TO_ALL = new Headers({ ...JSON_TYPE, ...OPEN });
const REPLAYED = {
  "Idempotent-Replayed": "true",
  "Access-Control-Expose-Headers": "Idempotent-Replayed",
};

/** Errors of fields that the error page lists. */
const MAX_SHOWN_ERRORS = 10;
