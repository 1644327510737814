import { messageId, plainAddress } from "./address.ts";
import type { MailMessage, Mailbox } from "./message.ts";
import { type TemplateField, renderTemplate } from "./template.ts";
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
};

const DEFAULT_SUBJECT = "We received your message";

const DEFAULT_TEXT = `Thank you. We received your message.

This is an automatic reply.
`;

/** Characters of a value, of a field name and of the subject. */
const MAX_TEXT = 200;

/**
 * The message that confirms a submission to its sender; null where the address is not one plain address. Anybody can have it
 * sent to anybody, so no text of the submission can be a link or have more than a line.
 */
export function buildAutoreply({ id, from, to, now, data, subject, text }: Autoreply): MailMessage | null {
  const address = plainAddress(to);
  if (address === null) return null;
  const fields = safeFields(data);
  const body = renderTemplate(text ?? DEFAULT_TEXT, fields);
  return {
    id: messageId(id, from),
    from,
    to: address,
    replyTo: null,
    date: now,
    autoSubmitted: "auto-replied",
    subject: oneLine(renderTemplate(subject ?? DEFAULT_SUBJECT, fields), MAX_TEXT) || DEFAULT_SUBJECT,
    text: body,
    html: mailHtml(escapeHtml(body).replaceAll(/\r?\n/g, "<br>\n"), { language: null }),
    attachments: [],
  };
}

function safeFields(data: string): TemplateField[] {
  return Object.entries(parseFields(data)).map(([name, value]) => ({
    name: withoutLinks(name),
    value: withoutLinks(textOf(value)),
  }));
}

/** The whole of a text; enough of anything else to fill a line. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value : describeValue(value, 100 * MAX_TEXT).text;
}

/** A text as one line of at most 200 characters; empty where it holds a link. */
function withoutLinks(text: string): string {
  const line = oneLine(text, MAX_TEXT);
  // A mail program may skip invisible characters, and take full-width characters for the plain ones.
  const visible = line.replaceAll(/\p{Cf}/gu, "").normalize("NFKC");
  return [text, visible].some((form) => /:\/\/|www\./i.test(form)) ? "" : line;
}
