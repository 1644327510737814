import { describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { createWebhookSecret } from "../../src/delivery/target.ts";
import { createOutgoing } from "../../src/send/outgoing.ts";
import type { SmtpConfig } from "../../src/send/smtp-transport.ts";
import { openMailSink, openRawSink } from "../support/peers/mail-sink.ts";
import { reasonOf } from "../support/refusals.ts";

const never = new AbortController().signal;

const delivery = (url: string, secret: string) => ({
  url,
  id: "0190b0a4-0000-7000-8000-000000000001",
  type: "submission.created",
  secrets: [secret],
  data: '{"n":1.10}',
  createdAt: "2027-01-31T12:00:00.000Z",
});

const mailOn = ({ port }: { port: number }): SmtpConfig => ({
  host: "127.0.0.1",
  port,
  secure: false,
  starttls: "off",
  user: null,
  password: null,
  ca: null,
  from: { name: "Shop", address: "forms@shop.example" },
  dkim: null,
  nameServer: null,
  helo: null,
});

const message = {
  id: "<d-1@shop.example>",
  from: mailOn({ port: 0 }).from,
  to: "owner@shop.example",
  replyTo: null,
  date: 0,
  autoSubmitted: "auto-generated" as const,
  subject: "New submission",
  text: "name: Ada\n",
  html: "<p>name: Ada</p>\n",
  attachments: [],
};

const outgoingTo = (targetNetworks: string[], mail: SmtpConfig | null = null) =>
  createOutgoing({ targetNetworks, mail }, Date.now, "1.2.3");

/** A server that keeps what arrives. */
function openReceiver() {
  const received: { path: string; headers: Record<string, string>; body: string }[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname: path } = new URL(request.url);
      received.push({ path, headers: request.headers.toJSON(), body: await request.text() });
      return new Response(null, { status: 204 });
    },
  });
  return { received, url: server.url.origin, [Symbol.dispose]: () => void server.stop(true) };
}

describe("outgoing connections", () => {
  test("take a signed webhook and a chat message to a network that is permitted", async () => {
    using receiver = openReceiver();
    const outgoing = outgoingTo(["127.0.0.0/8"]);
    await outgoing.check({ kind: "webhook", url: `${receiver.url}/hook` });
    const secret = createWebhookSecret(randomBytes);
    const sent = [
      await outgoing.sendWebhook(delivery(`${receiver.url}/hook`, secret), never),
      await outgoing.sendChat(
        "slack",
        `${receiver.url}/chat`,
        { title: "New", fields: [["name", "Ada"]], link: "/x" },
        never,
      ),
    ];
    expect(sent.map(({ outcome, code }) => [outcome, code])).toEqual([
      ["delivered", 204],
      ["delivered", 204],
    ]);
    const [hook, chat] = receiver.received as [(typeof receiver.received)[0], (typeof receiver.received)[0]];
    expect(new Webhook(secret).verify(hook.body, hook.headers)).toMatchObject({ data: { n: 1.1 } });
    expect([hook.path, chat.path]).toEqual(["/hook", "/chat"]);
    expect(JSON.parse(chat.body)).toMatchObject({ text: expect.stringContaining("name: Ada") });
    expect(chat.headers["user-agent"]).toBe("formflag/1.2.3");
  });

  test("reach no network that is not, by a check and by every attempt", async () => {
    using receiver = openReceiver();
    const outgoing = outgoingTo(["10.0.0.0/8"]);
    expect(await reasonOf(outgoing.check({ kind: "webhook", url: receiver.url }))).toBe(
      "invalid target-not-public",
    );
    const secret = createWebhookSecret(randomBytes);
    expect(await outgoing.sendWebhook(delivery(receiver.url, secret), never)).toMatchObject({
      outcome: "retry",
      code: null,
      error: expect.stringContaining("neither public nor permitted"),
    });
    expect(receiver.received).toEqual([]);
  });

  test("end with the reason of their signal", async () => {
    const outgoing = outgoingTo(["127.0.0.0/8"]);
    const reason = new Error("stopping");
    const sending = outgoing.sendWebhook(
      delivery("http://127.0.0.1:1/", createWebhookSecret(randomBytes)),
      AbortSignal.abort(reason),
    );
    expect(await sending.catch((error: unknown) => error)).toBe(reason);
  });

  test("have no mail without a mail server, and the sender of its settings with one", async () => {
    expect(outgoingTo([]).mail).toBeNull();
    const sink = await openMailSink();
    const { mail } = outgoingTo([], mailOn(sink));
    expect(mail!.from).toEqual({ name: "Shop", address: "forms@shop.example" });
    expect(await mail!.mailer.send(message)).toMatchObject({ outcome: "delivered" });
    expect(sink.received.map(({ to }) => to)).toEqual([["owner@shop.example"]]);
  });

  test("end mail that is being sent when they close", async () => {
    const connected = Promise.withResolvers<void>();
    const sink = await openRawSink(() => connected.resolve());
    const outgoing = outgoingTo([], mailOn(sink));
    const sending = outgoing.mail!.mailer.send(message);
    await connected.promise;
    outgoing.close();
    expect(await sending).toMatchObject({ outcome: "retry" });
  });
});
