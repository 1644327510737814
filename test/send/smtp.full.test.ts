import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import { dkimVerify } from "mailauth/lib/dkim/verify.js";
import type { Attempt } from "../../src/delivery/attempt.ts";
import type { Attachment, MailMessage } from "../../src/delivery/message.ts";
import { checkMailServer } from "../../src/send/smtp-check.ts";
import type { SmtpConfig } from "../../src/send/smtp-transport.ts";
import { createMailer } from "../../src/send/smtp.ts";
import { createCertificates, openMailSink, openRawSink, reply } from "../support/peers/mail-sink.ts";
import { errorOf, reasonOf } from "../support/refusals.ts";

const certificates = await createCertificates();
const { ca, here, elsewhere } = certificates;

const DELIVERED: Attempt = {
  outcome: "delivered",
  code: 250,
  error: null,
  retryAfter: null,
  isTargetDown: false,
};

const message: MailMessage = {
  id: "<d-1@shop.example>",
  from: { name: "Shop", address: "forms@shop.example" },
  to: "owner@shop.example",
  replyTo: "ada@example.com",
  date: Date.UTC(2026, 9, 11, 14, 3, 5),
  autoSubmitted: "auto-generated",
  subject: "New submission",
  text: "name: Ada\n",
  html: "<p>name: Ada</p>\n",
  attachments: [],
};

function attachment(content: string | Uint8Array, more: Partial<Attachment> = {}): Attachment {
  const bytes = Buffer.from(content as string);
  return {
    name: "cv.pdf",
    type: "application/pdf",
    size: bytes.length,
    open: async () => new Blob([bytes]).stream(),
    ...more,
  };
}

function configOf({ port }: { port: number }, more: Partial<SmtpConfig> = {}): SmtpConfig {
  const { from } = message;
  const open = {
    secure: false,
    starttls: "off",
    user: null,
    password: null,
    ca: null,
    dkim: null,
    nameServer: null,
    helo: null,
  } as const;
  return { host: "127.0.0.1", port, from, ...open, ...more };
}

const QUICK = { connect: 300, silent: 300, message: 20_000 };

/** Sends once by a mailer of its own. */
async function send(
  server: { port: number },
  {
    config,
    sent = message,
    withoutAttachments,
    timeouts,
  }: {
    config?: Partial<SmtpConfig>;
    sent?: MailMessage;
    withoutAttachments?: MailMessage;
    timeouts?: typeof QUICK;
  } = {},
): Promise<Attempt> {
  return createMailer(configOf(server, config), timeouts).send(sent, withoutAttachments);
}

describe("a message", () => {
  test("arrives with its addresses, headers and both texts", async () => {
    const sink = await openMailSink();
    expect(await send(sink)).toEqual(DELIVERED);
    const [received] = sink.received;
    expect(received).toMatchObject({
      from: "forms@shop.example",
      to: ["owner@shop.example"],
      email: {
        from: { name: "Shop", address: "forms@shop.example" },
        to: [{ name: "", address: "owner@shop.example" }],
        replyTo: [{ name: "", address: "ada@example.com" }],
        messageId: "<d-1@shop.example>",
        subject: "New submission",
        date: "2026-10-11T14:03:05.000Z",
        text: expect.stringMatching(/^name: Ada\n*$/),
        html: expect.stringMatching(/^<p>name: Ada<\/p>\n*$/),
        attachments: [],
      },
    });
    expect(received!.email.headers).toContainEqual(
      expect.objectContaining({ key: "auto-submitted", value: "auto-generated" }),
    );
    expect(received!.raw.toString()).not.toMatch(/nodemailer|x-mailer/i);
  });

  test("without an address to reply to has no Reply-To", async () => {
    const sink = await openMailSink();
    await send(sink, { sent: { ...message, replyTo: null } });
    expect(sink.received[0]!.email.replyTo).toBeUndefined();
  });

  test("carries files byte for byte, and at any size of chunks", async () => {
    const sink = await openMailSink();
    const bytes = crypto.getRandomValues(new Uint8Array(60_000));
    const files = [
      attachment(bytes, { name: "Bericht – größer.pdf" }),
      attachment("", { name: "empty.txt", type: "text/plain" }),
      attachment("abc", {
        name: "slow.bin",
        open: async () =>
          new ReadableStream({
            start(controller) {
              for (const byte of Buffer.from("abc")) controller.enqueue(new Uint8Array([byte]));
              controller.close();
            },
          }),
      }),
    ];
    expect(await send(sink, { sent: { ...message, attachments: files } })).toEqual(DELIVERED);
    const attached = sink.received[0]!.email.attachments;
    expect(attached.map(({ filename, disposition }) => [filename, disposition])).toEqual([
      ["Bericht – größer.pdf", "attachment"],
      ["empty.txt", "attachment"],
      ["slow.bin", "attachment"],
    ]);
    expect(Buffer.from(attached[0]!.content as ArrayBuffer).equals(bytes)).toBe(true);
    expect(attached.map(({ content }) => (content as ArrayBuffer).byteLength)).toEqual([60_000, 0, 3]);
  });

  test("ends where an attachment cannot be read, and the error is that of the file", async () => {
    const sink = await openMailSink();
    const gone = new Error("no such file");
    const missing = attachment("x", { open: () => Promise.reject(gone) });
    const broken = attachment("x", {
      open: async () =>
        new ReadableStream({
          pull(controller) {
            controller.error(gone);
          },
        }),
    });
    for (const file of [missing, broken]) {
      const sent = { ...message, attachments: [attachment("fine"), file] };
      expect(await send(sink, { sent }).catch((error: unknown) => error)).toBe(gone);
    }
    expect(gone).not.toHaveProperty("code");
    expect(sink.received).toEqual([]);
  });
});

