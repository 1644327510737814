import { html } from "hono/html";
import { page, wayBack } from "./layout.ts";

/** What each status means to the person who filled in the form. */
const EXPLANATIONS = new Map<string, [title: string, text: string]>(
  Object.entries({
    400: [
      "This could not be read",
      "The form arrived empty or damaged. Please go back, check it and send it again.",
    ],
    403: ["This was not accepted", "The form does not take this submission."],
    404: [
      "There is no such form",
      "The address it was sent to belongs to no form. Please tell the owner of the website.",
    ],
    405: ["There is nothing to see here", "This address takes in forms."],
    409: ["This form is closed", "It takes no submissions at the moment."],
    413: ["This was too large", "Please go back, send less or smaller files, and try again."],
    415: [
      "This could not be read",
      "The form was sent in a format that is not supported. Please tell the owner of the website.",
    ],
    422: ["Something is not right yet", "Please go back, correct it and send the form again."],
    429: ["That was too often", "Please wait a moment, go back and send it again."],
    500: ["Something went wrong here", "Nothing was stored. Please go back and try again later."],
    503: ["This did not work just now", "Nothing was stored. Please go back and try again in a moment."],
  }),
);

/**
 * The built-in page after a submission failed, with the status that it shows. Without a message that this process signed,
 * as after a restart, it has the status 400 and a general text.
 */
export function errorPage(
  shown: { status: number; message: string; details: string[] } | null,
  referer: string | undefined,
): Promise<Response> {
  const [title, text] = EXPLANATIONS.get(String(shown?.status)) ?? [
    "This did not work",
    "Your submission was not stored. Please go back and try again.",
  ];
  return page(
    { status: shown?.status ?? 400, title, mark: "bad" },
    html`<p>${text}</p>
      ${shown === null ? "" : html`<p class="soft">In detail: ${shown.message}.</p>`}
      ${shown === null || shown.details.length === 0 ? "" : list(shown.details)}
      ${wayBack(referer)}`,
  );
}

function list(items: string[]) {
  return html`<ul>
    ${items.map((item) => html`<li>${item}</li>`)}
  </ul>`;
}

/** The page for a person who opens the address of a form. */
export async function methodPage(): Promise<Response> {
  const [title, text] = EXPLANATIONS.get("405")!;
  const answer = await page(
    { status: 405, title, mark: "bad" },
    html`<p>${text} A web page sends to it with <code>&lt;form method="post"&gt;</code>.</p>`,
  );
  answer.headers.set("Allow", "POST, OPTIONS");
  return answer;
}

/** The page for a person at an address that does not exist. */
export function missingPage(): Promise<Response> {
  return page(
    { status: 404, title: "There is nothing here", mark: "bad" },
    html`<p>This address has no page.</p>`,
  );
}
