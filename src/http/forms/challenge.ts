import { AppError } from "../../base/errors.ts";
import type { Challenger } from "../../forms/intake/challenge.ts";
import { type FlagPort, checkFlag } from "../../forms/intake/open-when.ts";
import type { Form } from "../../forms/form.ts";
import { type Report, showError } from "../errors.ts";
import { NO_SNIFF } from "../security.ts";
import { corsHeaders, preflightFor } from "./cors.ts";

const METHODS = "GET, OPTIONS";

/** Settings of challenges. */
export type Challenging = {
  findForm: (key: string) => Form | undefined | Promise<Form | undefined>;
  /** Throws an AppError, at once or later, if the request is refused. */
  admit: (form: Form | undefined) => void | Promise<void>;
  /** Admits the request and returns a function to call at its end. Throws an AppError if it is refused. */
  enter: () => () => void;
  challenger: () => Promise<Challenger>;
  flags: FlagPort;
  report: Report;
};

/**
 * Answers `GET /v1/s/<key>/challenge` with a challenge for the widget, to the same senders that may submit. Every error is
 * JSON, as with `?mode=rest`.
 */
export async function answerChallenge(
  request: Request,
  formKey: string,
  { findForm, admit, enter, challenger, flags, report }: Challenging,
): Promise<Response> {
  let form: Form | undefined;
  let leave: (() => void) | undefined;
  try {
    if (request.method === "OPTIONS") return preflightFor(request, await findForm(formKey), METHODS);
    leave = enter();
    form = await findForm(formKey);
    await admit(form);
    if (!form?.challenge) throw new AppError("not_found", "this form has no challenge");
    if (form.openWhen !== null) await checkFlag(flags, form, request.headers);
    const { create } = await challenger();
    return Response.json(await create(formKey), { headers: headersFor(request, form) });
  } catch (error) {
    const { status, message, headers } = showError(error, report, request);
    const body = { error: true, code: status, message };
    return Response.json(body, { status, headers: { ...headers, ...headersFor(request, form) } });
  } finally {
    leave?.();
  }
}

function headersFor(request: Request, form: Form | undefined): Record<string, string> {
  return { ...corsHeaders(request, form), "Cache-Control": "no-store" };
}

const SCRIPT_HEADERS = {
  ...NO_SNIFF,
  "Content-Type": "text/javascript; charset=utf-8",
  // Browsers load a module of another origin only with CORS: https://html.spec.whatwg.org/#fetch-a-single-module-script
  "Access-Control-Allow-Origin": "*",
  "Cache-Control": "public, max-age=86400",
} as const;

/**
 * Answers `/v1/altcha.js`: an ES module that defines `<altcha-widget challenge="…">`, which adds a hidden field `altcha`
 * to the form around it. Needs a page served by HTTPS or from localhost. The first call loads the files.
 */
export async function altchaWidget(): Promise<Response> {
  const { WIDGET } = await import("./altcha/bundle.ts");
  return new Response(WIDGET, { headers: SCRIPT_HEADERS });
}

/**
 * Answers `altcha-worker.js` in the same directory, from which the widget starts its workers on pages of the same
 * origin. A page with it needs no more than `script-src 'self'; worker-src 'self'; connect-src 'self'`.
 */
export async function altchaWorker(): Promise<Response> {
  const { WORKER } = await import("./altcha/bundle.ts");
  return new Response(WORKER, { headers: SCRIPT_HEADERS });
}