describe("a hostile text", () => {
  const INJECTION = "x\r\nBcc: victim@example.net\r\n\r\nbody\nX-Evil: 1\rX-Evil: 2\0";

  test("adds no header and no recipient, wherever it is put", async () => {
    const sink = await openMailSink();
    const sent: MailMessage = {
      ...message,
      id: `<${INJECTION}@x>`,
      from: { name: INJECTION, address: message.from.address },
      subject: INJECTION,
      attachments: [attachment("x", { name: INJECTION, type: `text/plain; name="${INJECTION}"` })],
    };
    expect(await send(sink, { sent })).toEqual(DELIVERED);
    const [{ email, raw, to }] = sink.received as [(typeof sink.received)[0]];
    expect(to).toEqual([message.to]);
    const names = new Set(email.headers.map(({ key }) => key));
    for (const name of ["bcc", "cc", "x-evil"]) expect(names).not.toContain(name);
    const head = raw.subarray(0, raw.indexOf("\r\n\r\n")).toString();
    expect(head).not.toMatch(/^(bcc|x-evil)/im);
    expect(email.text!.trimEnd()).toBe(message.text.trimEnd());
  });

  test.each([
    '"a@evil.example, b"@shop.example',
    "a@evil.example, b@shop.example",
    "a@b@shop.example",
    "<a@evil.example> b@shop.example",
    "a@shop.example\r\nRCPT TO:<b@evil.example>",
    "undisclosed: a@evil.example;",
    "a@shop.example> SIZE=1\r\nDATA",
    "a@shop.example\r\n",
    "a@[127.0.0.1]",
    "ada",
    "",
  ])("as the address %j is refused, and nothing is sent", async (to) => {
    const sink = await openMailSink();
    expect(await send(sink, { sent: { ...message, to } })).toEqual({
      outcome: "refused",
      code: null,
      error: "the recipient is not one plain mail address",
      retryAfter: null,
      isTargetDown: false,
    });
    expect(sink.received).toEqual([]);
  });

  test("as the address to reply to stays one address", async () => {
    const sink = await openMailSink();
    await send(sink, {
      sent: { ...message, replyTo: "a@evil.example, b@evil.example\r\nBcc: c@evil.example" },
    });
    expect(sink.received[0]!.to).toEqual([message.to]);
    expect(sink.received[0]!.email.replyTo).toHaveLength(1);
    expect(sink.received[0]!.email.bcc).toBeUndefined();
  });

  test("in the body neither ends the message nor has lines that are too long", async () => {
    const sink = await openMailSink();
    const text = [
      ".",
      "..",
      "\n.\n",
      "\r.\r",
      "\r\n.\r\nMAIL FROM:<a@b.example>",
      "x".repeat(5000),
      "ü".repeat(5000),
      `${"x".repeat(997)}.`,
    ].join("\r\n");
    expect(await send(sink, { sent: { ...message, text, html: text } })).toEqual(DELIVERED);
    expect(sink.received).toHaveLength(1);
    const lines = sink.received[0]!.raw.toString("latin1").split("\r\n");
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(998);
    expect(lines.every((line) => !/[\r\n]/.test(line))).toBe(true);
    const normal = (text: string | undefined) => text?.replaceAll(/\r\n?/g, "\n").trimEnd();
    expect(normal(sink.received[0]!.email.text)).toBe(normal(text));
  });

  test.each(["a", "ü", "a b", "日本", '"x; '])(
    "as a file name of 1,000 bytes, of %j, has short lines and keeps its extension",
    async (part) => {
      const sink = await openMailSink();
      const name = `${part.repeat(Math.floor(990 / Buffer.byteLength(part)))}.pdf`;
      expect(await send(sink, { sent: { ...message, attachments: [attachment("x", { name })] } })).toEqual(
        DELIVERED,
      );
      const lines = sink.received[0]!.raw.toString("latin1").split("\r\n");
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(998);
      const received = sink.received[0]!.email.attachments[0]!.filename!;
      expect([
        received.startsWith(part),
        received.endsWith(".pdf"),
        Buffer.byteLength(received) > 190,
      ]).toEqual([true, true, true]);
    },
  );

  test.each([
    "multipart/mixed; boundary=x",
    "message/rfc822",
    "text",
    "",
    "a/b\r\nX-Evil: 1",
    "x".repeat(9999),
  ])("as the media type %j becomes plain bytes", async (type) => {
    const sink = await openMailSink();
    const content = "Content-Type: text/html\r\n\r\n<b>x</b>\r\n--x--\r\n";
    await send(sink, { sent: { ...message, attachments: [attachment(content, { type })] } });
    const [attached, ...more] = sink.received[0]!.email.attachments;
    expect(more).toEqual([]);
    expect(attached!.mimeType).toBe("application/octet-stream");
    expect(Buffer.from(attached!.content as ArrayBuffer).toString()).toBe(content);
  });
});

