import { clock } from "../base/clock.ts";
import type { NodemailerError, SendMailOptions } from "nodemailer";
import { shortFileName } from "../base/file-name.ts";
import { isMailAddress } from "../delivery/address.ts";
import type { Attempt } from "../delivery/attempt.ts";
import type { Attachment, MailMessage, Mailer } from "../delivery/message.ts";
import { failedAttempt, isContentRefused, NO_ADDRESS } from "./smtp-result.ts";
import {
  type SmtpConfig,
  type Timeouts,
  checkMailConfig,
  openTransport,
  secretsOf,
} from "./smtp-transport.ts";

/** Milliseconds; `message` is for the whole of one. */
const TIMEOUTS: Timeouts & { message: number } = { connect: 10_000, silent: 30_000, message: 300_000 };

/**
 * Returns a mailer that opens one connection for each message. Throws `invalid` for a user without a password, and for a
 * certificate or a DKIM key that cannot be read.
 */
export function createMailer(config: SmtpConfig, timeouts = TIMEOUTS): Mailer {
  checkMailConfig(config);
  const secrets = secretsOf(config);
  const closing = new AbortController();

  async function attempt(message: MailMessage): Promise<Failure | null> {
    const { transporter, command } = await openTransport(config, timeouts);
    const limit = new AbortController();
    const timer = clock.after(timeouts.message, () => limit.abort());
    const files = openFiles(message.attachments);
    try {
      const signal = AbortSignal.any([closing.signal, limit.signal]);
      await transporter.sendMail({ ...mailOptions(message), attachments: files.options, signal });
      return null;
    } catch (error) {
      files.throwFailure();
      if (limit.signal.aborted) {
        const message = `not sent within ${timeouts.message / 1000} s`;
        return { error: Object.assign(error as Error, { message }), command: command() };
      }
      if (isMailError(error)) return { error, command: command() };
      throw error;
    } finally {
      timer.close();
    }
  }

  return {
    async send(message, withoutAttachments = null) {
      if (!isMailAddress(message.to)) return NO_ADDRESS;
      const first = await attempt(message);
      const isRepeated = first !== null && withoutAttachments !== null && isContentRefused(first.error);
      const failure = isRepeated ? await attempt(withoutAttachments) : first;
      if (failure === null) return DELIVERED;
      const { error, command } = failure;
      const { silent } = timeouts;
      return failedAttempt(error, { command, helo: config.helo, silent, secrets, recipient: message.to });
    },
    close: () => closing.abort(),
  };
}

/** An error, and the last command before it. */
type Failure = { error: NodemailerError; command: string | null };

const DELIVERED: Attempt = {
  outcome: "delivered",
  code: 250,
  error: null,
  retryAfter: null,
  isTargetDown: false,
};

/** A message as the library takes it, without its attachments. */
export function mailOptions(message: MailMessage): SendMailOptions {
  const { id, from, to, replyTo, date, answers, subject, text, html, attachments } = message;
  return {
    messageId: id,
    // Addresses are objects: the parser of address texts has sent mail to hosts that the text did not name.
    from: { ...from },
    to: { name: "", address: to },
    ...(replyTo === null ? {} : { replyTo: { name: "", address: replyTo } }),
    envelope: {
      from: { name: "", address: from.address },
      to: { name: "", address: to },
      size: sizeOf(text, html, attachments),
    },
    date: new Date(date),
    headers: automaticHeaders(message),
    ...(answers !== undefined && { inReplyTo: answers, references: answers }),
    subject,
    text,
    html,
    xMailer: false,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** The headers that tell a machine's mail from a person's. */
export function automaticHeaders({ autoSubmitted, unsubscribe }: MailMessage): Record<string, string> {
  if (autoSubmitted === null) return {};
  const list = unsubscribe !== undefined && {
    "List-Unsubscribe": `<${unsubscribe}>`,
    "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
  };
  // Else servers of Exchange answer an automatic reply with theirs.
  const suppress = autoSubmitted === "auto-replied" && { "X-Auto-Response-Suppress": "All" };
  return { "Auto-Submitted": autoSubmitted, ...suppress, ...list };
}

/** About the bytes of the encoded message, so that the server can refuse it before it is sent. */
function sizeOf(text: string, html: string, attachments: readonly Attachment[]): number {
  const encoded = attachments.reduce((sum, { size }) => sum + Math.ceil(size / 57) * 78, 0);
  return encoded + Buffer.byteLength(text) + Buffer.byteLength(html);
}

/** The attachments as the library takes them. They are opened when they are sent, one after the other. */
function openFiles(attachments: readonly Attachment[]) {
  const { Readable } = process.getBuiltinModule("node:stream");
  const failures: unknown[] = [];
  async function* read(attachment: Attachment) {
    try {
      yield* await attachment.open();
    } catch (cause) {
      failures.push(cause);
      // The library writes into the error that it gets.
      throw new Error("an attachment cannot be read", { cause });
    }
  }
  const options = attachments.map((attachment) => ({
    filename: attachmentFacts(attachment).name,
    contentType: attachmentFacts(attachment).type,
    contentDisposition: "attachment" as const,
    contentTransferEncoding: "base64" as const,
    content: Readable.from(read(attachment), { objectMode: false }),
  }));
  return {
    options,
    throwFailure() {
      if (failures.length > 0) throw failures[0];
    },
  };
}

/** The name and type of an attachment as mail carries them. */
export function attachmentFacts({ name, type }: Attachment): { name: string; type: string } {
  // A line of a header has at most 998 bytes (RFC 5322, 2.1.1).
  return { name: shortFileName(name || "file"), type: mediaType(type) };
}

/** A sender's media type without parameters; types that would change the structure of the message become bytes. */
function mediaType(type: string): string {
  const plain = type.split(";", 1)[0]!.trim().toLowerCase();
  return /^(?:application|audio|font|image|model|text|video)\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/.test(plain)
    ? plain
    : "application/octet-stream";
}

/** Whether the library reports a failure of the server or the network; anything else is a bug. */
function isMailError(error: unknown): error is NodemailerError {
  const codes = [
    "ECONNECTION",
    "ETIMEDOUT",
    "ESOCKET",
    "EDNS",
    "ETLS",
    "EPROTOCOL",
    "EENVELOPE",
    "EMESSAGE",
    "EAUTH",
    "EABORT",
  ];
  return error instanceof Error && codes.includes((error as NodemailerError).code ?? "");
}
