import { html } from "hono/html";
import type { Form } from "../../../forms/form.ts";
import { page, wayBack } from "./layout.ts";
import { ENGLISH_READER, readerOf } from "./reader.ts";

/** The headers of the request for a page that its text depends on. */
export type Visit = { referer: string | undefined; acceptLanguage: string | undefined };

/** The built-in page after a submission was stored, with the texts of the form if it has some. */
export async function thanksPage({ referer, acceptLanguage }: Visit, form?: Form): Promise<Response> {
  const reader = form ? await readerOf(form.language, acceptLanguage) : ENGLISH_READER;
  const [title, text] = reader.texts.thanks;
  return page(
    { status: 200, title, mark: "good", reader, accent: form?.ofProject?.accent },
    html`<p class="lines">${form?.successMessage ?? text}</p>
      ${wayBack(referer, reader)}`,
  );
}
