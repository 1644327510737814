import { type Client, limitKey } from "../address.ts";
import { type Report, type Shown, showError } from "../errors.ts";
import type { RateLimiter } from "../rate-limit.ts";

/** Requests of one address to these links. */
const RATE = { count: 60, seconds: 60 };

export type LinkParts = {
  client: () => Client;
  count: RateLimiter;
  /** Admits the request and returns a function to call at its end. */
  enter: () => () => void;
  report: Report;
};

/**
 * Answers a link in mail with a page. GET only shows a page with a button, because mail programs and their filters open links
 * by themselves; POST does what the link is for. `failed` makes the page of an error.
 */
export async function answerMailLink(
  request: Request,
  { client, count, enter, report }: LinkParts,
  answer: (isPost: boolean) => Promise<Response>,
  failed: (shown: Shown) => Promise<Response>,
): Promise<Response> {
  let leave: (() => void) | undefined;
  try {
    leave = enter();
    const sender = limitKey(client());
    if (sender !== null) count(sender, RATE);
    return await answer(request.method === "POST");
  } catch (error) {
    const shown = showError(error, report, request);
    const page = await failed(shown);
    for (const [name, value] of Object.entries(shown.headers)) page.headers.set(name, value);
    return page;
  } finally {
    leave?.();
  }
}
