import type { Attempt } from "./attempt.ts";
import type { SenderDns } from "./mail-test-schema.ts";
import type { Mailbox, Mailer } from "./message.ts";
import type { ChatKind, Target, TargetRequest } from "./target.ts";

/** The content of one delivery to a webhook. */
export type WebhookDelivery = {
  url: string;
  /** The id of the delivery, the same in every attempt, without a dot. */
  id: string;
  /** The event, such as `submission.created`. */
  type: string;
  /** One secret, or during an overlap two; each signs. */
  secrets: readonly string[];
  /** The submission as JSON text. */
  data: string;
  /** When the submission arrived, in ISO 8601. */
  createdAt: string;
  /** A request in place of a POST of the event. */
  request?: TargetRequest | null;
  /** The span of the attempt, for the receiver. */
  traceparent?: string;
};

/** The content of a chat message: plain texts without markup. */
export type ChatMessage = {
  title: string;
  fields: readonly (readonly [name: string, text: string])[];
  /** The last line, which stays if the fields are too long: where the submission is found. */
  link: string;
};

/** A request as it is shown: the URL is masked, and secret headers are `…`. */
export type SentRequest = { method: string; url: string; headers: Record<string, string>; body: string };

/** The port of outgoing connections. An attempt rejects only with the reason of its signal, or for a bug. */
export type Outgoing = {
  /** Throws `invalid` unless requests can be sent to a target: its name resolves, to addresses that are permitted. */
  check(target: Target): Promise<void>;
  sendWebhook(
    delivery: WebhookDelivery,
    signal: AbortSignal,
    /** Gets the request that is sent. */
    onRequest?: (request: SentRequest) => void,
  ): Promise<Attempt>;
  /** Sends a webhook once, and returns the start of the body of a 2xx answer, or why not; all within a time, in milliseconds. */
  ask(delivery: WebhookDelivery, timeout: number): Promise<{ answer: string } | { error: string }>;
  sendChat(
    kind: ChatKind,
    url: string,
    message: ChatMessage,
    signal: AbortSignal,
    onRequest?: (request: SentRequest) => void,
  ): Promise<Attempt>;
  /** Null if no mail server is configured. */
  mail: {
    mailer: Mailer;
    from: Mailbox;
    /** The DNS records of the sender's domain; null for a domain that has none by definition. */
    inspect(): Promise<SenderDns | null>;
  } | null;
};
