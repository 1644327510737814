import { html } from "hono/html";
import type { FileLinks } from "../../forms/inbox/file-links.ts";
import { attachment } from "../attachment.ts";
import { type Report, showError } from "../errors.ts";
import { page } from "./pages/layout.ts";

/**
 * Answers a signed link with its file as a download. An error is a page for a browser, JSON for any other client. `enter`
 * admits the request and returns a function to call at its end.
 */
export async function answerFileLink(
  request: Request,
  token: string,
  { links, enter, report }: { links: FileLinks; enter: () => () => void; report: Report },
): Promise<Response> {
  let leave: (() => void) | undefined;
  try {
    leave = enter();
    const { file, bytes } = await links.open(token);
    return new Response(bytes, {
      headers: {
        ...attachment(file.name, "application/octet-stream"),
        ...(file.size !== undefined && { "Content-Length": String(file.size) }),
        ...UNCACHED,
      },
    });
  } catch (error) {
    const { status, message, headers } = showError(error, report, request);
    const answer = request.headers.get("accept")?.includes("text/html")
      ? await errorPage(status)
      : Response.json({ error: true, code: status, message }, { status });
    for (const [name, value] of Object.entries({ ...headers, ...UNCACHED })) answer.headers.set(name, value);
    return answer;
  } finally {
    leave?.();
  }
}

/** A link is for one person: no cache may give its file to another. */
const UNCACHED = { "Cache-Control": "private, no-store" };

function errorPage(status: number): Promise<Response> {
  const [title, text] = EXPLANATIONS[status] ?? [
    "This did not work just now",
    "Please try again in a moment.",
  ];
  return page({ status, title, mark: "bad" }, html`<p>${text}</p>`);
}

const EXPLANATIONS: Record<number, [title: string, text: string]> = {
  404: ["There is no such file", "The link is not complete, or the file was deleted."],
  410: ["This link has expired", "The file may still be with the owner of the form: please ask there."],
};
