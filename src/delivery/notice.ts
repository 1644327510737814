import { messageId } from "./address.ts";
import type { MailMessage, Mailbox } from "./message.ts";
import { escapeHtml, mailHtml } from "./text.ts";

/** A message to an operator. */
type Notice = {
  /** Unique to this message. */
  id: string;
  from: Mailbox;
  /** One plain address. */
  to: string;
  /** Milliseconds since 1970, when the message is sent. */
  now: number;
  subject: string;
  /** Paragraphs of plain text. */
  lines: readonly string[];
};

/** A message of plain paragraphs to an operator, without attachments and without a reply address. */
export function buildNotice({ id, from, to, now, subject, lines }: Notice): MailMessage {
  return {
    id: messageId(id, from),
    from,
    to,
    replyTo: null,
    date: now,
    autoSubmitted: "auto-generated",
    subject,
    text: `${lines.join("\n\n")}\n`,
    html: mailHtml(lines.map((line) => `<p>${escapeHtml(line)}</p>`).join("\n")),
    attachments: [],
  };
}