describe("TLS", () => {
  test("is started on a plain connection, before the login", async () => {
    const sink = await openMailSink({
      ...here,
      onAuth: (auth, _session, done) => done(null, { user: auth.username! }),
    });
    const config = { starttls: "required", ca, user: "me", password: "hunter2" } as const;
    for (const host of ["127.0.0.1", "localhost"]) {
      expect(await send(sink, { config: { ...config, host } })).toEqual(DELIVERED);
    }
    expect(sink.received).toMatchObject([
      { isEncrypted: true, user: "me" },
      { isEncrypted: true, user: "me" },
    ]);
  });

  test("comes first where the URL says smtps", async () => {
    const sink = await openMailSink({ ...here, secure: true });
    for (const host of ["127.0.0.1", "localhost"]) {
      expect(await send(sink, { config: { secure: true, ca, host } })).toEqual(DELIVERED);
    }
    expect(sink.received.map(({ isEncrypted }) => isEncrypted)).toEqual([true, true]);
  });

  test.each([
    ["an authority that is not known", here, null, /certificate/],
    ["another name", elsewhere, ca, /does not match/],
  ])("refuses a certificate of %s, and the server counts as down", async (_, pair, authority, error) => {
    for (const secure of [false, true]) {
      const sink = await openMailSink({ ...pair, secure });
      for (const host of ["127.0.0.1", "localhost"]) {
        const config = { secure, starttls: secure ? "off" : "required", ca: authority, host } as const;
        expect(await send(sink, { config })).toEqual({
          outcome: "retry",
          code: null,
          error: expect.stringMatching(error),
          retryAfter: null,
          isTargetDown: true,
        });
      }
      expect(sink.received).toEqual([]);
    }
  });

  test("that is required but not offered sends nothing, no password either", async () => {
    const seen: string[] = [];
    const sink = await openRawSink((socket) => {
      socket.write("220 hello\r\n");
      socket.on("data", (chunk) => {
        const line = chunk.toString();
        seen.push(line);
        socket.write(line.startsWith("EHLO") ? "250-hello\r\n250 AUTH PLAIN\r\n" : "502 5.5.1 Unknown\r\n");
      });
    });
    const config = { starttls: "required", user: "me", password: "hunter2" } as const;
    expect(await send(sink, { config })).toMatchObject({
      outcome: "retry",
      code: 502,
      error: "STARTTLS: 502 5.5.1 Unknown",
      isTargetDown: true,
    });
    expect(seen.map((line) => line.split(/\s/)[0])).toEqual(["EHLO", "STARTTLS"]);
  });

  test("that is optional is used where it is offered, and on this machine with any certificate", async () => {
    const config = { starttls: "optional" } as const;
    const [with_, without, foreign] = [
      await openMailSink(here),
      await openMailSink(),
      await openMailSink(elsewhere),
    ];
    for (const sink of [with_, without, foreign]) expect(await send(sink, { config })).toEqual(DELIVERED);
    expect([with_, without, foreign].map((sink) => sink.received[0]!.isEncrypted)).toEqual([
      true,
      false,
      true,
    ]);
    // A given authority is meant to be checked.
    expect(await send(foreign, { config: { ...config, ca } })).toMatchObject({ outcome: "retry" });
  });

  test("that is off is not used where it is offered", async () => {
    const sink = await openMailSink(here);
    expect(await send(sink, { config: { starttls: "off" } })).toEqual(DELIVERED);
    expect(sink.received[0]!.isEncrypted).toBe(false);
  });
});

