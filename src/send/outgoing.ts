import { AppError } from "../base/errors.ts";
import { type Attempt, unanswered } from "../delivery/attempt.ts";
import type { Outgoing, WebhookDelivery } from "../delivery/outgoing.ts";
import { chatRequest } from "./chat/requests.ts";
import { type OutgoingRequest, askOnce, sendRequest, sentRequest } from "./request.ts";
import { checkTarget, createSendPolicy } from "./route.ts";
import type { MailConfig } from "./mail/service.ts";
import { createServiceMailer } from "./mail/service-mailer.ts";
import { createMailer } from "./smtp.ts";

/** The operator's settings for outgoing connections. */
export type OutgoingConfig = {
  /** Addresses and CIDR ranges that targets may have although they are not public. */
  targetNetworks: string[];
  /** The mail server or the mail service; null for none. */
  mail: MailConfig | null;
};

/**
 * Returns the port of outgoing connections; `close` ends those of mail that is being sent. `now` is in milliseconds since
 * 1970, `version` is named to receivers. Throws `invalid` for a mail server as `createMailer` does.
 */
export function createOutgoing(
  { targetNetworks, mail }: OutgoingConfig,
  now: () => number,
  version: string,
): Outgoing & { close(): void } {
  const policy = createSendPolicy(targetNetworks, now);
  const sender = mail && {
    mailer: "service" in mail ? createServiceMailer(mail) : createMailer(mail),
    from: mail.from,
    inspect: async () => (await import("./mail/sender-dns.ts")).inspectSender(mail),
  };
  return {
    check: (target) => checkTarget(policy, target),
    async sendWebhook(delivery, signal, onRequest) {
      const body = await bodyOf(delivery);
      if (typeof body !== "string") return body;
      const request = webhookRequest(delivery, now(), version, body);
      onRequest?.(sentRequest(request));
      return sendRequest(policy, request, { signal });
    },
    ask: (delivery, timeoutMs) => askOnce(policy, webhookRequest(delivery, now(), version), timeoutMs),
    async sendChat(kind, url, message, signal, onRequest) {
      const request = chatRequest(kind, url, message, version);
      onRequest?.(sentRequest(request));
      return sendRequest(policy, request, { signal });
    },
    mail: sender,
    close: () => sender?.mailer.close(),
  };
}

/** An event as JSON. It is joined, because parsing the data would round its numbers. */
function eventOf({ type, createdAt, data }: WebhookDelivery): string {
  return `{"type":${JSON.stringify(type)},"timestamp":${JSON.stringify(createdAt)},"data":${data}}`;
}

/** The body of a webhook; the attempt that has failed if its template yields none. */
async function bodyOf(delivery: WebhookDelivery): Promise<string | Attempt> {
  const { request } = delivery;
  const event = eventOf(delivery);
  if (request?.body == null) return event;
  const { renderJsonBody } = await import("../delivery/requests/json-body.ts");
  try {
    return renderJsonBody(request.body, event);
  } catch (error) {
    if (error instanceof AppError) return { ...unanswered(error.message, false), outcome: "refused" };
    throw error;
  }
}

/**
 * The request of a webhook with a body, signed at the time `now`, in milliseconds since 1970, as Standard Webhooks specifies.
 * Every attempt has its own signature, since receivers refuse timestamps older than minutes.
 */
export function webhookRequest(
  delivery: WebhookDelivery,
  now: number,
  version: string,
  body = eventOf(delivery),
): OutgoingRequest {
  const { url, id, secrets, traceparent, request } = delivery;
  const { method, headers = [] } = request ?? {};
  const isNamed = headers.some(({ name }) => /^user-agent$/i.test(name));
  const timestamp = String(Math.floor(now / 1000));
  const head = `${id}.${timestamp}.`;
  return {
    ...(method && { method }),
    url,
    body,
    secretHeaders: headers.map(({ name }) => name),
    headers: {
      ...(!isNamed && { "User-Agent": `formflag/${version}` }),
      ...Object.fromEntries(headers.map(({ name, value }) => [name, value])),
      "Content-Type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      "webhook-signature": secrets.map((secret) => `v1,${sign(secret, head, body)}`).join(" "),
      ...(traceparent !== undefined && { traceparent }),
    },
  };
}

/** HMAC-SHA256 in base64. The specification's library hashes in JavaScript, which takes 10 to 20 ms for a body of 1 MiB. */
function sign(secret: string, head: string, body: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  return new Bun.CryptoHasher("sha256", key).update(head).update(body).digest("base64");
}
