import type { Attempt } from "../../src/delivery/attempt.ts";
import { delivered } from "../../src/delivery/attempt.ts";
import type { MailMessage } from "../../src/delivery/message.ts";
import type { ChatMessage, Outgoing, WebhookDelivery } from "../../src/delivery/outgoing.ts";

type Sent =
  | { webhook: WebhookDelivery }
  | { chat: ChatMessage; kind: string; url: string }
  | { mail: MailMessage };

/** Outgoing connections that go nowhere: `answer` decides about each attempt, and `sent` holds what was sent. */
export function fakeOutgoing(
  answer: (sent: Sent, signal?: AbortSignal) => Attempt | Promise<Attempt> = () => delivered(200),
  hasMail = true,
): Outgoing & { sent: Sent[] } {
  const sent: Sent[] = [];
  const send = async (what: Sent, signal?: AbortSignal) => {
    sent.push(what);
    return answer(what, signal);
  };
  return {
    sent,
    check: async () => {},
    sendWebhook: (webhook, signal) => send({ webhook }, signal),
    sendChat: (kind, url, chat, signal) => send({ chat, kind, url }, signal),
    mail: hasMail
      ? {
          mailer: { send: (mail) => send({ mail }), close: () => {} },
          from: { name: "Forms", address: "forms@example.com" },
        }
      : null,
  };
}