describe("a refusal", () => {
  test.each([
    ["recipient for good", { onRcptTo: "550 5.1.1 No such user" }, "refused", false, "RCPT TO"],
    ["recipient for now", { onRcptTo: "451 4.7.1 Try again later" }, "retry", false, "RCPT TO"],
    ["recipient for want of a login", { onRcptTo: "530 5.7.0 Login first" }, "retry", true, "RCPT TO"],
    ["content for good", { refuse: "554 5.7.1 Looks like spam" }, "refused", false, "DATA"],
    ["content for now", { refuse: "452 4.3.1 Disk full" }, "retry", false, "DATA"],
    ["operator's address", { onMailFrom: "553 5.7.1 Not your address" }, "retry", true, "MAIL FROM"],
    ["message by its size", { onMailFrom: "552 5.3.4 Too large" }, "refused", false, "MAIL FROM"],
    ["connection", { onConnect: "554 5.7.1 Go away" }, "retry", true, null],
    ["connection for now", { onConnect: "421 4.3.2 Too busy" }, "retry", true, null],
  ] as const)("of the %s", async (_, { ...hooks }, outcome, isTargetDown, step) => {
    const [[hook, text]] = Object.entries(hooks) as [[string, string]];
    const refuse = (...given: unknown[]) => (given.at(-1) as (error: Error) => void)(reply(text));
    const sink = await openMailSink(hook === "refuse" ? { refuse: () => reply(text) } : { [hook]: refuse });
    const attempt = await send(sink);
    expect(attempt).toEqual({
      outcome,
      code: Number(text.slice(0, 3)),
      error: step === null ? expect.stringContaining(text.slice(4)) : `${step}: ${text}`,
      retryAfter: null,
      isTargetDown,
    });
    expect(sink.received).toEqual([]);
  });

  test("of the login is retried, and its error has no password", async () => {
    const password = "hunter2 and more";
    const sink = await openMailSink({
      ...here,
      authMethods: ["PLAIN"],
      onAuth: (auth, _session, done) =>
        done(
          reply(
            `535 5.7.8 ${auth.password} ${btoa(`\0me\0${auth.password}`)} ${btoa(auth.password!)} is wrong`,
          ),
        ),
    });
    const config = { starttls: "required", ca, user: "me", password } as const;
    expect(await send(sink, { config })).toEqual({
      outcome: "retry",
      code: 535,
      error: "AUTH PLAIN: 535 5.7.8 [secret] [secret] [secret] is wrong",
      retryAfter: null,
      isTargetDown: true,
    });
  });

  test("has an error of one line and 200 characters at most", async () => {
    const sink = await openRawSink((socket) => {
      socket.write(`554-\u001b[31mno\u0007\r\n554-${"x".repeat(3000)}\r\n554 end\r\n`);
    });
    const { error } = await send(sink);
    expect(error!.length).toBeLessThanOrEqual(200);
    expect(error).not.toMatch(/[\x00-\x1f]/);
  });
});

