import { normalize } from "../base/normalize.ts";
import { messageId, plainAddress } from "./address.ts";
import type { MailMessage, Mailbox } from "./message.ts";
import { type TemplateField, membersOf, renderTemplate, renderValues } from "./template.ts";
import { describeValue, escapeHtml, mailHtml, oneLine, parseFields } from "./text.ts";

/** An automatic reply to the person who filled in a form. */
export type Autoreply = {
  /** The id of the delivery. */
  id: string;
  from: Mailbox;
  /** The sender's address. */
  to: string;
  /** Milliseconds since 1970, when the message is sent. */
  now: number;
  /** A JSON object. */
  data: string;
  /** Templates, or null for the defaults. */
  subject: string | null;
  text: string | null;
  /** Templates in place of those of an automatic reply. */
  defaults?: readonly [subject: string, text: string];
  /** The tag `{{link}}` of the templates. */
  link?: string;
  /** The link by which its recipient unsubscribes. */
  unsubscribe?: string | null | undefined;
};

const DEFAULTS = [
  "We received your message",
  `Thank you. We received your message.

This is an automatic reply.
`,
] as const;

/** Characters of a value, of a field name and of the subject. */
const MAX_TEXT = 200;

/**
 * An automatic message to the sender of a submission; null if the address is not one plain address. Anyone can have
 * it sent to anyone, so no text of the submission can be a link or longer than a line.
 */
export function buildAutoreply({
  id,
  from,
  to,
  now,
  data,
  subject,
  text,
  defaults: [defaultSubject, defaultText] = DEFAULTS,
  link,
  unsubscribe = null,
}: Autoreply): MailMessage | null {
  const address = plainAddress(to);
  if (address === null) return null;
  const fields = safeFields(data, address);
  // The recipient's own address is none that leads anywhere.
  const others = fields.map((field) => (field.value === address ? { ...field, value: " " } : field));
  // A template may put values side by side, which together are a link.
  const own = link === undefined ? [] : [{ name: "link", value: link }];
  const render = (template: string) =>
    renderTemplate(template, [...(hasLink(renderValues(template, others)) ? [] : fields), ...own]);
  const body = render(text ?? defaultText);
  const lines = escapeHtml(body).replaceAll(/\r?\n/g, "<br>\n");
  const linked = link === undefined ? lines : lines.replaceAll(link, `<a href="${link}">${link}</a>`);
  return {
    id: messageId(id, from),
    from,
    to: address,
    replyTo: null,
    date: now,
    autoSubmitted: "auto-replied",
    ...(unsubscribe != null && { unsubscribe }),
    subject: oneLine(render(subject ?? defaultSubject), MAX_TEXT) || defaultSubject,
    text: body,
    html: mailHtml(linked, { language: null }),
    attachments: [],
  };
}

function safeFields(data: string, recipient: string): TemplateField[] {
  return Object.entries(parseFields(data)).map(([name, value]) => {
    const text = textOf(value);
    const isOwn = PLAIN_NAME.test(recipient) && plainAddress(text) === recipient;
    return {
      name: withoutLinks(name),
      value: isOwn ? recipient : withoutLinks(text),
      members: membersOf(value, (each) => withoutLinks(textOf(each))),
    };
  });
}

/** An address that mail programs show as one: others may hold a path behind what looks like a domain. */
const PLAIN_NAME = /^[\w.+-]+@/;

/** The whole of a text; enough of anything else to fill a line. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value : describeValue(value, 100 * MAX_TEXT).text;
}

/**
 * Text that mail programs turn into a link: a scheme, and a domain or IPv4 address without one, as in
 * `shop.example/reset`. Two letters after a dot count as the end of a domain, as no list of these is complete; the
 * full stop of Chinese and Japanese is a dot in domains too.
 */
const LINK = /:\/\/|www\.|(?:[^\s\p{P}]|[-_])[.。][\p{L}\p{M}]{2}|\d{1,3}(?:\.\d{1,3}){3}/iu;

/** A text as one line of at most 200 characters; empty if it holds a link. */
function withoutLinks(text: string): string {
  const line = oneLine(text, MAX_TEXT);
  return LINK.test(text) || hasLink(line) ? "" : line;
}

function hasLink(text: string): boolean {
  // A mail program may skip invisible characters, and take full-width characters for the plain ones.
  const visible = normalize(text.replaceAll(/\p{Cf}/gu, ""), "NFKC");
  return [text, visible].some((form) => LINK.test(form));
}
