import { AppError } from "../../base/errors.ts";
import type { Challenger } from "../../forms/intake/challenge.ts";
import type { Form } from "../../forms/form.ts";
import { type Report, showError } from "../errors.ts";
import { corsHeaders, preflightFor } from "./cors.ts";

const METHODS = "GET, OPTIONS";

/** What a challenge is made with. */
export type Challenging = {
  findForm: (key: string) => Form | undefined | Promise<Form | undefined>;
  /** Throws an AppError, at once or later, where the request is refused. */
  admit: (form: Form | undefined) => void | Promise<void>;
  /** Admits the request and returns a function to call at its end. Throws an AppError where it is refused. */
  enter: () => () => void;
  challenger: () => Promise<Challenger>;
  report: Report;
};

/**
 * Answers `GET /v1/s/<key>/challenge` with a challenge for the widget, to the same senders that may submit. Every error is
 * JSON, as with `?mode=rest`.
 */
export async function answerChallenge(
  request: Request,
  formKey: string,
  { findForm, admit, enter, challenger, report }: Challenging,
): Promise<Response> {
  let form: Form | undefined;
  let leave: (() => void) | undefined;
  try {
    if (request.method === "OPTIONS") return preflightFor(request, await findForm(formKey), METHODS);
    leave = enter();
    form = await findForm(formKey);
    await admit(form);
    if (!form?.challenge) throw new AppError("not_found", "this form has no challenge");
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
