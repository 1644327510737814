import { preflight } from "../preflight.ts";
import { Hono } from "hono";
import type { App } from "../../app.ts";
import { AppError } from "../../base/errors.ts";
import type { StagedBlob } from "../../blobs/blobs.ts";
import type { Form } from "../../forms/form.ts";
import { createFormFinder } from "../../forms/forms.ts";
import { storeSubmission } from "../../forms/submissions.ts";
import { type Client, createAddressList, limitKey } from "../address.ts";
import { type Report, type Shown, showError } from "../errors.ts";
import { ERROR_PATH, SUBMIT_PATH, THANKS_PATH } from "../paths.ts";
import { type Guard, createRateLimiter } from "../rate-limit.ts";
import { NO_SNIFF } from "../security.ts";
import { type Body, openBody } from "../body.ts";
import { readDraft } from "./draft.ts";
import { type Links, withError } from "./links.ts";
import { errorPage, methodPage } from "./pages/error.ts";
import { thanksPage } from "./pages/thanks.ts";

export type FormsService = {
  /** Answers any request to the address of a form; `client` returns the sender. */
  submit: (request: Request, formKey: string, client: () => Client) => Promise<Response>;
  /** The same answers and the built-in pages as a Hono app, which gets the client as a binding. */
  routes: Hono<{ Bindings: { client: Client } }>;
};

/** The form submission service: design.md, section 2. */
export function createFormsService(app: App, links: Links, report: Report, guard: Guard): FormsService {
  const countSubmission = createRateLimiter(app.now, "submissions");
  const findForm = createFormFinder(app.store);
  /** By form object: a form that changes is read as a new object. */
  const prepared = new WeakMap<Form, Prepared>();
  const prepare = (form: Form): Prepared => {
    const known = prepared.get(form);
    if (known) return known;
    // Encodes characters of the address that a header cannot hold.
    const url = form.successUrl === null ? links.thanks() : new URL(form.successUrl).href;
    const created = { url, isBlocked: createAddressList(form.blockedSenders), restPrefix: restPrefixOf(url) };
    prepared.set(form, created);
    return created;
  };

  const admit = (form: Form, request: Request, client: () => Client) => {
    if (!form.enabled) throw new AppError("conflict", "this form is closed");
    if (form.blockedSenders.length > 0 && prepare(form).isBlocked(client().address)) {
      throw new AppError("forbidden", "this form takes no submissions from your address");
    }
    if (!isAllowedOrigin(form, request)) {
      throw new AppError("forbidden", "this form takes no submissions from that website");
    }
    const network = form.rateLimit && limitKey(client());
    if (form.rateLimit && network !== null) countSubmission(`${form.key} ${network}`, form.rateLimit);
  };

  const submit = async (request: Request, formKey: string, client: () => Client): Promise<Response> => {
    if (request.method === "OPTIONS") return preflightFor(request, await findForm(formKey));
    const isRest = asksForRest(request.url);
    if (request.method !== "POST") return notPosted(isRest, links);
    let opened: Body | undefined;
    const body = () => (opened ??= openBody(request));
    const staged: StagedBlob[] = [];
    let form: Form | undefined;
    let id: string;
    let leave: (() => void) | undefined;
    try {
      leave = guard(client);
      const finding = findForm(formKey);
      form = finding instanceof Promise ? await finding : finding;
      if (!form) throw new AppError("not_found", "there is no form at this address");
      admit(form, request, client);
      const draft = await readDraft(app, form, request, body, staged);
      // The runtime closes a connection with further bytes behind the body, and notices one that its sender closed: see reliability.md.
      const isAbandoned = () => request.signal.aborted;
      id = await storeSubmission(app, form, draft, (cause) => report.error(cause, request), isAbandoned);
    } catch (error) {
      const shown = showError(error, report, request);
      await discardAll(staged, report);
      const headers = { ...shown.headers, ...corsHeaders(request, form) };
      if (!(await body().drain())) headers["Connection"] = "close";
      return refused(shown, form, headers, isRest);
    } finally {
      leave?.();
    }
    const { url, restPrefix } = prepare(form);
    const cors = corsHeaders(request, form);
    if (!isRest) return new Response(null, { status: 303, headers: { ...cors, Location: url } });
    const headers = cors === OPEN ? JSON_TO_ALL : { ...JSON_TYPE, ...cors };
    return new Response(`${restPrefix}${id}"}`, { headers });
  };

  const refused = (
    { status, message, plain }: Shown,
    form: Form | undefined,
    headers: Record<string, string>,
    isRest: boolean,
  ): Response => {
    const url = form?.errorUrl ? withError(form.errorUrl, status, message) : links.error(status, plain);
    return isRest
      ? Response.json({ error: true, code: status, message, url }, { status, headers })
      : new Response(null, { status: 303, headers: { ...headers, Location: url } });
  };

  const routes = new Hono<{ Bindings: { client: Client } }>();
  for (const path of [SUBMIT_PATH, `${SUBMIT_PATH}/`, SUBMIT_PATH.replace(":form_key", "")]) {
    routes.all(path, (c) => submit(c.req.raw, c.req.param("form_key") ?? "", () => c.env.client));
  }
  routes.get(THANKS_PATH, (c) => thanksPage(c.req.header("referer")));
  routes.get(ERROR_PATH, (c) => {
    const { code = "", message = "", signature = "" } = c.req.query();
    const shown = links.isOurs(code, message, signature) ? { status: Number(code), message } : null;
    return errorPage(shown, c.req.header("referer"));
  });
  return { submit, routes };
}

