import type { Outgoing } from "../delivery/outgoing.ts";
import { chatRequest } from "./chat/requests.ts";
import { sendRequest } from "./request.ts";
import { checkTarget, createSendPolicy } from "./route.ts";
import type { MailConfig } from "./smtp-transport.ts";
import { createMailer } from "./smtp.ts";
import { webhookRequest } from "./webhook.ts";

/** The operator's settings for outgoing connections. */
export type OutgoingConfig = {
  /** Addresses and CIDR ranges that targets may have although they are not public. */
  targetNetworks: string[];
  /** The mail server; null for none. */
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
  const sender = mail && { mailer: createMailer(mail), from: mail.from };
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
