import { html } from "hono/html";
import type { SpamLinks } from "../../forms/inbox/spam-links.ts";
import { type Client, limitKey } from "../address.ts";
import { type Report, showError } from "../errors.ts";
import type { RateLimiter } from "../rate-limit.ts";
import { page } from "./pages/layout.ts";

/** Requests of one address to these links. */
const RATE = { count: 60, seconds: 60 };

type Parts = {
  links: SpamLinks;
  client: () => Client;
  count: RateLimiter;
  /** Admits the request and returns a function to call at its end. */
  enter: () => () => void;
  report: Report;
};

/**
 * Answers a signed link that marks a submission as spam. GET only shows a page with a button, because mail programs and
 * their filters open links by themselves; POST marks it.
 */
export async function answerSpamLink(
  request: Request,
  token: string,
  { links, client, count, enter, report }: Parts,
): Promise<Response> {
  let leave: (() => void) | undefined;
  try {
    leave = enter();
    const sender = limitKey(client());
    if (sender !== null) count(sender, RATE);
    const isPost = request.method === "POST";
    const submission = await (isPost ? links.mark(token) : links.find(token));
    return await (submission.state === "spam" ? donePage() : askingPage(submission));
  } catch (error) {
    const { status, headers } = showError(error, report, request);
    const [title, text] = EXPLANATIONS[status] ?? OTHERWISE;
    const answer = await page({ status, title, mark: "bad" }, html`<p>${text}</p>`);
    for (const [name, value] of Object.entries(headers)) answer.headers.set(name, value);
    return answer;
  } finally {
    leave?.();
  }
}

/** The form has no address, so that it goes to the address of the page behind any proxy. */
function askingPage({ form, createdAt }: { form: string; createdAt: string }): Promise<Response> {
  const time = `${createdAt.slice(0, 16).replace("T", " ")} UTC`;
  return page(
    { status: 200, title: "Mark this submission as spam?", mark: "bad", hasForm: true },
    html`<p>It came through the form ${form} on ${time}. It moves to the spam folder, and nothing more is sent about it.</p>
<form method="post"><button>Mark as spam</button></form>`,
  );
}

function donePage(): Promise<Response> {
  return page(
    { status: 200, title: "This submission is in the spam folder", mark: "good" },
    html`<p>In the dashboard it can be moved back to the inbox.</p>`,
  );
}

const OTHERWISE = ["This did not work just now", "Please try again in a moment."] as const;

const EXPLANATIONS: Record<number, readonly [title: string, text: string]> = {
  404: ["There is no such submission", "The link is not complete, or the submission was deleted."],
  410: ["This link has expired", "The submission can still be marked in the dashboard."],
  429: ["Too many requests", "Please try again in a minute."],
};