describe("a server that is not there", () => {
  test.each([["127.0.0.1"], ["localhost"], ["no-such-host.invalid"]])("at %s is retried", async (host) => {
    const { port } = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
    const closed = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
    closed.stop(true);
    expect(port).not.toBe(closed.port);
    expect(await send(closed, { config: { host }, timeouts: { ...QUICK, connect: 5000 } })).toMatchObject({
      outcome: "retry",
      code: null,
      error: expect.stringMatching(/ECONNREFUSED|ENOTFOUND|EAI_AGAIN/),
      isTargetDown: true,
    });
  });
});

describe("the greeting", () => {
  test("has the name that is set, or else the address of this machine", async () => {
    const names: unknown[] = [];
    const sink = await openMailSink({
      onMailFrom: (_address, { hostNameAppearsAs }, done) => (names.push(hostNameAppearsAs), done()),
    });
    for (const helo of ["forms.shop.example", "[192.0.2.1]"])
      expect(await send(sink, { config: { helo } })).toEqual(DELIVERED);
    expect(names).toEqual(["forms.shop.example", "[192.0.2.1]"]);
  });

  test("that is refused at once is named with its name, and retried", async () => {
    const sink = await openMailSink({ disabledCommands: ["EHLO", "HELO", "STARTTLS"] });
    expect(await send(sink, { config: { helo: "forms.shop.example" } })).toEqual({
      outcome: "retry",
      code: 500,
      error: expect.stringMatching(/^HELO forms\.shop\.example: 500 /),
      retryAfter: null,
      isTargetDown: true,
    });
    const required = { helo: "forms.shop.example", starttls: "required" } as const;
    expect((await send(sink, { config: required })).error).toMatch(/^EHLO forms\.shop\.example: 500 /);
  });

  test("that is refused with the recipient is no fault of the recipient", async () => {
    const text = "504 5.5.2 <localhost>: Helo command rejected: need fully-qualified hostname";
    const sink = await openMailSink({ onRcptTo: (_address, _session, done) => done(reply(text)) });
    expect(await send(sink)).toEqual({
      outcome: "retry",
      code: 504,
      error: `RCPT TO: ${text}`,
      retryAfter: null,
      isTargetDown: true,
    });
  });
});

describe("a server that is slow", () => {
  /** A server that never answers a login. */
  const withSilentLogin = () => openMailSink({ ...here, authMethods: ["PLAIN", "LOGIN"], onAuth: () => {} });
  const login = { starttls: "required", ca, user: "me", password: "hunter2" } as const;

  test("with the answer to a login is described by that, not by the connection", async () => {
    const sink = await withSilentLogin();
    expect(await send(sink, { config: login, timeouts: QUICK })).toMatchObject({
      outcome: "retry",
      code: null,
      error: "AUTH PLAIN: no answer within 0.3 s",
      isTargetDown: true,
    });
    expect(await checkMailServer(configOf(sink, login), QUICK)).toBe("AUTH PLAIN: no answer within 0.3 s");
  });

  test("and then refuses the login is described by its answer", async () => {
    const sink = await openMailSink({
      ...here,
      authMethods: ["PLAIN"],
      // Later than it may take to connect.
      onAuth: (_auth, _session, done) =>
        void setTimeout(() => done(reply("535 5.7.8 Wrong password")), 2 * QUICK.connect),
    });
    const timeouts = { ...QUICK, silent: 20_000 };
    expect((await send(sink, { config: login, timeouts })).error).toBe(
      "AUTH PLAIN: 535 5.7.8 Wrong password",
    );
  });

  test("or ends the connection is described by the command that it does not answer", async () => {
    const sink = await openRawSink((socket) => {
      socket.write("220 hello\r\n");
      socket.on("data", (chunk) => {
        if (chunk.toString().startsWith("MAIL")) socket.end();
        else socket.write("250 ok\r\n");
      });
    });
    expect((await send(sink)).error).toBe("MAIL FROM: Connection closed unexpectedly");
  });
});

