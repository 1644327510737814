import { html } from "hono/html";
import type { Form } from "../../../forms/form.ts";
import { page, wayBack } from "./layout.ts";
import { detailText, noticeOf, problemOf } from "./problem.ts";
import { ENGLISH_READER, type Reader, readerOf } from "./reader.ts";
import type { Problem } from "./texts/texts.ts";

const METHOD = { title: "There is nothing to see here", text: "This address takes in forms." };

/**
 * The built-in page after a submission failed, with the status that it shows. Without a message that this process signed,
 * as after a restart, it has the status 400 and a general text.
 */
export function errorPage(
  shown: { status: number; message: string; details: string[] } | null,
  { referer }: Visit,
): Promise<Response> {
  const problem = shown === null ? "general" : problemOf(shown);
  const { title, text } = shown?.status === 405 ? METHOD : noticeOf(ENGLISH_READER, problem);
  return page(
    { status: shown?.status ?? 400, title, mark: "bad" },
    html`<p>${text}</p>
      ${shown === null ? "" : html`<p class="soft">In detail: ${shown.message}.</p>`}
      ${list(shown?.details ?? [])}
      ${wayBack(referer)}`,
  );
}

/**
 * The same in the language of a form; without anything that this process signed, with the status 400 and a general text.
 * The form is undefined once it was deleted.
 */
export async function formErrorPage(
  shown: { status: number; problem: Problem; details: string[] } | null,
  form: Form | undefined,
  { referer, acceptLanguage }: Visit,
): Promise<Response> {
  const reader = await readerOf(form?.language ?? null, acceptLanguage);
  const { title, text } = noticeOf(reader, shown?.problem ?? "general", form);
  const details = (shown?.details ?? []).map((detail) => detailText(reader, detail, form));
  return page(
    { status: shown?.status ?? 400, title, mark: "bad", reader, accent: form?.ofProject?.accent },
    html`<p>${text}</p>
      ${list(details)}
      ${wayBack(referer, reader)}`,
  );
}

/** The page in place of a form that cannot be filled in. */
export function problemPage(
  reader: Reader,
  { status, problem }: { status: number; problem: Problem },
  form: Form | undefined,
): Promise<Response> {
  const { title, text } = noticeOf(reader, problem, form);
  const accent = form?.ofProject?.accent;
  return page({ status, title, mark: "bad", reader, accent }, html`<p>${text}</p>`);
}

function list(items: string[]) {
  if (items.length === 0) return "";
  return html`<ul>
    ${items.map((item) => html`<li>${item}</li>`)}
  </ul>`;
}

/** The page for a person who opens the address of a form, which takes the methods of `allow`. */
export async function methodPage(allow: string): Promise<Response> {
  const answer = await page(
    { status: 405, title: METHOD.title, mark: "bad" },
    html`<p>${METHOD.text} A web page sends to it with <code>&lt;form method="post"&gt;</code>.</p>`,
  );
  answer.headers.set("Allow", allow);
  return answer;
}

/** The page for a person at an address that does not exist, with the sentence about the right one. */
export function missingPage(instead: string | null): Promise<Response> {
  return page(
    { status: 404, title: "There is nothing here", mark: "bad" },
    html`<p>This address has no page.</p>
      ${instead === null ? "" : html`<p class="soft">${instead[0]!.toUpperCase()}${instead.slice(1)}.</p>`}`,
  );
}

/** The headers of the request for a page that its text depends on. */
export type Visit = { referer: string | undefined; acceptLanguage: string | undefined };

/** The built-in page after a submission was stored, with the texts of the form if it has some. */
export async function thanksPage({ referer, acceptLanguage }: Visit, form?: Form): Promise<Response> {
  const reader = form ? await readerOf(form.language, acceptLanguage) : ENGLISH_READER;
  const asks = form !== undefined && form.optIn !== null;
  const [title, text] = asks
    ? (await import("../../../delivery/opt-in/texts.ts")).optInTexts(reader.language).sent
    : reader.texts.thanks;
  return page(
    { status: 200, title, mark: "good", reader, accent: form?.ofProject?.accent },
    html`<p class="lines">${asks ? text : (form?.successMessage ?? text)}</p>
      ${wayBack(referer, reader)}`,
  );
}
