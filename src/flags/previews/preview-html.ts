import { own } from "../../base/shapes/own.ts";
import { FilterXSS, escapeAttrValue, friendlyAttrValue } from "xss";
import { PREVIEW_LIMITS } from "../limits.ts";

const PLAIN_TAGS = `p br hr h1 h2 h3 h4 h5 h6 blockquote pre ul li
  em strong b i u s del ins mark small sub sup kbd`.split(/\s+/);

/** The tags that are kept, with their attributes. */
const TAGS: Record<string, string[]> = {
  ...Object.fromEntries(PLAIN_TAGS.map((tag) => [tag, []])),
  a: ["href", "title"],
  code: ["class"],
  img: ["src", "alt", "title"],
  ol: ["start"],
};

/**
 * The start of addresses that are kept: web and mail addresses, and those relative to the page. No character before the
 * first colon can be an entity or be ignored by a browser.
 */
const ADDRESS = /^(?:https?:\/\/|mailto:|tel:|[/?#]|[\w.~%-]+(?:[/?#]|$))/i;

const VALUES: Record<string, RegExp> = {
  href: ADDRESS,
  src: ADDRESS,
  class: /^language-[\w+#-]{1,40}$/,
  start: /^\d{1,9}$/,
};

/** A name, and the value that may follow it in quotes or without. */
const ATTRIBUTE = /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<=>`]+)))?/g;

const filter = new FilterXSS({
  whiteList: TAGS,
  css: false,
  stripIgnoreTag: true,
  stripIgnoreTagBody: ["script", "style", "iframe", "object", "template", "textarea", "title", "svg", "math"],
  // Attributes are read here, because the library takes time quadratic in those without a value.
  onTag: (tag, html, { isWhite, isClosing }) =>
    isWhite && !isClosing
      ? `<${[tag, ...attributesOf(tag, html)].join(" ")}${html.endsWith("/>") ? " /" : ""}>`
      : undefined,
});

/** The attributes of a tag that are kept, each rewritten. */
function attributesOf(tag: string, html: string): string[] {
  const kept: string[] = [];
  const names = own(TAGS, tag)!;
  if (names.length === 0) return kept;
  for (const [, name = "", ...values] of html.slice(1 + tag.length).matchAll(ATTRIBUTE)) {
    const attribute = name.toLowerCase();
    if (!names.includes(attribute)) continue;
    const text = friendlyAttrValue(values.find((value) => value !== undefined) ?? "").trim();
    if (own(VALUES, attribute)?.test(text) === false) continue;
    kept.push(`${attribute}="${escapeAttrValue(text)}"`);
    if (attribute === "href") kept.push('rel="noopener nofollow"');
  }
  return kept;
}

/**
 * Renders Markdown (CommonMark) as HTML that is safe on any page: without scripts, styles, event handlers, forms and
 * frames, and with links only to web and mail addresses. Returns null if the HTML is larger than `PREVIEW_LIMITS.html`
 * bytes.
 */
export function renderMarkdown(markdown: string): string | null {
  // CommonMark alone: without tables, the HTML grows only in proportion to the text.
  const html = Bun.markdown.html(markdown, { tables: false, strikethrough: false, tasklists: false });
  if (Buffer.byteLength(html) > PREVIEW_LIMITS.html) return null;
  return filter.process(html);
}
