import { html, raw } from "hono/html";
import type { HtmlEscapedString } from "hono/utils/html";
import { NO_SNIFF } from "../../security.ts";
import { ENGLISH_READER, type Reader } from "./reader.ts";

const STYLE = `
:root { color-scheme: light dark; --ink: #1c2024; --soft: #60646c; --paper: #fcfcfd; --card: #fff; --line: #e0e1e6; --accent: #0b68cb; --good: #18794e; --bad: #c62a2f }
@media (prefers-color-scheme: dark) { :root { --ink: #edeef0; --soft: #b0b4ba; --paper: #111113; --card: #18191b; --line: #363a3f; --accent: #70b8ff; --good: #3dd68c; --bad: #ff9592 } }
* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; min-height: 100dvh; display: grid; place-items: center; padding: 1.25rem; background: var(--paper); color: var(--ink); font: 1.0625rem/1.6 system-ui, sans-serif }
main { width: 100%; max-width: 30rem; padding: clamp(1.5rem, 6vw, 2.75rem); background: var(--card); border: 1px solid var(--line); border-radius: 1rem }
.mark { display: block; width: 3rem; height: 3rem; margin: 0 0 1.25rem }
.good { color: var(--good) } .bad { color: var(--bad) }
h1 { margin: 0 0 .5rem; font-size: 1.5rem; line-height: 1.25; letter-spacing: -.01em; text-wrap: balance }
p { margin: 0 0 1rem; overflow-wrap: anywhere } p:last-child { margin-bottom: 0 }
.lines { white-space: pre-line }
ul { margin: 0 0 1rem; padding-left: 1.25rem; overflow-wrap: anywhere }
.soft { color: var(--soft); font-size: .9375rem }
a.back { display: inline-block; margin-top: .5rem; padding: .6rem 1.1rem; border: 1px solid var(--line); border-radius: .6rem; color: var(--accent); font-weight: 600; text-decoration: none }
a.back:hover { border-color: var(--accent) } a.back:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
`;

const BUTTON = `
button { margin-top: .5rem; padding: .6rem 1.1rem; border: 0; border-radius: .6rem; background: var(--accent); color: var(--card); font: inherit; font-weight: 600; cursor: pointer }
button:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
`;

const MARKS = {
  good: '<path d="M7.5 12.5l3 3 6-6.5"/>',
  bad: '<path d="M12 7.5v5.5M12 16.4v.1"/>',
} as const;

/** HTML in which values were escaped. */
export type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

type Document = {
  status: number;
  /** The title of the window. */
  title: string;
  reader: Reader;
  /** Styles besides those of every page. */
  style?: string;
  /** The colour of links and buttons, as `#rrggbb`; null for the usual one. */
  accent?: string | null | undefined;
  /** Directives of the page's Content-Security-Policy besides its styles. */
  policy?: readonly string[];
};

/**
 * Returns a page whose policy allows its styles, by their hash, and what `policy` adds, and no script otherwise (CSP
 * level 3). The `html` tag escapes the values in it.
 */
export async function htmlPage(
  { status, title, reader, style = "", accent = null, policy = ["form-action 'none'"] }: Document,
  main: Html,
): Promise<Response> {
  const text = STYLE + style + (accent === null ? "" : accentStyle(accent));
  const hash = new Bun.CryptoHasher("sha256").update(text).digest("base64");
  const directives = ["default-src 'none'", `style-src 'sha256-${hash}'`, "base-uri 'none'"];
  const document = await html`<!doctype html>
<html lang="${reader.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
${raw(`<style>${text}</style>`)}
</head>
<body>
<main>
${main}
</main>
</body>
</html>
`;
  return new Response(document.toString(), {
    status,
    headers: {
      ...NO_SNIFF,
      "Content-Type": "text/html; charset=utf-8",
      "Content-Language": reader.language,
      "Content-Security-Policy": [...directives, ...policy, "frame-ancestors 'none'"].join("; "),
      "Referrer-Policy": "no-referrer",
      "Cache-Control": "no-store",
      ...(reader.isAsked && { Vary: "Accept-Language" }),
    },
  });
}

/** On a dark page, a colour that is strong enough on white is mixed with white. */
function accentStyle(accent: string): string {
  return `
:root { --accent: ${accent} }
@media (prefers-color-scheme: dark) { :root { --accent: color-mix(in oklab, ${accent} 45%, #fff) } }
`;
}

/** Returns a page with one message, below a sign. */
export async function page(
  {
    status,
    title,
    mark,
    reader = ENGLISH_READER,
    hasForm = false,
    accent,
  }: {
    status: number;
    title: string;
    mark: keyof typeof MARKS;
    reader?: Reader;
    /** Whether the content has a form that is sent to this server. */
    hasForm?: boolean;
    accent?: string | null | undefined;
  },
  content: Html,
): Promise<Response> {
  const answer = await htmlPage(
    { status, title, reader, accent, ...(hasForm && { policy: ["form-action 'self'"], style: BUTTON }) },
    html`<svg class="mark ${mark}" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><circle cx="12" cy="12" r="10"/>${raw(MARKS[mark])}</svg>
<h1>${title}</h1>
${content}`,
  );
  // A script that posts a form follows the redirect here.
  answer.headers.set("Access-Control-Allow-Origin", "*");
  return answer;
}

/**
 * A link to the page that the visitor came from, or to its website if the browser sends no more, and a hint at the back
 * button, which also restores what they typed.
 */
export function wayBack(referer: string | undefined, { texts: { back } }: Reader = ENGLISH_READER): Html {
  const button = html`<p class="soft">${back.button}</p>`;
  const isWebPage = referer !== undefined && /^https?:\/\//i.test(referer) && URL.canParse(referer);
  if (!isWebPage) return button;
  const { href, pathname } = new URL(referer);
  return html`<p><a class="back" href="${href}">${pathname === "/" ? back.website : back.form}</a></p>
${button}`;
}
