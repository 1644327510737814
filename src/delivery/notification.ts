import { KiB, formatBytes } from "../base/bytes.ts";
import { findSenderAddress, messageId } from "./address.ts";
import type { Attachment, MailMessage, Mailbox } from "./message.ts";
import { type TemplateField, membersOf, renderTemplate } from "./template.ts";
import {
  type SeenVariants,
  describeFlags,
  describeValue,
  escapeHtml,
  htmlLines,
  mailHtml,
  oneLine,
  parseFields,
  timeIn,
} from "./text.ts";

/** The content of a notification of a submission to one recipient. */
export type Notification = {
  /** The id of the delivery. */
  id: string;
  from: Mailbox;
  /** One plain address. */
  to: string;
  /** Milliseconds since 1970, when the message is sent. */
  now: number;
  form: { slug: string; name: string };
  /** `data` is a JSON object, `createdAt` milliseconds since 1970. */
  submission: { id: string; data: string; createdAt: number; flags?: SeenVariants };
  files: NotifiedFile[];
  /** The field with the sender's address, if the form names one. */
  emailField: string | null;
  /** The first field that the form's schema describes as an email address. */
  schemaEmailField: string | null;
  /** A template, or null for the title. */
  subject: string | null;
  /** The title of the submission; empty if it has nothing. */
  title: string;
  /** Bytes of files that are attached; beyond them, all files are links. */
  attach: number;
  /** The zone of the time in it; null for UTC. */
  timeZone?: string | null;
  /** Submissions in the form's spam folder. */
  spam: number;
  /** Links for the recipient; null for none. */
  links?: SubmissionLinks | null;
};

/** The page of a submission in the dashboard, null without one, and a signed link that marks it as spam. */
export type SubmissionLinks = { page: string | null; spam: string };

/** A file of a submission, with a signed link to it. */
export type NotifiedFile = Attachment & { url: string };

/** A message, and the same with links, to send if the attachments are refused; null if it has none. */
type Variants = { message: MailMessage; withoutAttachments: MailMessage | null };

/** Characters of one value and of all values, so that a message stays readable and small: the submission has the rest. */
const MAX_VALUE = 32 * KiB;
const MAX_VALUES = 128 * KiB;

const MAX_SUBJECT = 200;

/** A field as text; `isCut` if the value is longer. */
type Row = { name: string; text: string; isCut: boolean };

/** The message to a form's owner about a submission. Replies go to the sender if a field holds one plain address. */
export function buildNotification(notification: Notification): Variants {
  const { id, from, to, now, files, emailField, schemaEmailField, attach } = notification;
  const data = parseFields(notification.submission.data);
  const rows = describeFields(data);
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const base = {
    id: messageId(id, from),
    from,
    to,
    replyTo: findSenderAddress(data, emailField, schemaEmailField),
    date: now,
    autoSubmitted: "auto-generated",
    subject: subjectOf(notification, data),
  } as const;
  const variant = (isAttached: boolean): MailMessage => ({
    ...base,
    text: textPart(notification, rows, isAttached),
    html: htmlPart(notification, rows, isAttached),
    attachments: isAttached ? files : [],
  });
  return files.length > 0 && bytes <= attach
    ? { message: variant(true), withoutAttachments: variant(false) }
    : { message: variant(false), withoutAttachments: null };
}

/** A value as one line of a subject. */
function lineOf(value: unknown): string {
  return oneLine(describeValue(value, 10 * MAX_SUBJECT).text, MAX_SUBJECT);
}

/** The heading of a message about a submission: its form and its title. */
export function headingOf(form: { name: string }, title: string): string {
  return title === "" ? `New submission to ${form.name}` : `${form.name}: ${title}`;
}

function subjectOf({ subject, form, title }: Notification, data: Record<string, unknown>): string {
  const fields = (): TemplateField[] =>
    Object.entries(data).map(([name, value]) => ({
      name: oneLine(name, MAX_SUBJECT),
      value: lineOf(value),
      members: membersOf(value, lineOf),
    }));
  const rendered = subject === null ? "" : oneLine(renderTemplate(subject, fields()), MAX_SUBJECT);
  return rendered || oneLine(headingOf(form, title), MAX_SUBJECT);
}

