import { describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import * as fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { createWebhookSecret } from "../../src/delivery/target.ts";
import { sendRequest } from "../../src/send/request.ts";
import { createSendPolicy } from "../../src/send/route.ts";
import { createOutgoing, webhookRequest } from "../../src/send/outgoing.ts";
import type { SentRequest, WebhookDelivery } from "../../src/delivery/outgoing.ts";

const ID = "0190b0a4-0000-7000-8000-000000000001";
const CREATED_AT = "2027-01-31T12:00:00.000Z";

const delivery = (data: string, ...secrets: string[]) => ({
  url: "https://example.com/hook",
  id: ID,
  type: "submission.created",
  secrets,
  data,
  createdAt: CREATED_AT,
});

describe("a secret", () => {
  test("has whsec_ and 32 random bytes in base64, and differs each time", () => {
    const secret = createWebhookSecret(randomBytes);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(Buffer.from(secret.slice(6), "base64")).toHaveLength(32);
    expect(createWebhookSecret(randomBytes)).not.toBe(secret);
    expect(createWebhookSecret(() => new Uint8Array(32))).toBe(`whsec_${"A".repeat(43)}=`);
  });
});

describe("a webhook", () => {
  test("arrives with the bytes that were signed", async () => {
    const secret = createWebhookSecret(randomBytes);
    const seen = Promise.withResolvers<{ body: string; headers: Record<string, string>; url: string }>();
    using server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      async fetch(request) {
        const body = Buffer.from(await request.arrayBuffer()).toString();
        seen.resolve({ body, headers: Object.fromEntries(request.headers), url: request.url });
        return new Response(null, { status: 204 });
      },
    });
    const url = `http://127.0.0.1:${server.port}/hook?a=1`;
    const data = '{"name":"Grüße \\ud83d 😀","n":12345678901234567890.10}';
    const request = webhookRequest({ ...delivery(data, secret), url }, Date.now(), "1.2.3");
    const result = await sendRequest(createSendPolicy(["127.0.0.1"], Date.now), request);
    expect(result).toMatchObject({ outcome: "delivered", code: 204 });
    const { body, headers, url: path } = await seen.promise;
    expect(path).toBe(url);
    expect(headers).toMatchObject({
      "content-type": "application/json",
      "user-agent": "formflag/1.2.3",
      "webhook-id": ID,
    });
    expect(new Webhook(secret).verify(body, headers)).toMatchObject({ type: "submission.created" });
    expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow("No matching signature");
  });

  test("contains type, time and data, with its numbers as sent", () => {
    const data = '{"a":12345678901234567890,"b":1.10,"c":1e5,"d":-0}';
    const { body } = webhookRequest(delivery(data, createWebhookSecret(randomBytes)), 0, "1");
    expect(body).toBe(`{"type":"submission.created","timestamp":"${CREATED_AT}","data":${data}}`);
  });

  test("is signed by both secrets during an overlap", () => {
    const [newer, older] = [createWebhookSecret(randomBytes), createWebhookSecret(randomBytes)];
    const { body, headers } = webhookRequest(delivery("{}", newer, older), Date.now(), "1");
    expect(headers["webhook-signature"]).toMatch(/^v1,[^ ]+ v1,[^ ]+$/);
    for (const secret of [newer, older]) new Webhook(secret).verify(body, headers);
    const stranger = new Webhook(createWebhookSecret(randomBytes));
    expect(() => stranger.verify(body, headers)).toThrow("No matching signature");
  });

  test("has the time of the attempt in seconds, which is signed too", () => {
    const secret = createWebhookSecret(randomBytes);
    const now = Date.now();
    const { body, headers } = webhookRequest(delivery("{}", secret), now, "1");
    expect(headers["webhook-timestamp"]).toBe(String(Math.floor(now / 1000)));
    const later = { ...headers, "webhook-timestamp": String(Math.floor(now / 1000) + 1) };
    expect(() => new Webhook(secret).verify(body, later)).toThrow("No matching signature");
    const other = { ...headers, "webhook-id": "other" };
    expect(() => new Webhook(secret).verify(body, other)).toThrow("No matching signature");
  });

  test("verifies whatever the data is", () => {
    const secret = createWebhookSecret(randomBytes);
    fc.assert(
      fc.property(fc.json(), (data) => {
        const { body, headers } = webhookRequest(delivery(data, secret), Date.now(), "1");
        expect(new Webhook(secret).verify(body, headers)).toEqual({
          type: "submission.created",
          timestamp: CREATED_AT,
          data: JSON.parse(data),
        });
      }),
      { numRuns: 50 },
    );
  });

  test("has the signature that the library of the specification makes, of a large body too", () => {
    const secret = createWebhookSecret(randomBytes);
    const now = 1_798_718_400_999;
    const data = JSON.stringify({ text: "Grüße 😀 ".repeat(80_000) });
    const { body, headers } = webhookRequest(delivery(data, secret), now, "1");
    expect(headers["webhook-signature"]).toBe(new Webhook(secret).sign(ID, new Date(now), body));
  });
});

