import { html } from "hono/html";
import type { SpamLinks } from "../../forms/inbox/spam-links.ts";
import type { Shown } from "../errors.ts";
import { type LinkParts, answerMailLink } from "./mail-link.ts";
import { page } from "./pages/layout.ts";

/** Answers a signed link that marks a submission as spam. */
export function answerSpamLink(
  request: Request,
  token: string,
  { links, ...parts }: LinkParts & { links: SpamLinks },
): Promise<Response> {
  return answerMailLink(
    request,
    parts,
    async (isPost) => {
      const submission = await (isPost ? links.mark(token) : links.find(token));
      return submission.state === "spam" ? donePage() : askingPage(submission);
    },
    failedPage,
  );
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

function failedPage({ status }: Shown): Promise<Response> {
  const [title, text] = EXPLANATIONS[status] ?? OTHERWISE;
  return page({ status, title, mark: "bad" }, html`<p>${text}</p>`);
}