test("a name that only the system knows is resolved without a word on the terminal", async () => {
  const sink = await openMailSink();
  const script = `
    import { createMailer } from ${JSON.stringify(join(import.meta.dir, "../../src/send/smtp.ts"))};
    process.getBuiltinModule("node:os").networkInterfaces = () => ({ lo: [
      { address: "127.0.0.1", family: "IPv4", internal: true }, { address: "::1", family: "IPv6", internal: true },
    ] });
    const config = ${JSON.stringify({ ...configOf(sink), host: "localhost" })};
    const { outcome, error } = await createMailer(config).send(${JSON.stringify(message)});
    console.log(outcome, error);`;
  const run = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe", stderr: "pipe" });
  expect(await new Response(run.stderr).text()).toBe("");
  expect(await new Response(run.stdout).text()).toBe("delivered null\n");
});

describe("a server that falls silent", () => {
  const steps = ["greeting", "EHLO", "MAIL", "RCPT", "DATA", "end of the message"];

  test.each(steps)("before the reply to %s is given up and retried", async (step) => {
    const sink = await openRawSink((socket) => {
      if (step !== "greeting") socket.write("220 hello\r\n");
      let isData = false;
      socket.on("data", (chunk) => {
        const lines = chunk.toString();
        if (isData) return;
        if (lines.startsWith(step)) return;
        isData = lines.startsWith("DATA");
        socket.write(isData ? "354 go on\r\n" : "250 fine\r\n");
      });
    });
    expect(await send(sink, { timeouts: QUICK })).toMatchObject({
      outcome: "retry",
      code: null,
      isTargetDown: true,
    });
  });

  test("in the middle of a TLS handshake is given up and retried", async () => {
    const sink = await openRawSink(() => {});
    expect(await send(sink, { config: { secure: true }, timeouts: QUICK })).toMatchObject({
      outcome: "retry",
    });
  });

  test("is given up even where it sends a byte now and then", async () => {
    const sink = await openRawSink((socket) => {
      const timer = setInterval(() => socket.write("220-"), 50);
      socket.on("close", () => clearInterval(timer));
      socket.write("220 hello\r\n250-");
    });
    const timeouts = { connect: 5000, silent: 5000, message: 400 };
    expect(await send(sink, { timeouts })).toMatchObject({
      outcome: "retry",
      error: "not sent within 0.4 s",
    });
  });

  test("does not keep a mailer from closing", async () => {
    const connected = Promise.withResolvers<void>();
    const sink = await openRawSink(() => connected.resolve());
    const mailer = createMailer(configOf(sink));
    const sending = mailer.send(message);
    await connected.promise;
    mailer.close();
    expect(await sending).toMatchObject({ outcome: "retry" });
  });

  test("or that hangs up is retried", async () => {
    for (const words of ["", "220 hello\r\n", "220 hel"]) {
      const sink = await openRawSink((socket) => socket.end(words));
      expect(await send(sink)).toMatchObject({ outcome: "retry", isTargetDown: true });
    }
  });
});

describe("attachments that are refused", () => {
  const files = [attachment("x".repeat(5000))];
  const heavy = { ...message, attachments: files };
  const light = { ...message, text: "cv.pdf: https://forms.example/v1/files/t\n" };
  const isHeavy = (raw: Buffer) => raw.includes("application/pdf");

  test.each(["552 5.3.4 Too large", "554 5.7.1 No PDF here", "550 5.7.0 Blocked"])(
    "by %s are replaced by links at once",
    async (text) => {
      const sink = await openMailSink({ refuse: (raw) => (isHeavy(raw) ? reply(text) : null) });
      expect(await send(sink, { sent: heavy, withoutAttachments: light })).toEqual(DELIVERED);
      expect(sink.received.map(({ email }) => email.text!.trimEnd())).toEqual([light.text.trimEnd()]);
    },
  );

  test("by the size that the server announces are not even sent", async () => {
    let opened = 0;
    const open = () => ((opened += 1), files[0]!.open());
    const sent = { ...message, attachments: [{ ...files[0]!, open }] };
    const sink = await openMailSink({ size: 3000 });
    expect(await send(sink, { sent, withoutAttachments: light })).toEqual(DELIVERED);
    expect({ opened, received: sink.received.length }).toEqual({ opened: 0, received: 1 });
    expect(await send(sink, { sent })).toMatchObject({ outcome: "refused" });
  });

  test("for now are retried as they are", async () => {
    const sink = await openMailSink({ refuse: (raw) => (isHeavy(raw) ? reply("451 4.3.0 Later") : null) });
    expect(await send(sink, { sent: heavy, withoutAttachments: light })).toMatchObject({
      outcome: "retry",
      code: 451,
    });
    expect(sink.received).toEqual([]);
  });

  test("end the delivery where the links are refused too", async () => {
    const refused: boolean[] = [];
    const sink = await openMailSink({ refuse: (raw) => (refused.push(isHeavy(raw)), reply("554 5.7.1 No")) });
    expect(await send(sink, { sent: heavy, withoutAttachments: light })).toMatchObject({
      outcome: "refused",
      code: 554,
    });
    expect(refused).toEqual([true, false]);
  });

  test("are not tried again for a recipient that is refused", async () => {
    let recipients = 0;
    const sink = await openMailSink({
      onRcptTo: (_address, _session, done) => ((recipients += 1), done(reply("550 5.1.1 No such user"))),
    });
    expect(await send(sink, { sent: heavy, withoutAttachments: light })).toMatchObject({
      outcome: "refused",
    });
    expect(recipients).toBe(1);
  });
});

