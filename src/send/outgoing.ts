import type { Outgoing, WebhookDelivery } from "../delivery/outgoing.ts";
import { chatRequest } from "./chat/requests.ts";
import { type OutgoingRequest, sendRequest } from "./request.ts";
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
    async sendWebhook(delivery, signal) {
      return sendRequest(policy, webhookRequest(delivery, now(), version), { signal });
    },
    async sendChat(kind, url, message, signal) {
      return sendRequest(policy, chatRequest(kind, url, message, version), { signal });
    },
    mail: sender,
    close: () => sender?.mailer.close(),
  };
}

/**
 * The request of a webhook, signed at the time `now`, in milliseconds since 1970, as Standard Webhooks specifies. Every
 * attempt is signed anew, since receivers refuse timestamps older than minutes.
 */
export function webhookRequest(
  { url, id, type, secrets, data, createdAt, traceparent }: WebhookDelivery,
  now: number,
  version: string,
): OutgoingRequest {
  // Joined, because parsing the data would round its numbers.
  const body = `{"type":${JSON.stringify(type)},"timestamp":${JSON.stringify(createdAt)},"data":${data}}`;
  const timestamp = String(Math.floor(now / 1000));
  const head = `${id}.${timestamp}.`;
  return {
    url,
    body,
    headers: {
      "Content-Type": "application/json",
      "User-Agent": `formflag/${version}`,
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