describe("a webhook with a request of its own", () => {
  const request = {
    method: "PUT" as const,
    headers: [
      { name: "Authorization", value: "Basic YWRhOmhpZGRlbi13b3Jk" },
      { name: "X-Name", value: "café, b" },
      { name: "user-agent", value: "mine" },
    ],
    body: '{"text": "{{data.name}}"}',
  };
  const send = async (answer: (body: string) => Response, more: Partial<WebhookDelivery> = {}) => {
    const seen: { method: string; headers: Headers; body: string }[] = [];
    using server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      async fetch(received: Request) {
        const body = await received.text();
        seen.push({ method: received.method, headers: received.headers, body });
        return answer(body);
      },
    });
    const outgoing = createOutgoing({ targetNetworks: ["127.0.0.1"], mail: null }, Date.now, "1");
    const secret = createWebhookSecret(randomBytes);
    const sent: SentRequest[] = [];
    const attempt = await outgoing.sendWebhook(
      {
        ...delivery('{"data":{"name":"A \\"B\\""}}', secret),
        url: `http://127.0.0.1:${server.port}/PATH-SECRET`,
        request,
        ...more,
      },
      new AbortController().signal,
      (each) => void sent.push(each),
    );
    return { attempt, seen, sent, secret };
  };

  test("arrives with its method, its headers and its body, which is what is signed", async () => {
    const { attempt, seen, sent, secret } = await send(() => new Response());
    expect(attempt).toMatchObject({ outcome: "delivered" });
    const [{ method, headers, body }] = seen as [(typeof seen)[0]];
    expect([method, body]).toEqual(["PUT", '{"text": "A \\"B\\""}']);
    expect(Object.fromEntries(headers)).toMatchObject({
      authorization: "Basic YWRhOmhpZGRlbi13b3Jk",
      "x-name": "café, b",
      "user-agent": "mine",
      "content-type": "application/json",
    });
    expect(new Webhook(secret).verify(body, Object.fromEntries(headers))).toEqual({ text: 'A "B"' });
    const shown = Object.fromEntries(
      Object.entries(sent[0]!.headers).map(([name, value]) => [name.toLowerCase(), value]),
    );
    expect(sent[0]).toMatchObject({ method: "PUT", body, url: expect.stringMatching(/^http:[^P]*\/…$/) });
    expect(shown).toMatchObject({
      authorization: "…",
      "x-name": "…",
      "user-agent": "…",
      "webhook-signature": "…",
      "webhook-id": ID,
    });
  });

  test("keeps its headers out of what a receiver answers", async () => {
    const answer =
      "no: Basic YWRhOmhpZGRlbi13b3Jk, YWRhOmhpZGRlbi13b3Jk, hidden-word, ada:hidden-word, café, b";
    const { attempt } = await send(() => new Response(answer, { status: 400 }));
    expect(attempt.answer).toStartWith("no: ");
    expect(attempt.answer).not.toMatch(/YWRh|hidden|café/);
  });

  test("is not sent where its template yields no JSON, and that is not tried again", async () => {
    const { attempt, seen, sent } = await send(() => new Response(), {
      request: { ...request, body: "{{data.name}}" },
    });
    expect(attempt).toMatchObject({
      outcome: "refused",
      code: null,
      error: expect.stringContaining("does not yield JSON"),
    });
    expect([seen, sent]).toEqual([[], []]);
  });
});
