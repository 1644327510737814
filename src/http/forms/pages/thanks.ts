import { html } from "hono/html";
import { page, wayBack } from "./layout.ts";

/** The built-in page after a submission was stored. */
export function thanksPage(referer: string | undefined): Promise<Response> {
  return page(
    { status: 200, title: "Thank you", mark: "good" },
    html`<p>Your submission was received.</p>
      ${wayBack(referer)}`,
  );
}
