import { messageId, plainAddress } from "./address.ts";
import type { MailMessage, Mailbox } from "./message.ts";
import type { AnswerContent } from "./store.ts";
import {
  describeValue,
  escapeHtml,
  htmlLines,
  mailHtml,
  oneLine,
  parseFields,
  plainText,
  timeIn,
} from "./text.ts";

/** An answer that a user wrote to the person who filled in a form. */
export type Reply = {
  /** The id of the delivery. */
  id: string;
  from: Mailbox;
  /** The sender's address. */
  to: string;
  /** Milliseconds since 1970, when the message is sent. */
  now: number;
  answer: AnswerContent;
  /** The submission: a JSON object as text, and when it arrived, in milliseconds since 1970. */
  data: string;
  createdAt: number;
  /** The zone in which it arrived on a day; null for UTC. */
  timeZone?: string | null;
};

/** Characters of the quoted submission, and of its subject. */
const MAX_QUOTE = 10_000;
const MAX_SUBJECT = 200;

/** The message of an answer, which quotes the submission; null if the address is not one plain address. */
export function buildReply(reply: Reply): MailMessage | null {
  const { id, from, to, now, answer, data, createdAt, timeZone = null } = reply;
  const address = plainAddress(to);
  if (address === null) return null;
  const text = plainText(answer.text).trim();
  const { text: fields, isCut } = describeValue(parseFields(data), MAX_QUOTE);
  const quoted = `${fields}${isCut ? "…" : ""}`;
  const intro = `On ${timeIn(createdAt, timeZone).slice(0, 10)}, ${address} wrote:`;
  const thread = messageId(answer.thread, from);
  const lines = quoted.split("\n").map((line) => `> ${line}`);
  return {
    id: messageId(id, from),
    from,
    to: address,
    replyTo: null,
    date: now,
    autoSubmitted: null,
    answers: thread,
    subject: oneLine(answer.subject, MAX_SUBJECT),
    text: `${text}\n\n${intro}\n${lines.join("\n")}\n`,
    html: mailHtml(
      `<p>${htmlLines(text)}</p>\n<p>${escapeHtml(intro)}</p>\n<blockquote>${htmlLines(quoted)}</blockquote>`,
      { language: null },
    ),
    attachments: [],
  };
}