/** Whether the query asks for a JSON answer. The address of a request without a `Host` is only a path. */
function asksForRest(url: string): boolean {
  const query = url.indexOf("?");
  if (query === -1) return false;
  // Compared first, since parsing costs a fifth of a submission (`npm run bench -- submissions`).
  const text = url.slice(query + 1);
  return text === "mode=rest" || new URLSearchParams(text).get("mode") === "rest";
}

/** What every submission of a form needs, made once. */
type Prepared = {
  isBlocked: (address: string) => boolean;
  /** Where a submission that was stored redirects. */
  url: string;
  /** The JSON answer up to the id. */
  restPrefix: string;
};

function restPrefixOf(url: string): string {
  const answer = { code: 200, success: true, message: "Thank you, your submission was received.", url };
  return `${JSON.stringify(answer).slice(0, -1)},"id":"`;
}

/** Answers a request other than POST: someone opened the address in a browser, or used the wrong method. */
async function notPosted(isRest: boolean, links: Links): Promise<Response> {
  if (!isRest) return methodPage();
  const message = "submissions are sent with POST";
  const body = { error: true, code: 405, message, url: links.error(405, message) };
  return Response.json(body, {
    status: 405,
    headers: { ...NO_SNIFF, Allow: "POST, OPTIONS", "Access-Control-Allow-Origin": "*" },
  });
}

/** Removes the files of a refused or failed submission; a file that cannot be removed goes at the next start. */
async function discardAll(staged: StagedBlob[], report: Report): Promise<void> {
  for (const result of await Promise.allSettled(staged.map((blob) => blob.discard()))) {
    if (result.status === "rejected") report.error(result.reason);
  }
}

/** A request without an origin is allowed: browsers send one with every POST, and other clients could send any. */
function isAllowedOrigin(form: Form, request: Request): boolean {
  if (form.allowedOrigins.length === 0) return true;
  const origin = request.headers.get("origin");
  return origin === null || form.allowedOrigins.includes(origin);
}

const OPEN = { ...NO_SNIFF, "Access-Control-Allow-Origin": "*" };
const JSON_TYPE = { "Content-Type": "application/json;charset=utf-8" };
/** Prepared headers and text take a third of the time of `Response.json`: `npm run bench -- submissions`. */
const JSON_TO_ALL = new Headers({ ...JSON_TYPE, ...OPEN });

function corsHeaders(request: Request, form: Form | undefined): Record<string, string> {
  if (!form || form.allowedOrigins.length === 0) return OPEN;
  const origin = request.headers.get("origin");
  if (origin === null || !form.allowedOrigins.includes(origin)) return { ...NO_SNIFF, Vary: "Origin" };
  return { ...NO_SNIFF, "Access-Control-Allow-Origin": origin, Vary: "Origin" };
}

/** Comma-separated names of headers. */
const FIELD_NAMES = /^[\w!#$%&'*+.^`|~, -]+$/;

function preflightFor(request: Request, form: Form | undefined): Response {
  const requested = request.headers.get("access-control-request-headers") ?? "";
  const headers = FIELD_NAMES.test(requested) ? requested : "content-type, accept";
  return preflight(corsHeaders(request, form), { methods: "POST, OPTIONS", headers });
}
