import { type Attempt, delivered } from "../../../src/delivery/attempt.ts";
import type { MailMessage } from "../../../src/delivery/message.ts";
import type { ChatMessage, Outgoing, WebhookDelivery } from "../../../src/delivery/outgoing.ts";
import type { Target } from "../../../src/delivery/target.ts";

type Sent =
  | { webhook: WebhookDelivery }
  | { chat: ChatMessage; kind: string; url: string }
  | { mail: MailMessage };

/** Outgoing connections that go nowhere and remember what they were asked for. */
export type FakeOutgoing = Outgoing & {
  checked: Target[];
  sent: Sent[];
  /** What `check` throws; null for nothing. */
  refusal: Error | null;
  /** The result of what is sent. */
  answer: (sent: Sent, signal?: AbortSignal) => Attempt | Promise<Attempt>;
};

/** Default: every attempt succeeds, and there is a mail server. */
export function fakeOutgoing(
  answer: FakeOutgoing["answer"] = () => delivered(200),
  hasMail = true,
): FakeOutgoing {
  const send = async (what: Sent, signal?: AbortSignal) => {
    fake.sent.push(what);
    return fake.answer(what, signal);
  };
  const fake: FakeOutgoing = {
    checked: [],
    sent: [],
    refusal: null,
    answer,
    async check(target) {
      fake.checked.push(target);
      if (fake.refusal) throw fake.refusal;
    },
    ask: async () => ({ error: "nothing answers" }),
    sendWebhook: (webhook, signal) => send({ webhook }, signal),
    sendChat: (kind, url, chat, signal) => send({ chat, kind, url }, signal),
    mail: hasMail
      ? {
          mailer: { send: (mail) => send({ mail }), close: () => {} },
          from: { name: "Forms", address: "forms@example.com" },
          inspect: async () => null,
        }
      : null,
  };
  return fake;
}

/** The webhooks that were sent. */
export function webhooksOf({ sent }: FakeOutgoing): WebhookDelivery[] {
  return sent.flatMap((each) => ("webhook" in each ? [each.webhook] : []));
}

/** The chat messages that were sent. */
export function chatsOf({ sent }: FakeOutgoing): { kind: string; url: string; message: ChatMessage }[] {
  return sent.flatMap((each) =>
    "chat" in each ? [{ kind: each.kind, url: each.url, message: each.chat }] : [],
  );
}
