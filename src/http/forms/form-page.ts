import type { App } from "../../app.ts";
import { AppError } from "../../base/errors.ts";
import type { Form } from "../../forms/form.ts";
import { checkOpen, checkRoom } from "../../forms/intake/intake.ts";
import { checkFlag } from "../../forms/intake/open-when.ts";
import type { PageContent } from "../../forms/intake/input.ts";
import type { Client } from "../address.ts";
import { type Report, type Shown, showError } from "../errors.ts";
import type { Guard } from "../rate-limit.ts";
import { checkOrigin, isOwnOrigin } from "./cors.ts";
import type { Links } from "./links.ts";
import { methodPage, missingPage, problemPage } from "./pages/error.ts";
import { type FilledIn, formPage } from "./pages/form.ts";
import { problemOf } from "./pages/problem.ts";
import { readerOf } from "./pages/reader.ts";
import { type SubmissionHandler, type Route, noSuchAddress } from "./receive.ts";
import type { Entered } from "../../forms/intake/sent.ts";

type Parts = {
  app: App;
  links: Links;
  report: Report;
  guard: Guard;
  handler: SubmissionHandler;
  findForm: (key: string) => Form | undefined | Promise<Form | undefined>;
};

/** Answers requests to the page of a form: GET shows it, POST takes it in as the address for submissions does. */
export function createFormPage({ app, links, report, guard, handler, findForm }: Parts) {
  /** By form object: a form that changes is read as a new object. */
  const contents = new WeakMap<Form, PageContent>();
  const contentOf = async (form: Form): Promise<PageContent> => {
    const known = contents.get(form);
    if (known) return known;
    try {
      const { pageContentOf } = await import("../../forms/intake/page-content.ts");
      const content = pageContentOf(form);
      contents.set(form, content);
      return content;
    } catch (error) {
      // An AppError would be shown to the visitor, who did not write the schema.
      throw new Error(`the page of the form ${form.key} cannot be made`, { cause: error });
    }
  };

  const show = async (form: Form, { headers }: Request, filledIn: FilledIn | null): Promise<Response> => {
    const reader = await readerOf(form.language, headers.get("accept-language"));
    const idempotencyKey = Buffer.from(app.random(16)).toString("base64url");
    return formPage({ form, content: await contentOf(form), reader, filledIn, idempotencyKey });
  };

  const explain = async (shown: Shown, form: Form | undefined, { headers }: Request): Promise<Response> => {
    if (form ? !form.page : shown.status === 404)
      return missingPage("the address of a form's page ends in the key of the form, not its name");
    const reader = await readerOf(form?.language ?? null, headers.get("accept-language"));
    return problemPage(reader, { status: shown.status, problem: problemOf(shown) }, form);
  };

  const route: Route = {
    keeps: true,
    admit(form, request) {
      if (!form.page) throw noSuchAddress();
      if (!isOwnOrigin(request, links.publicOrigin)) checkOrigin(form, request);
    },
    stored: (_, { url }) => new Response(null, { status: 303, headers: { Location: url } }),
    async refused(shown, { request, form, entered, headers }) {
      const isShown = form?.page && entered && shown.status !== 409;
      const answer = isShown
        ? await show(form, request, refusalOf(shown, entered))
        : await explain(shown, form, request);
      for (const [name, value] of Object.entries(headers)) answer.headers.set(name, value);
      return answer;
    },
  };

  const open = async (request: Request, formKey: string, client: () => Client): Promise<Response> => {
    let form: Form | undefined;
    let leave: (() => void) | undefined;
    try {
      leave = guard(client);
      form = await findForm(formKey);
      if (!form?.page) throw noSuchAddress();
      if (!form.enabled) throw new AppError("conflict", "this form is closed");
      checkOpen(form, app.now());
      if (form.openWhen !== null) await checkFlag(app.flags, form, request.headers);
      await checkRoom(app, form);
      return await show(form, request, null);
    } catch (error) {
      const shown = showError(error, report, request);
      const answer = await explain(shown, form, request);
      for (const [name, value] of Object.entries(shown.headers)) answer.headers.set(name, value);
      return answer;
    } finally {
      leave?.();
    }
  };

  return async (request: Request, formKey: string, client: () => Client): Promise<Response> => {
    if (request.method === "POST") return handler.receive(request, formKey, client, route);
    if (request.method === "GET" || request.method === "HEAD") return open(request, formKey, client);
    return methodPage("GET, HEAD, POST");
  };
}

/** Values of a refused submission for the page that shows them again, with their errors. */
function refusalOf(shown: Shown, { fields, files }: Entered): FilledIn {
  const values = Object.entries(fields()).map(([name, value]): [string, string[]] => [
    name,
    [value].flat().map((each) => (typeof each === "string" ? each : JSON.stringify(each))),
  ]);
  return {
    status: shown.status,
    problem: problemOf(shown),
    values: new Map(values),
    errors: shown.errors ?? [],
    files: files.map(({ field, error }) => ({ field, problem: error && fileProblemOf(error, shown) })),
  };
}

function fileProblemOf({ reason }: { reason: string | null }, { status }: Shown) {
  return problemOf({ status, reason });
}
