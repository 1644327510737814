import type { Mailbox } from "../../delivery/message.ts";
import type { SmtpConfig } from "../smtp-transport.ts";

/** A mail service that takes messages over HTTPS, as an operator names it. */
export type ServiceConfig = {
  service: ServiceName;
  /** The domain of the sender, or the region, where the service has one. */
  place: string;
  /** Where its interface is, without a slash at the end. */
  endpoint: string;
  key: string | null;
  /** Of a key that is valid for some hours (AWS). */
  sessionToken: string | null;
  /** Certificates in PEM that replace the built-in ones, or null. */
  ca: string | null;
  from: Mailbox;
  /** A name server, as an address and a port, in place of the system's; null without. */
  nameServer: string | null;
};

/** A mail server or a mail service. */
export type MailConfig = SmtpConfig | ServiceConfig;

/** A message as services take it. */
export type Letter = {
  /** The Message-ID with its angle brackets. */
  id: string;
  from: Mailbox;
  to: string;
  replyTo: string | null;
  subject: string;
  text: string;
  html: string;
  /** Headers that mail has besides: its Message-ID and, for example, `In-Reply-To`. */
  headers: Readonly<Record<string, string>>;
  files: readonly { name: string; type: string; base64: string }[];
  /** The whole message (RFC 5322). */
  raw: () => Promise<Buffer<ArrayBuffer>>;
};

type ServiceRequest = {
  /** Below the endpoint. */
  path: string;
  headers: Record<string, string>;
  body: string | FormData;
};

/** The answer of a service to a message that it did not take. */
type Refusal = {
  message: string;
  /** Whether the operator has to correct something, such as the sender's domain: the message itself may be fine. */
  isOperators: boolean;
};

/** The interface of a mail service: how a message is sent, and how its refusals read. */
export type Service = {
  request: (letter: Letter, config: ServiceConfig & { key: string }) => Promise<ServiceRequest>;
  /** Reads the JSON of an answer that is not 2xx; `{}` for one that is not JSON. */
  refusal: (answer: Answer) => Refusal;
};

type Answer = { status: number; headers: Headers; json: Readonly<Record<string, unknown>> };

/**
 * The services: the part of a URL behind `://`, the mechanism of SPF that names their servers where the sender's own domain has
 * to, and where the interface is.
 */
export const SERVICES = {
  resend: { place: null, spf: null, endpoint: () => "https://api.resend.com" },
  postmark: { place: null, spf: null, endpoint: () => "https://api.postmarkapp.com" },
  brevo: { place: null, spf: "include:spf.brevo.com", endpoint: () => "https://api.brevo.com" },
  sendgrid: {
    place: null,
    spf: null,
    endpoint: (_place: string, region: string | null) =>
      `https://api${region === "eu" ? ".eu" : ""}.sendgrid.com`,
  },
  mailgun: {
    place: "domain",
    spf: "include:mailgun.org",
    endpoint: (_place: string, region: string | null) =>
      `https://api${region === "eu" ? ".eu" : ""}.mailgun.net`,
  },
  ses: { place: "region", spf: null, endpoint: (place: string) => `https://email.${place}.amazonaws.com` },
} as const satisfies Record<
  string,
  { place: "domain" | "region" | null; spf: string | null; endpoint: Endpoint }
>;

type Endpoint = (place: string, region: string | null) => string;

export type ServiceName = keyof typeof SERVICES;

/** Services that keep what they store within a region. */
export const REGIONS: ReadonlySet<string> = new Set<ServiceName>(["mailgun", "sendgrid"]);

/** `Name <address>`, with a name that may have any character. */
export function mailboxText({ name, address }: Mailbox): string {
  return name === "" ? address : `"${name.replaceAll(/["\\]/g, "\\$&")}" <${address}>`;
}

/** A text of an answer. */
export function textIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The first object of a list in an answer. */
export function firstIn(value: unknown): Record<string, unknown> {
  const [first] = Array.isArray(value) ? (value as unknown[]) : [];
  return typeof first === "object" && first !== null ? (first as Record<string, unknown>) : {};
}
