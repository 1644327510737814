import { html } from "hono/html";
import { optInTexts } from "../../delivery/opt-in/texts.ts";
import type { Form } from "../../forms/form.ts";
import type { OptInAction, OptInLinks } from "../../forms/opt-in/links.ts";
import { type Client, limitKey, networkOf } from "../address.ts";
import { type Report, showError } from "../errors.ts";
import type { RateLimiter } from "../rate-limit.ts";
import { page } from "./pages/layout.ts";
import { noticeOf, problemOf } from "./pages/problem.ts";
import { type Reader, readerOf } from "./pages/reader.ts";

/** Requests of one address to these links. */
const RATE = { count: 60, seconds: 60 };

type Parts = {
  links: OptInLinks;
  client: () => Client;
  count: RateLimiter;
  /** Admits the request and returns a function to call at its end. */
  enter: () => () => void;
  report: Report;
};

/**
 * Answers the link of a sender who confirms or unsubscribes. GET only shows a page with a button, because mail programs and their
 * filters open links by themselves; POST does it, also without a page (RFC 8058).
 */
export async function answerOptIn(
  request: Request,
  action: OptInAction,
  token: string,
  { links, client, count, enter, report }: Parts,
): Promise<Response> {
  const readerFor = (form?: Form) =>
    readerOf(form ? form.language : "auto", request.headers.get("accept-language"));
  let leave: (() => void) | undefined;
  try {
    leave = enter();
    const sender = limitKey(client());
    if (sender !== null) count(sender, RATE);
    const isPost = request.method === "POST";
    const { form, isDone } = await (isPost
      ? links.act(action, token, networkOf(client().address))
      : links.find(action, token));
    const reader = await readerFor(form);
    return await (isDone ? donePage(reader, form, action) : askingPage(reader, form, action));
  } catch (error) {
    const shown = showError(error, report, request);
    const answer = await failedPage(await readerFor(), shown);
    for (const [name, value] of Object.entries(shown.headers)) answer.headers.set(name, value);
    return answer;
  } finally {
    leave?.();
  }
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

function failedPage(
  reader: Reader,
  shown: Parameters<typeof problemOf>[0] & { status: number },
): Promise<Response> {
  const { status } = shown;
  const { expired, missing } = optInTexts(reader.language);
  const known = status === 410 ? expired : status === 404 ? missing : null;
  const { title, text } = known ? { title: known[0], text: known[1] } : noticeOf(reader, problemOf(shown));
  return page({ status, title, mark: "bad", reader }, html`<p>${text}</p>`);
}
