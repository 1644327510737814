import { describe, expect, test } from "bun:test";
import type { MailMessage } from "../../../src/delivery/message.ts";
import { parseMailUrl } from "../../../src/send/mail/mail-url.ts";
import { createServiceMailer } from "../../../src/send/mail/service-mailer.ts";
import { type ServiceName, SERVICES } from "../../../src/send/mail/service.ts";
import { KEYS, openMailService } from "../../support/peers/mail-service.ts";

const NAMES = Object.keys(SERVICES) as ServiceName[];
const PLACES: Partial<Record<ServiceName, string>> = { mailgun: "mg.example.com", ses: "eu-central-1" };

function mailerOf(name: ServiceName, endpoint: string, key: string | null = KEYS[name], timeout?: number) {
  const place = parseMailUrl(`${name}://${PLACES[name] ?? ""}?endpoint=${endpoint}`);
  if (!("service" in place)) throw new Error("no service");
  const from = { name: "Shop, the", address: "forms@example.com" };
  return createServiceMailer(
    { ...place.service, key, sessionToken: null, ca: null, from, nameServer: null },
    timeout,
  );
}

function message(more: Partial<MailMessage> = {}): MailMessage {
  return {
    id: "<1@forms.example.com>",
    from: { name: "Shop, the", address: "forms@example.com" },
    to: "ann@example.org",
    replyTo: "bob@example.net",
    date: 1_790_000_000_000,
    autoSubmitted: "auto-replied",
    answers: "<0@example.net>",
    subject: "Grüße",
    text: "Hello",
    html: "<p>Hello</p>",
    attachments: [
      { name: "a.txt", type: "text/plain", size: 3, open: async () => new Blob(["abc"]).stream() },
    ],
    ...more,
  };
}

const PLAIN = message({ attachments: [] });

describe.each(NAMES)("a message by %s", (name) => {
  test("arrives with its texts, files, ids and what keeps automatic replies from being answered", async () => {
    const { endpoint, taken } = openMailService();
    expect(await mailerOf(name, endpoint).send(message())).toMatchObject({
      outcome: "delivered",
      error: null,
    });
    const [first] = taken;
    expect(first!.from).toContain("forms@example.com");
    expect(first!.from).toContain('"Shop, the"');
    expect(first).toMatchObject({ to: "ann@example.org", replyTo: "bob@example.net" });
    expect(first!.headers).toMatchObject({
      "Message-ID": "<1@forms.example.com>",
      "Auto-Submitted": "auto-replied",
      "X-Auto-Response-Suppress": "All",
      "In-Reply-To": "<0@example.net>",
      References: "<0@example.net>",
    });
    expect(first!.text).toContain("Hello");
    expect(first!.html).toContain("<p>Hello</p>");
    expect(first!.files).toEqual([{ name: "a.txt", content: "abc" }]);
  });

  test("has no attachment, reply address or id of another message where it has none", async () => {
    const { endpoint, taken } = openMailService();
    const { answers: _answers, ...plain } = message({ attachments: [], replyTo: null, autoSubmitted: null });
    expect(await mailerOf(name, endpoint).send(plain)).toMatchObject({ outcome: "delivered" });
    const { headers, replyTo, files } = taken[0]!;
    expect(replyTo).toBeNull();
    expect(files).toEqual([]);
    expect(Object.keys(headers)).not.toContain("Auto-Submitted");
    expect(Object.keys(headers)).not.toContain("In-Reply-To");
  });

  test("is sent again later after a refused key, which the error does not repeat", async () => {
    const { endpoint, taken } = openMailService();
    const result = await mailerOf(name, endpoint, "wrong:secret-key").send(PLAIN);
    expect(result).toMatchObject({ outcome: "retry", isTargetDown: true });
    expect([401, 403]).toContain(result.code!);
    expect(result.error).not.toContain("secret-key");
    expect(taken).toEqual([]);
  });

  test("waits as long as the service asks", async () => {
    const service = openMailService();
    service.answer(() => new Response("{}", { status: 429, headers: { "Retry-After": "17" } }));
    expect(await mailerOf(name, service.endpoint).send(PLAIN)).toEqual({
      outcome: "retry",
      code: 429,
      error: `${name}: the answer was 429`,
      retryAfter: 17,
      isTargetDown: true,
    });
  });

  test("is sent again later where the service fails, answers nonsense, redirects or is not there", async () => {
    const service = openMailService();
    const mailer = mailerOf(name, service.endpoint);
    for (const status of [500, 502, 503, 302, 404, 200]) {
      service.answer(() => new Response("<html>", { status, headers: { Location: "http://127.0.0.1:1/" } }));
      expect(await mailer.send(PLAIN)).toMatchObject({ outcome: "retry", code: status, isTargetDown: true });
    }
    expect(await mailerOf(name, "http://127.0.0.1:1").send(PLAIN)).toMatchObject({
      outcome: "retry",
      code: null,
      error: expect.stringContaining("the connection to 127.0.0.1 failed"),
    });
    service.answer(() => null);
    expect(await mailerOf(name, service.endpoint, KEYS[name], 50).send(PLAIN)).toMatchObject({
      outcome: "retry",
      code: null,
      error: `${name}: no answer within 0.05 s`,
    });
  });

  test("is sent without its attachments where they are refused", async () => {
    const service = openMailService();
    service.answer(() => Response.json({}, { status: 413 }));
    expect(await mailerOf(name, service.endpoint).send(message(), PLAIN)).toMatchObject({
      outcome: "delivered",
    });
    expect(service.taken[0]!.files).toEqual([]);
  });

  test("to what is not one plain address is not sent", async () => {
    const { endpoint, taken } = openMailService();
    const result = await mailerOf(name, endpoint).send(message({ to: "a@b.example, c@d.example" }));
    expect(result.outcome).toBe("refused");
    expect(taken).toEqual([]);
  });

  test("is not sent where an attachment cannot be read", async () => {
    const { endpoint, taken } = openMailService();
    const open = () => Promise.reject(new Error("the file is gone"));
    const broken = message({ attachments: [{ name: "a", type: "text/plain", size: 1, open }] });
    const failure = await mailerOf(name, endpoint).send(broken).catch(String);
    expect(failure).toBe("Error: the file is gone");
    expect(taken).toEqual([]);
  });
});