function describeFields(data: Record<string, unknown>): Row[] {
  let left = MAX_VALUES;
  return Object.entries(data).map(([name, value]) => {
    const described = describeValue(value, Math.min(MAX_VALUE, left));
    left -= described.text.length;
    return { name: oneLine(name, 200) || "(no name)", ...described };
  });
}

const CUT = "[The submission has the rest of this value.]";

function textPart(notification: Notification, rows: Row[], isAttached: boolean): string {
  const width = Math.min(24, Math.max(0, ...rows.map(({ name }) => name.length))) + 3;
  const field = ({ name, text, isCut }: Row) => {
    const value = isCut ? `${text}\n${CUT}` : text;
    // A line that a sender wrote is indented, so it cannot pass for another field or for the list of files.
    return `${`${name}: `.padEnd(width)}${value.replaceAll("\n", `\n${" ".repeat(width)}`)}`.trimEnd();
  };
  const file = (file: NotifiedFile) =>
    isAttached ? `  ${labelOf(file)}, attached` : `  ${labelOf(file)}\n  ${file.url}`;
  const parts = [
    headline(notification),
    rows.map(field).join("\n"),
    ...(notification.files.length > 0 ? [["Files:", ...notification.files.map(file)].join("\n")] : []),
    linksOf(notification)
      .map(([label, url]) => `${label}:\n  ${url}`)
      .join("\n"),
    foot(notification).join("\n"),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

/** Mail programs keep only inline styles. No colour of text or background is set, so that dark mode works. */
function htmlPart(notification: Notification, rows: Row[], isAttached: boolean): string {
  const cell = "padding:8px 12px;border-bottom:1px solid #999;text-align:left;vertical-align:top";
  const field = ({ name, text, isCut }: Row) =>
    `<tr><th scope="row" style="${cell}">${escapeHtml(name)}</th>` +
    `<td style="${cell};word-break:break-word">${htmlLines(text)}${isCut ? `<br><em>${CUT}</em>` : ""}</td></tr>`;
  const file = (file: NotifiedFile) => {
    const label = escapeHtml(labelOf(file));
    if (isAttached) return `<li>${label}, attached</li>`;
    return `<li>${htmlLink(label, escapeHtml(file.url))}</li>`;
  };
  const files =
    notification.files.length === 0
      ? ""
      : `<p>Files:</p>\n<ul>\n${notification.files.map(file).join("\n")}\n</ul>\n`;
  const links = linksOf(notification).map(([label, url]) => htmlLink(label, escapeHtml(url)));
  const content = `<p>${escapeHtml(headline(notification))}</p>
<table style="border-collapse:collapse;border-top:1px solid #999">
${rows.map(field).join("\n")}
</table>
${files}${links.length === 0 ? "" : `<p>${links.join("<br>\n")}</p>\n`}<p><small>${foot(notification).map(escapeHtml).join("<br>\n")}</small></p>`;
  return mailHtml(content, { title: notification.form.name });
}

/** A server without a public URL only knows the path, which is no link in a mail program. */
function htmlLink(label: string, url: string): string {
  return /^https?:\/\//.test(url) ? `<a href="${url}">${label}</a>` : `${label}: ${url}`;
}

function linksOf({ links }: Notification): [label: string, url: string][] {
  if (!links) return [];
  const page: [string, string][] = links.page === null ? [] : [["Open in the dashboard", links.page]];
  return [...page, ["Mark as spam", links.spam]];
}

function headline({ form, submission, timeZone = null }: Notification): string {
  return `${oneLine(form.name, 200)} received a submission on ${timeIn(submission.createdAt, timeZone)}.`;
}

function foot({ form, submission, spam }: Notification): string[] {
  const waiting =
    spam === 1 ? "1 submission waits in the spam folder." : `${spam} submissions wait in the spam folder.`;
  const flags = describeFlags(submission.flags ?? null);
  return [
    `Form ${form.slug}, submission ${submission.id}`,
    ...(flags === null ? [] : [`Flags: ${flags}`]),
    ...(spam > 0 ? [waiting] : []),
  ];
}

function labelOf({ name, size }: Attachment): string {
  return `${oneLine(name, 200) || "(no name)"} (${formatBytes(size)})`;
}
