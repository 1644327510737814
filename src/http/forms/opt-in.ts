import { html } from "hono/html";
import { optInTexts } from "../../delivery/opt-in/texts.ts";
import type { Form } from "../../forms/form.ts";
import type { OptInAction, OptInLinks } from "../../forms/opt-in/links.ts";
import { networkOf } from "../address.ts";
import type { Shown } from "../errors.ts";
import { type LinkParts, answerMailLink } from "./mail-link.ts";
import { page } from "./pages/layout.ts";
import { noticeOf, problemOf } from "./pages/problem.ts";
import { type Reader, readerOf } from "./pages/reader.ts";

/** Answers the link of a sender who confirms or unsubscribes, which POST also does without a page (RFC 8058). */
export function answerOptIn(
  request: Request,
  action: OptInAction,
  token: string,
  { links, ...parts }: LinkParts & { links: OptInLinks },
): Promise<Response> {
  const readerFor = (form?: Form) =>
    readerOf(form ? form.language : "auto", request.headers.get("accept-language"));
  return answerMailLink(
    request,
    parts,
    async (isPost) => {
      const { form, isDone } = await (isPost
        ? links.act(action, token, networkOf(parts.client().address))
        : links.find(action, token));
      const reader = await readerFor(form);
      return isDone ? donePage(reader, form, action) : askingPage(reader, form, action);
    },
    async (shown) => failedPage(await readerFor(), shown),
  );
}

/** The form has no address, so that it goes to the address of the page behind any proxy. */
function askingPage(reader: Reader, { ofProject, name }: Form, action: OptInAction): Promise<Response> {
  const [title, text, button] = optInTexts(reader.language)[action];
  return page(
    { status: 200, title, mark: "good", reader, hasForm: true, accent: ofProject?.accent },
    html`<p class="soft">${name}</p>
<p>${text}</p>
<form method="post"><button>${button}</button></form>`,
  );
}

function donePage(reader: Reader, form: Form, action: OptInAction): Promise<Response> {
  const isConfirmed = action === "confirm";
  const [title, text] = optInTexts(reader.language)[isConfirmed ? "confirmed" : "unsubscribed"];
  return page(
    { status: 200, title, mark: "good", reader, accent: form.ofProject?.accent },
    html`<p class="soft">${form.name}</p>
<p class="lines">${(isConfirmed ? form.successMessage : null) ?? text}</p>`,
  );
}

function failedPage(reader: Reader, shown: Shown): Promise<Response> {
  const { status } = shown;
  const { expired, missing } = optInTexts(reader.language);
  const known = status === 410 ? expired : status === 404 ? missing : null;
  const { title, text } = known ? { title: known[0], text: known[1] } : noticeOf(reader, problemOf(shown));
  return page({ status, title, mark: "bad", reader }, html`<p>${text}</p>`);
}