test("an error names no recipient, who may be a stranger", async () => {
  const refused = reply(`550 5.1.1 <${message.to.toUpperCase()}>: no such user ${message.to}`);
  const sink = await openMailSink({ onRcptTo: (_address, _session, done) => done(refused) });
  const { error } = await send(sink, {});
  expect(error).toBe("RCPT TO: 550 5.1.1 <[recipient]>: no such user [recipient]");
});

describe("DKIM", () => {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "der" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  const dkim = { domain: "shop.example", selector: "forms", key: privateKey };
  const resolver = async (name: string, type: string) => {
    expect([name, type]).toEqual(["forms._domainkey.shop.example", "TXT"]);
    return [[`v=DKIM1; k=rsa; p=${publicKey.toString("base64")}`]];
  };

  test("signs a message that a receiver verifies, attachments included", async () => {
    const sink = await openMailSink();
    const sent = {
      ...message,
      subject: "Grüße – naïve",
      text: ".\r\n\ttrailing  \r\n\r\n\r\n",
      attachments: [attachment(crypto.getRandomValues(new Uint8Array(100_000)))],
    };
    expect(await send(sink, { config: { dkim }, sent })).toEqual(DELIVERED);
    const { raw } = sink.received[0]!;
    const { results } = await dkimVerify(raw, { resolver });
    expect(results).toMatchObject([
      { signingDomain: "shop.example", selector: "forms", status: { result: "pass" } },
    ]);
    const changed = Buffer.from(raw.toString("latin1").replace("Subject: ", "Subject: x"), "latin1");
    const { results: broken } = await dkimVerify(changed, { resolver });
    expect(broken).toMatchObject([{ status: { result: "fail" } }]);
  });

  test("needs an RSA key", async () => {
    const { privateKey: edwards } = generateKeyPairSync("ed25519", {
      publicKeyEncoding: { type: "spki", format: "pem" },
      privateKeyEncoding: { type: "pkcs8", format: "pem" },
    });
    for (const key of ["", "secret text", edwards]) {
      const create = async () => createMailer(configOf({ port: 1 }, { dkim: { ...dkim, key } }));
      expect(await reasonOf(create())).toBe("invalid dkim-key-invalid");
      expect(await errorOf(create())).not.toContain("secret");
    }
  });
});

test("a configuration that cannot work is refused before the first message", async () => {
  const create = async (more: Partial<SmtpConfig>) => createMailer(configOf({ port: 1 }, more));
  expect(await reasonOf(create({ user: "me" }))).toBe("invalid smtp-password-missing");
  expect(await reasonOf(create({ user: "me", password: "" }))).toBe("invalid smtp-password-missing");
  expect(await reasonOf(create({ ca: "not a certificate" }))).toBe("invalid smtp-ca-invalid");
});

test("eight messages are sent at once by one mailer", async () => {
  const sink = await openMailSink();
  const mailer = createMailer(configOf(sink));
  const sent = Array.from({ length: 8 }, (_, index) => ({ ...message, id: `<d-${index}@shop.example>` }));
  expect(await Promise.all(sent.map((each) => mailer.send(each)))).toEqual(sent.map(() => DELIVERED));
  expect(new Set(sink.received.map(({ email }) => email.messageId))).toEqual(
    new Set(sent.map(({ id }) => id)),
  );
});
