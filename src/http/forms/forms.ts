import { Hono } from "hono";
import type { App } from "../../app.ts";
import { AppError } from "../../base/errors.ts";
import { createAddressList } from "../../base/network.ts";
import type { StagedBlob } from "../../blobs/blobs.ts";
import type { Form } from "../../forms/form.ts";
import { createChallengerSource } from "../../forms/challenger.ts";
import { createFormFinder } from "../../forms/forms.ts";
import { type Intake, type Received, checkOpen, prepareIntake, takeIn } from "../../forms/intake.ts";
import type { SenderDetails } from "../../forms/metadata.ts";
import { type Client, limitKey, networkOf } from "../address.ts";
import { type Report, type Shown, showError } from "../errors.ts";
import {
  CHALLENGE_PATH,
  ERROR_PATH,
  SUBMIT_PATH,
  THANKS_PATH,
  WIDGET_PATH,
  WIDGET_WORKER_PATH,
} from "../paths.ts";
import { type Guard, type RateLimiter, createRateLimiter } from "../rate-limit.ts";
import { NO_SNIFF } from "../security.ts";
import { type Body, openBody } from "../body.ts";
import { altchaWidget, altchaWorker } from "./altcha.ts";
import { answerChallenge } from "./challenge.ts";
import { OPEN, corsHeaders, isAdmittedOrigin, preflightFor } from "./cors.ts";
import { readDraft } from "./draft.ts";
import { idempotencyKeyOf } from "./idempotency-key.ts";
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
  const countChallenge = createRateLimiter(app.now, "challenges");
  const challenger = createChallengerSource(app);
  const findForm = createFormFinder(app.store);
  /** By form object: a form that changes is read as a new object. */
  const prepared = new WeakMap<Form, Prepared>();
  const prepare = (form: Form): Prepared => {
    const known = prepared.get(form);
    if (known) return known;
    // Encodes characters of the address that a header cannot hold.
    const url = form.successUrl === null ? links.thanks() : new URL(form.successUrl).href;
    const created: Prepared = {
      url,
      isBlocked: createAddressList(form.blockedSenders),
      restPrefix: restPrefixOf(url),
    };
    prepared.set(form, created);
    return created;
  };

  const admit = (form: Form, request: Request, client: () => Client, count: RateLimiter) => {
    if (!form.enabled) throw new AppError("conflict", "this form is closed");
    if (form.blockedSenders.length > 0 && prepare(form).isBlocked(client().address)) {
      throw new AppError("forbidden", "this form takes no submissions from your address");
    }
    if (!isAdmittedOrigin(form, request)) {
      throw new AppError("forbidden", "this form takes no submissions from that website");
    }
    const network = form.rateLimit && limitKey(client());
    if (form.rateLimit && network !== null) count(`${form.key} ${network}`, form.rateLimit);
  };

  const submit = async (request: Request, formKey: string, client: () => Client): Promise<Response> => {
    if (request.method === "OPTIONS") return preflightFor(request, await findForm(formKey), "POST, OPTIONS");
    const isRest = asksForRest(request.url);
    if (request.method !== "POST") return notPosted(isRest, links);
    let opened: Body | undefined;
    const body = () => (opened ??= openBody(request));
    const staged: StagedBlob[] = [];
    let form: Form | undefined;
    let received: Received;
    let leave: (() => void) | undefined;
    try {
      leave = guard(client);
      const finding = findForm(formKey);
      form = finding instanceof Promise ? await finding : finding;
      if (!form) throw noSuchAddress();
      admit(form, request, client, countSubmission);
      checkOpen(form, app.now());
      const idempotencyKey = idempotencyKeyOf(request);
      const ready = prepare(form);
      // Without a wait in front, the body is read in less time: `npm run bench -- submissions`.
      const intake = ready.intake ?? (await load(app, ready, form));
      const sent = await readDraft(app, form, request, body, staged, intake.controlNames);
      const network = () => networkOf(client().address);
      const details = () => detailsOf(request, client());
      received = await takeIn(
        app,
        form,
        intake,
        sent,
        { network, idempotencyKey, details },
        {
          challenger,
          countSpam: report.spam,
          report: (cause) => report.error(cause, request),
          // The runtime closes a connection with further bytes behind the body, and notices one that its sender closed: see reliability.md.
          isAbandoned: () => request.signal.aborted,
        },
      );
      if (received.isReplay) await discardAll(staged, report);
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
    const extra = received.isReplay ? { ...cors, ...REPLAYED } : cors;
    if (!isRest) return new Response(null, { status: 303, headers: { ...extra, Location: url } });
    const headers = extra === OPEN ? JSON_TO_ALL : { ...JSON_TYPE, ...extra };
    return new Response(`${restPrefix}${received.id}"}`, { headers });
  };

  const refused = (
    { status, message, plain, errors }: Shown,
    form: Form | undefined,
    headers: Record<string, string>,
    isRest: boolean,
  ): Response => {
    const details = (errors ?? []).slice(0, MAX_SHOWN_ERRORS).map((error) => shorten(error.message));
    const url = form?.errorUrl
      ? withError(form.errorUrl, status, message)
      : links.error(status, plain, details);
    const body = { error: true, code: status, message, url, ...(errors && { errors }) };
    return isRest
      ? Response.json(body, { status, headers })
      : new Response(null, { status: 303, headers: { ...headers, Location: url } });
  };

  const routes = new Hono<{ Bindings: { client: Client } }>();
  for (const path of [SUBMIT_PATH, `${SUBMIT_PATH}/`, SUBMIT_PATH.replace(":form_key", "")]) {
    routes.all(path, (c) => submit(c.req.raw, c.req.param("form_key") ?? "", () => c.env.client));
  }
  routes.on(["GET", "OPTIONS"], CHALLENGE_PATH, (c) => {
    const client = () => c.env.client;
    const admitted = (form: Form | undefined) => {
      if (!form) throw noSuchAddress();
      admit(form, c.req.raw, client, countChallenge);
    };
    return answerChallenge(c.req.raw, c.req.param("form_key"), {
      findForm,
      admit: admitted,
      enter: () => guard(client),
      challenger,
      report,
    });
  });
  routes.get(WIDGET_PATH, altchaWidget);
  routes.get(WIDGET_WORKER_PATH, altchaWorker);
  routes.get(THANKS_PATH, (c) => thanksPage(c.req.header("referer")));
  routes.get(ERROR_PATH, (c) => {
    const { code = "", message = "", signature = "" } = c.req.query();
    const details = c.req.queries("detail") ?? [];
    const isOurs = links.isOurs(code, message, details, signature);
    const shown = isOurs ? { status: Number(code), message, details } : null;
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
  /** Once the first submission has loaded it. */
  intake?: Intake;
  loading?: Promise<Intake>;
};

async function load(app: App, prepared: Prepared, form: Form): Promise<Intake> {
  prepared.loading ??= prepareIntake(app, form);
  try {
    return (prepared.intake = await prepared.loading);
  } catch (error) {
    delete prepared.loading;
    throw error;
  }
}

function detailsOf({ headers }: Request, { address }: Client): SenderDetails {
  return {
    address,
    userAgent: headers.get("user-agent"),
    referrer: headers.get("referer"),
    language: headers.get("accept-language"),
  };
}

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

const JSON_TYPE = { "Content-Type": "application/json;charset=utf-8" };
/** Prepared headers and text take a third of the time of `Response.json`: `npm run bench -- submissions`. */
const JSON_TO_ALL = new Headers({ ...JSON_TYPE, ...OPEN });
const REPLAYED = {
  "Idempotent-Replayed": "true",
  "Access-Control-Expose-Headers": "Idempotent-Replayed",
};

/** Errors of fields that the error page lists. */
const MAX_SHOWN_ERRORS = 10;
/** Characters of each; ten of them have to fit into an address, where a character may take nine. */
const MAX_SHOWN_LENGTH = 120;

function shorten(text: string): string {
  return text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH).toWellFormed()}…` : text;
}

function noSuchAddress(): AppError {
  return new AppError("not_found", "there is no form at this address");
}