/** Refusals as the services document them: of a recipient, which end a delivery, and of a sender, which the operator corrects. */
const REFUSALS: [ServiceName, Response, Response][] = [
  [
    "resend",
    Response.json(
      { name: "validation_error", message: "Invalid `to` field. ann@example.org" },
      { status: 422 },
    ),
    Response.json(
      { name: "validation_error", message: "The example.com domain is not verified." },
      { status: 403 },
    ),
  ],
  [
    "postmark",
    Response.json(
      { ErrorCode: 406, Message: "You tried to send to inactive recipients: ann@example.org" },
      { status: 422 },
    ),
    Response.json(
      { ErrorCode: 400, Message: "The 'From' address is not a Sender Signature." },
      { status: 422 },
    ),
  ],
  [
    "brevo",
    Response.json({ code: "invalid_parameter", message: "email is not valid in to" }, { status: 400 }),
    Response.json({ code: "invalid_parameter", message: "Sender is not valid" }, { status: 400 }),
  ],
  [
    "sendgrid",
    Response.json(
      { errors: [{ message: "Does not contain a valid address.", field: "personalizations.0.to" }] },
      { status: 400 },
    ),
    Response.json(
      { errors: [{ message: "The from address does not match", field: "from" }] },
      { status: 403 },
    ),
  ],
  [
    "mailgun",
    Response.json({ message: "to parameter is not a valid address." }, { status: 400 }),
    Response.json({ message: "Domain mg.example.com is not allowed to send" }, { status: 403 }),
  ],
  [
    "ses",
    Response.json(
      { message: "Invalid email address" },
      { status: 400, headers: { "x-amzn-ErrorType": "BadRequestException:http://internal" } },
    ),
    Response.json(
      { message: "Email address is not verified." },
      { status: 400, headers: { "x-amzn-ErrorType": "MessageRejected" } },
    ),
  ],
];

test.each(REFUSALS)(
  "%s: a refused recipient ends a delivery, and a refused sender waits for the operator",
  async (name, recipient, sender) => {
    const service = openMailService();
    const mailer = mailerOf(name, service.endpoint);
    service.answer(() => recipient);
    const refused = await mailer.send(PLAIN);
    expect(refused).toMatchObject({ outcome: "refused", isTargetDown: false, code: recipient.status });
    expect(refused.error).not.toContain("ann@example.org");
    service.answer(() => sender);
    expect(await mailer.send(PLAIN)).toMatchObject({
      outcome: "retry",
      isTargetDown: true,
      code: sender.status,
    });
  },
);

test("a service without a key is refused at the start", () => {
  expect(() => mailerOf("resend", "http://127.0.0.1:1", null)).toThrow("the mail service resend has no key");
});
