import type { Attempt } from "./attempt.ts";

/** A mail address with a display name, which may be empty. */
export type Mailbox = { name: string; address: string };

export type Attachment = {
  /** For display, as its sender chose it. */
  name: string;
  /** The media type that the sender named. */
  type: string;
  /** Bytes. */
  size: number;
  /** Opens the bytes. Called at most once for each attempt. */
  open(): Promise<ReadableStream<Uint8Array>>;
};

/** An email to one recipient. Its texts may come from strangers: the mailer encodes each for its place. */
export type MailMessage = {
  /** The Message-ID (RFC 5322, 3.6.4) with its angle brackets. */
  id: string;
  from: Mailbox;
  to: string;
  replyTo: string | null;
  /** Milliseconds since 1970. */
  date: number;
  /** The value of `Auto-Submitted` (RFC 3834, 5); null for a mail that a user wrote. */
  autoSubmitted: "auto-generated" | "auto-replied" | null;
  /** The Message-ID of the message that this one answers (RFC 5322, 3.6.4). */
  answers?: string;
  /** The link by which its recipient unsubscribes with one request (RFC 8058). */
  unsubscribe?: string;
  subject: string;
  text: string;
  html: string;
  attachments: Attachment[];
};

/** The port of email. */
export type Mailer = {
  /**
   * Sends a message. If its content is refused with attachments, sends `withoutAttachments` at once. An error while an
   * attachment is read is thrown as it is, and nothing is sent.
   */
  send(message: MailMessage, withoutAttachments?: MailMessage | null): Promise<Attempt>;
  /** Ends the connections of messages that are being sent, which become attempts to retry. */
  close(): void;
};
